//go:build linux

package sessions_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/sessions"
	"gavel/runner/spawn"
)

// The test program is also the supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__supervise" {
		blocked := func() (*runner.Blocked, error) { return &runner.Blocked{}, nil }
		if err := runner.Supervise(os.NewFile(3, "runner"), blocked); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
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
func terminal(e *sessions.Exec)   { e.Pty, e.Background = true, true }

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

// until polls until the session has written a text, and returns what it has written since the
// last time.
func (f *fixture) until(t *testing.T, id, want string) string {
	t.Helper()
	var all strings.Builder
	f.mu.Lock()
	all.WriteString(f.begun[id])
	delete(f.begun, id)
	f.mu.Unlock()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
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
	}, 30*time.Second, 5*time.Millisecond, "process %d is still there", pid)
}

func TestACommandInTheForegroundAnswersWithItsEnd(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "echo out; echo err >&2; exit 3")
	assert.Equal(t, sessions.StatusCompleted, shown.Status)
	assert.Equal(t, 3, *shown.ExitCode)
	assert.Equal(t, "out\nerr\n", shown.Output)
	assert.Equal(t, f.dir, shown.Cwd)
	shown = f.exec(t, "kill -USR1 $$")
	assert.Equal(t, "user defined signal 1", shown.Signal)
	assert.Equal(t, 138, *shown.ExitCode)
	answer, err := f.do(t, "list", "")
	require.NoError(t, err)
	assert.Empty(t, answer.Sessions, "what was answered is no session")
}

func TestARefusedCommandIsAnsweredWithTheReason(t *testing.T) {
	f := open(t)
	f.effect["touch ran"] = gavel.Deny
	shown := f.exec(t, "touch ran")
	assert.Equal(t, sessions.StatusDenied, shown.Status)
	assert.Contains(t, shown.Reason.Message, "test.code")
	assert.NoFileExists(t, filepath.Join(f.dir, "ran"))
}

func TestACommandGoesToTheBackgroundAndItsEndIsAnEvent(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "read x; exit 4", func(e *sessions.Exec) { e.Yield = time.Millisecond })
	require.Equal(t, sessions.StatusRunning, shown.Status)
	require.Nil(t, shown.ExitCode)
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "x\n" })
	require.NoError(t, err)
	gone(t, shown.Pid)
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.events) == 1
	}, 30*time.Second, time.Millisecond)
	assert.Equal(t, sessions.EventFinished, f.events[0].Kind)
	assert.Equal(t, 4, *f.events[0].ExitCode)
	answer, err := f.do(t, "poll", shown.Session)
	require.NoError(t, err)
	assert.Equal(t, sessions.StatusCompleted, answer.Status)
}

func TestASynchronousDecisionKeepsACommandInTheForeground(t *testing.T) {
	f := open(t)
	f.changed = func(d *gavel.Decision) {
		if d.Exec != nil {
			d.Exec.Synchronous = true
		}
	}
	shown := f.exec(t, "sleep 0.3; echo done", background)
	assert.Equal(t, sessions.StatusCompleted, shown.Status)
	assert.Equal(t, "done\n", shown.Output)
}

func TestAQuestionAnswersAtOnceAndTheCommandRunsWhenAPersonAgrees(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.RunningNotice = time.Millisecond })
	f.effect["echo ran; read x"] = gavel.Ask
	shown := f.exec(t, "echo ran; read x")
	require.Equal(t, sessions.StatusPending, shown.Status)
	assert.Equal(t, "a", shown.Approval.ID)
	f.policy.mu.Lock()
	f.effect["echo ran; read x"] = gavel.Allow
	f.policy.mu.Unlock()
	f.answer <- agreed()
	f.until(t, shown.Session, "ran")
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.events) == 2
	}, 30*time.Second, time.Millisecond)
	assert.Equal(t, []string{sessions.EventPending, sessions.EventRunning}, []string{f.events[0].Kind, f.events[1].Kind})
}

func TestAnotherAgentHasNoSession(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "read x", background)
	other := f.call("process", nil)
	other.Agent.ID = "other"
	for _, action := range []string{"poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove"} {
		_, err := f.Process(t.Context(), other, sessions.Action{Action: action, Session: shown.Session, Data: "x\n"})
		assert.ErrorContains(t, err, "no session", action)
	}
	answer, err := f.Process(t.Context(), other, sessions.Action{Action: "list"})
	require.NoError(t, err)
	assert.Empty(t, answer.Sessions)
	answer, err = f.do(t, "poll", shown.Session)
	require.NoError(t, err)
	assert.Equal(t, sessions.StatusRunning, answer.Status, "it runs on")
}

func TestInputWithoutAnAllowIsRefused(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "read x; echo got $x", background)
	for effect, action := range map[gavel.Effect]string{gavel.Deny: "write", gavel.Ask: "paste"} {
		f.policy.mu.Lock()
		f.effect[action] = effect
		f.policy.mu.Unlock()
		if effect == gavel.Ask {
			go func() { f.answer <- client.Answer{} }() // an answer that does not agree; it is asked about again
		}
		_, err := f.do(t, action, shown.Session, func(a *sessions.Action) { a.Data, a.Text = "evil\n", "evil\n" })
		var refusal *runner.Refusal
		assert.ErrorAs(t, err, &refusal, action)
	}
	_, err := f.do(t, "submit", shown.Session)
	require.NoError(t, err)
	assert.NotContains(t, f.until(t, shown.Session, "got"), "evil")
	last := f.calls[len(f.calls)-1].Environment.Process
	require.NotNil(t, last, "the call says which session it is about")
	assert.Equal(t, []string{shown.Session, "main", "gateway"}, []string{last.Session, last.Agent, last.Host})
}

func TestInputIsRefusedWhenAnotherProgramReadsItByThen(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "read x; exec cat", background)
	f.policy.mu.Lock()
	f.effect["write"] = gavel.Ask
	f.policy.mu.Unlock()
	f.changed = func(d *gavel.Decision) {
		if d.Effect == gavel.Ask && len(f.calls) > 2 {
			*d = gavel.Decision{ID: "d", Effect: gavel.Allow} // the second time; and meanwhile the program is another one
			session := f.calls[len(f.calls)-1].Environment.Process
			assert.Regexp(t, "/bash$", session.Program)
			assert.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/fd/0", shown.Pid), []byte("\n"), 0))
			assert.Eventually(t, func() bool {
				program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", shown.Pid))
				return err == nil && strings.HasSuffix(program, "/cat")
			}, 30*time.Second, time.Millisecond)
		}
	}
	go func() { f.answer <- agreed() }()
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "x\n" })
	var refusal *runner.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, sessions.CodeReaderChanged, refusal.Code)
}

func TestAShellAtItsPromptIsStatedAsTheReaderOfItsInput(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "exec bash --norc -i", terminal)
	f.until(t, shown.Session, "bash-")
	process := func() *gavel.Process { return f.process(t, shown.Session) }
	require.Eventually(t, func() bool { return process().Waiting }, 30*time.Second, 10*time.Millisecond, "%+v", process())
	assert.Regexp(t, `/bash$`, process().Program)
	assert.Equal(t, f.dir, process().Cwd)
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "ec" })
	require.NoError(t, err)
	assert.False(t, process().Waiting, "half a line was typed")
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys, a.Literal = []string{"C-u"}, "cat -u\r" })
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.HasSuffix(process().Program, "/cat") }, 30*time.Second, 10*time.Millisecond)
}

func TestATerminalHasItsSizeKeysAndPaste(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "stty size; stty raw -echo; echo ready; od -An -c -N 14", func(e *sessions.Exec) { terminal(e); e.Rows, e.Cols = 33, 121 })
	assert.Contains(t, f.until(t, shown.Session, "ready"), "33 121")
	require.Eventually(t, func() bool { return strings.HasSuffix(f.process(t, shown.Session).Program, "/od") }, 30*time.Second, time.Millisecond)
	_, err := f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = "x\x1b[201~y" })
	assert.ErrorContains(t, err, "end of a paste")
	_, err = f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = "z" })
	require.NoError(t, err)
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys = []string{"C-c"} })
	require.NoError(t, err)
	got := strings.Join(strings.Fields(f.until(t, shown.Session, "003")), " ")
	assert.Contains(t, got, "033 [ 2 0 0 ~ z 033 [ 2 0 1 ~ 003")
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys = []string{"Hyper-x"} })
	assert.ErrorContains(t, err, "no key")
}

func TestOutputIsKeptAtItsBeginningAndItsEnd(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "echo first; head -c 5000000 /dev/zero | tr '\\0' 'x'; echo; echo last")
	assert.True(t, strings.HasPrefix(shown.Output, "first\n"))
	assert.True(t, strings.HasSuffix(shown.Output, "\nlast\n"))
	assert.Equal(t, int64(5_000_012-200_000), shown.Omitted)
	assert.Contains(t, shown.Output, "4800012 bytes were left out")
	shown = f.exec(t, "seq 1000; read x", background)
	f.until(t, shown.Session, "1000")
	number := func(n int) *int { return &n }
	answer, err := f.do(t, "log", shown.Session, func(a *sessions.Action) { a.Offset, a.Limit = number(10), number(2) })
	require.NoError(t, err)
	assert.Equal(t, "11\n12\n", answer.Output)
	assert.Equal(t, 1000, answer.Lines)
}

func TestTheTimeLimitEndsEvenWhatIgnoresIt(t *testing.T) {
	f := open(t)
	shown := f.exec(t, `trap "" TERM HUP; (trap "" TERM; setsid sleep 1000) & echo $$ >pid; while :; do sleep 1; done`, func(e *sessions.Exec) { e.Timeout = 50 * time.Millisecond })
	assert.True(t, shown.TimedOut)
	assert.Equal(t, runner.ExitTimeout, *shown.ExitCode)
	assert.Equal(t, "killed", shown.Signal)
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

func TestNothingThatACommandStartsOutlivesIt(t *testing.T) {
	f := open(t)
	f.exec(t, "setsid setsid sleep 1001 & (sleep 1002 & sleep 1003 &) ; nohup setsid bash -c 'trap \"\" TERM; while :; do sleep 0.01; done' >/dev/null 2>&1 & sleep 0.2; echo")
	assert.Empty(t, strays(t, f.dir))
}

func TestASupervisorThatIsKilledTakesItsCommandWithIt(t *testing.T) {
	events := &events{}
	f := open(t, events.recorded)
	shown := f.exec(t, "setsid sleep 1000 & echo $PPID; read x", background)
	parent, err := strconv.Atoi(strings.TrimSpace(f.until(t, shown.Session, "\n")))
	require.NoError(t, err)
	require.NoError(t, syscall.Kill(parent, syscall.SIGKILL))
	gone(t, shown.Pid)
	require.Eventually(t, func() bool { return len(strays(t, f.dir)) == 0 }, 30*time.Second, 5*time.Millisecond)
	require.Eventually(t, func() bool {
		answer, err := f.do(t, "poll", shown.Session)
		return err == nil && answer.Status == sessions.StatusCompleted && *answer.ExitCode == 255
	}, 30*time.Second, 5*time.Millisecond)
	assert.Equal(t, []string{"run.started", "run.ended 255"}, events.all(), "the runner records the end, which the supervisor cannot")
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

func TestStartsAndEndsAreRecordedAlsoWhenTheRunnerEnds(t *testing.T) {
	events := &events{}
	f := open(t, events.recorded)
	f.exec(t, "exit 3")
	assert.Equal(t, []string{"run.started", "run.ended 3"}, events.all())
	f.exec(t, "sleep 1000", background)
	f.Close()
	assert.Equal(t, []string{"run.started", "run.ended 3", "run.started", "run.ended 143"}, events.all())
}

func TestACommandThatIsRemovedCountsUntilItHasEnded(t *testing.T) {
	f := open(t, func(cfg *sessions.Config) { cfg.Most = 1 })
	shown := f.exec(t, `trap "" TERM; echo ready; while :; do sleep 1; done`, background)
	f.until(t, shown.Session, "ready")
	_, err := f.do(t, "remove", shown.Session)
	require.NoError(t, err)
	_, err = f.Run(t.Context(), sessions.Exec{Call: f.call("exec", map[string]any{"command": "true"}), Cwd: f.dir})
	assert.ErrorContains(t, err, "no more are permitted at once")
}

func TestKillClearAndRemoveEndAndForgetSessions(t *testing.T) {
	f := open(t)
	one, two := f.exec(t, "sleep 1000", background), f.exec(t, "sleep 1000", background)
	_, err := f.do(t, "clear", one.Session)
	assert.ErrorContains(t, err, "still running")
	answer, err := f.do(t, "kill", one.Session)
	require.NoError(t, err)
	assert.Equal(t, []any{sessions.StatusCompleted, true}, []any{answer.Status, answer.Killed})
	_, err = f.do(t, "clear", one.Session)
	require.NoError(t, err)
	_, err = f.do(t, "remove", two.Session)
	require.NoError(t, err)
	gone(t, two.Pid)
	answer, err = f.do(t, "list", "")
	require.NoError(t, err)
	assert.Empty(t, answer.Sessions)
}

func TestEndedSessionsAreForgottenAfterATimeAndTheirNumberIsLimited(t *testing.T) {
	var offset time.Duration
	f := open(t, func(c *sessions.Config) {
		c.Most, c.Cleanup, c.Now = 1, time.Hour, func() time.Time { return time.Now().Add(offset) }
	})
	shown := f.exec(t, "sleep 1000", background)
	_, err := f.Run(t.Context(), sessions.Exec{Call: f.call("exec", map[string]any{"command": "true"}), Cwd: f.dir})
	assert.ErrorContains(t, err, "no more are permitted")
	_, err = f.do(t, "kill", shown.Session)
	require.NoError(t, err)
	offset = 2 * time.Hour
	_, err = f.do(t, "poll", shown.Session)
	assert.ErrorContains(t, err, "no session")
}

func TestWithoutADecisionNothingRunsAndNothingIsTyped(t *testing.T) {
	f := open(t)
	f.changed = func(d *gavel.Decision) { *d = gavel.Decision{} }
	assert.Equal(t, sessions.StatusDenied, f.exec(t, "touch ran").Status)
	assert.NoFileExists(t, filepath.Join(f.dir, "ran"))
	_, err := f.do(t, "list", "")
	assert.Error(t, err)
}

func TestSessionsLeaveNoDescriptorAndNoProcessBehind(t *testing.T) {
	f := open(t)
	f.exec(t, "true")
	count := func() int {
		names, err := os.ReadDir("/proc/self/fd")
		require.NoError(t, err)
		return len(names)
	}
	before := count()
	for i := range 12 {
		shown := f.exec(t, "read x", func(e *sessions.Exec) { e.Background, e.Pty = true, i%2 == 0 })
		_, err := f.do(t, "remove", shown.Session)
		require.NoError(t, err)
		f.exec(t, "echo x")
	}
	f.Close()
	assert.Equal(t, before, count())
	assert.Empty(t, strays(t, f.dir))
	_, err := f.Run(t.Context(), sessions.Exec{Call: f.call("exec", map[string]any{"command": "true"}), Cwd: f.dir})
	assert.ErrorContains(t, err, "ending")
}

func TestAForkBombEndsWithItsTimeAndItsLimit(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.Order.Limits = spawn.Limits{Processes: 400, Seconds: 5} })
	shown := f.exec(t, `bomb() { for i in 1 2 3; do sleep 1000 & done; ((depth < 3)) && { depth=$((depth+1)); bomb & bomb & }; wait; }; depth=0; bomb`, func(e *sessions.Exec) { e.Timeout = 500 * time.Millisecond })
	assert.True(t, shown.TimedOut)
	assert.Empty(t, strays(t, f.dir))
}
