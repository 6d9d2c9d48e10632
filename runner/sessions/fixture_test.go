//go:build linux

package sessions_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/sessions"
)

// The test program is also the supervisor, and a program that starts it with signals blocked.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__blocked" {
		panic(errors.Join(block(), unix.Exec(os.Args[0], []string{os.Args[0], "__supervise"}, nil)))
	}
	if len(os.Args) == 2 && os.Args[1] == "__supervise" {
		blocked := func() (*runner.Blocked, error) { return &runner.Blocked{}, nil }
		if err := runner.Supervise(os.NewFile(3, "runner"), blocked); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// block blocks SIGALRM and SIGUSR1 in this thread.
func block() error {
	runtime.LockOSThread()
	return unix.PthreadSigmask(unix.SIG_BLOCK, &unix.Sigset_t{Val: [16]uint64{1<<(unix.SIGALRM-1) | 1<<(unix.SIGUSR1-1)}}, nil)
}

// policy allows every command as a text for bash, but those that a test does not.
type policy struct {
	mu      sync.Mutex
	effect  map[string]gavel.Effect // by command or action
	calls   []gavel.Call
	answer  chan client.Answer
	changed func(*gavel.Decision)
}

func (p *policy) Decide(_ context.Context, call gavel.Call) (gavel.Decision, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, call)
	name, _ := call.Tool.Params["command"].(string)
	if call.Tool.Name == "process" {
		name, _ = call.Tool.Params["action"].(string)
	}
	effect, known := p.effect[name]
	if !known {
		effect = gavel.Allow
	}
	d := gavel.Decision{ID: "d", Effect: effect, Reasons: []gavel.Reason{{Code: "test.code", Message: "as the test says"}}, Revision: "r"}
	if effect == gavel.Ask {
		d.Approval = &gavel.Pending{ID: "a"}
	}
	if effect == gavel.Allow && call.Tool.Name == "exec" {
		d.Exec = &gavel.Exec{Host: "gateway", Command: name, Pins: &gavel.Pins{Directory: call.Environment.Cwd, Shell: "bash"}}
	}
	if p.changed != nil {
		p.changed(&d)
	}
	return d, nil
}

func (p *policy) Wait(ctx context.Context, _ gavel.Decision) (client.Answer, error) {
	select {
	case answer := <-p.answer:
		return answer, nil
	case <-ctx.Done():
		return client.Answer{}, ctx.Err()
	}
}

func agreed() client.Answer {
	var answer client.Answer
	answer.Outcome = &struct {
		Effect  gavel.Effect   `json:"effect"`
		Reasons []gavel.Reason `json:"reasons"`
	}{Effect: gavel.Allow}
	return answer
}

type fixture struct {
	*sessions.Store
	*policy
	dir    string
	mu     sync.Mutex
	events []sessions.Event
	begun  map[string]string // what a session had written when it went to the background, until it is read
}

func open(t *testing.T, edit ...func(*sessions.Config)) *fixture {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	f := &fixture{policy: &policy{effect: map[string]gavel.Effect{}, answer: make(chan client.Answer)}, dir: dir, begun: map[string]string{}}
	cfg := sessions.Config{Supervisor: []string{os.Args[0], "__supervise"}, Authority: f.policy, Order: runner.Order{Host: "gateway"},
		Events: func(e sessions.Event) { f.mu.Lock(); f.events = append(f.events, e); f.mu.Unlock() }}
	for _, e := range edit {
		e(&cfg)
	}
	f.Store, err = sessions.New(cfg)
	require.NoError(t, err)
	t.Cleanup(f.Close)
	return f
}

func (f *fixture) call(tool string, params map[string]any) gavel.Call {
	return gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: tool, Params: params}, Environment: &gavel.Environment{Cwd: f.dir}}
}

func (f *fixture) exec(t *testing.T, command string, edit ...func(*sessions.Exec)) sessions.Shown {
	t.Helper()
	e := sessions.Exec{Call: f.call("exec", map[string]any{"command": command}), Cwd: f.dir, Yield: time.Minute}
	for _, change := range edit {
		change(&e)
	}
	shown, err := f.Run(t.Context(), e)
	require.NoError(t, err)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.begun[shown.Session] = shown.Output
	return shown
}

func background(e *sessions.Exec) { e.Background = true }

func terminal(e *sessions.Exec) { e.Pty, e.Background = true, true }

func (f *fixture) do(t *testing.T, action, id string, edit ...func(*sessions.Action)) (sessions.Answer, error) {
	t.Helper()
	a := sessions.Action{Action: action, Session: id, Agent: "main"}
	for _, change := range edit {
		change(&a)
	}
	return f.Process(t.Context(), f.call("process", map[string]any{"action": action, "sessionId": id}), a)
}

// process is what the runner states of a session, as the policy sees it.
func (f *fixture) process(t *testing.T, id string) *gavel.Process {
	t.Helper()
	_, err := f.do(t, "poll", id)
	require.NoError(t, err)
	f.policy.mu.Lock()
	defer f.policy.mu.Unlock()
	return f.calls[len(f.calls)-1].Environment.Process
}

// pid waits until it is known which process a session is.
func (f *fixture) pid(t *testing.T, id string) (pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		answer, err := f.do(t, "poll", id)
		if err == nil {
			pid = answer.Pid
		}
		return pid != 0
	}, time.Minute, time.Millisecond)
	return pid
}

// until polls until the session has written a text, and returns what it has written since the
// last time.
func (f *fixture) until(t *testing.T, id, want string) string {
	t.Helper()
	var all strings.Builder
	f.mu.Lock()
	all.WriteString(f.begun[id])
	delete(f.begun, id)
	f.mu.Unlock()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		if strings.Contains(all.String(), want) {
			return all.String()
		}
		answer, err := f.do(t, "poll", id, func(a *sessions.Action) { a.Timeout = 1000 })
		require.NoError(t, err)
		all.WriteString(answer.Output)
	}
	require.Contains(t, all.String(), want)
	return all.String()
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int) {
	t.Helper()
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		return err != nil || strings.Contains(string(text), ") Z ")
	}, time.Minute, 5*time.Millisecond, "process %d is still there", pid)
}

// strays are the processes whose directory is that of a test.
func strays(t *testing.T, dir string) []string {
	t.Helper()
	var list []string
	names, err := os.ReadDir("/proc")
	require.NoError(t, err)
	for _, name := range names {
		if pid, err := strconv.Atoi(name.Name()); err == nil {
			if cwd, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid)); err == nil && cwd == dir {
				line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
				list = append(list, string(line))
			}
		}
	}
	return list
}

// events are what was recorded.
type events struct {
	mu   sync.Mutex
	list []string
}

func (e *events) recorded(cfg *sessions.Config) {
	cfg.Record = func(_ context.Context, event gavel.RunEvent) error {
		e.mu.Lock()
		defer e.mu.Unlock()
		text := event.Kind
		if event.ExitCode != nil {
			text += fmt.Sprint(" ", *event.ExitCode)
		}
		e.list = append(e.list, text)
		return nil
	}
}

func (e *events) all() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.list)
}
