//go:build linux

package sessions_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/sessions"
)

// prompt is a session with a shell that waits for a line.
func (f *fixture) prompt(t *testing.T) sessions.Shown {
	t.Helper()
	shown := f.exec(t, "mkdir sub; exec bash --norc -i", terminal)
	f.until(t, shown.Session, "bash-")
	shown.Pid = f.pid(t, shown.Session)
	t.Cleanup(func() { _ = syscall.Kill(shown.Pid, syscall.SIGKILL) }) // it ignores the request to end
	require.Eventually(t, func() bool { return f.process(t, shown.Session).Waiting }, time.Minute, time.Millisecond)
	return shown
}

func data(text string) func(*sessions.Action) { return func(a *sessions.Action) { a.Data = text } }

func TestAShellThatHasNotReadALineDoesNotWaitForTheNextOne(t *testing.T) {
	f := open(t)
	shown := f.prompt(t)
	require.NoError(t, syscall.Kill(shown.Pid, syscall.SIGSTOP))
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", shown.Pid))
		return err == nil && strings.Contains(string(text), ") T ")
	}, time.Minute, time.Millisecond, "it is stopped")
	_, err := f.do(t, "write", shown.Session, data("cd sub\n"))
	require.NoError(t, err)
	assert.False(t, f.process(t, shown.Session).Waiting, "it will be in another directory")
	require.NoError(t, syscall.Kill(shown.Pid, syscall.SIGCONT))
	require.Eventually(t, func() bool { return f.process(t, shown.Session).Waiting }, time.Minute, time.Millisecond)
	assert.Equal(t, f.dir+"/sub", f.process(t, shown.Session).Cwd)
}

// together decides about two inputs before either is sent.
type together struct {
	runner.Authority
	both sync.WaitGroup
}

func (d *together) Decide(ctx context.Context, call gavel.Call) (gavel.Decision, error) {
	decision, err := d.Authority.Decide(ctx, call)
	if call.Tool.Params["action"] == "write" {
		d.both.Done()
		d.both.Wait()
	}
	return decision, err
}

func TestOnlyOneOfTwoLinesJudgedAtTheSameTimeIsSent(t *testing.T) {
	decider := &together{}
	f := open(t, func(c *sessions.Config) { decider.Authority, c.Authority = c.Authority, decider })
	shown := f.prompt(t)
	decider.both.Add(2)
	errs := make(chan error, 2)
	for range 2 {
		go func() {
			_, err := f.do(t, "write", shown.Session, data("cd sub\n"))
			errs <- err
		}()
	}
	first, second := <-errs, <-errs
	if first == nil {
		first = second
	} else {
		require.NoError(t, second)
	}
	var refusal *runner.Refusal
	require.ErrorAs(t, first, &refusal, "one of them was judged for another directory")
	assert.Equal(t, sessions.CodeReaderChanged, refusal.Code)
}

func TestTheReaderIsUnknownIfSeveralProgramsCouldRead(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		edit    func(*sessions.Exec)
	}{
		"a child of the command":                     {"exec 3<&0; cat <&3 & echo ready; exec sleep 1000", background},
		"what its parent has left behind":            {"exec 3<&0; (cat <&3 &); echo ready; exec sleep 1000", background},
		"a program left behind in its group":         {"(cat </dev/tty &); echo ready; exec sleep 1000", terminal},
		"another program of a pipeline":              {"sleep 1000 | (echo ready; cat /dev/tty)", terminal},
		"a program that has left the pipe's session": {"exec 3<&0; (setsid cat <&3 &); echo ready; exec sleep 1000", background},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			shown := f.exec(t, c.command, c.edit)
			f.until(t, shown.Session, "ready")
			time.Sleep(100 * time.Millisecond) // until the others have begun; before that, nobody is known either
			assert.Empty(t, f.process(t, shown.Session).Program)
		})
	}
	f := open(t)
	shown := f.exec(t, "echo ready; exec cat", background)
	f.until(t, shown.Session, "ready")
	require.Eventually(t, func() bool { return strings.HasSuffix(f.process(t, shown.Session).Program, "/cat") }, time.Minute, time.Millisecond)
}

func TestAPasteContainsNoTerminalControls(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "stty raw -echo; echo ready; od -An -c -N 20", terminal)
	f.until(t, shown.Session, "ready")
	require.Eventually(t, func() bool { return strings.HasSuffix(f.process(t, shown.Session).Program, "/od") }, time.Minute, time.Millisecond)
	for name, text := range map[string]string{
		"the end of a paste": "x\x1b[201~y", "one with a parameter": "x\x1b[201;1~y", "one in one character": "x\u009b201~y", "the beginning of one, at the end": "x\x1b",
		"an interrupt": "x\x03y", "the end of input": "x\x04y", "a suspension": "x\x1ay", "a deletion": "x\x7fy", "a zero": "x\x00y", "what is not text": "x\xffy",
	} {
		_, err := f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = text })
		assert.ErrorContains(t, err, "control character", name)
	}
	require.Eventually(t, func() bool { // not while its reader still begins
		_, err := f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = "\tä\r\n界" })
		return err == nil
	}, time.Minute, time.Millisecond)
}

func TestACredentialReachesTheSessionsForWhichItSpeaks(t *testing.T) {
	f := open(t)
	call := f.call("exec", map[string]any{"command": "read x"})
	call.Session.Key = "agent:main:one"
	shown, err := f.Run(t.Context(), sessions.Exec{Call: call, Cwd: f.dir, Background: true})
	require.NoError(t, err)
	other := &gavel.CallerFacts{Agents: []string{"main"}, Sessions: []string{"agent:main:two"}}
	for _, action := range []string{"poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove"} {
		_, err := f.do(t, action, shown.Session, func(a *sessions.Action) { a.Speaks = other })
		assert.ErrorContains(t, err, "no session", action)
	}
	answer, err := f.do(t, "list", "", func(a *sessions.Action) { a.Speaks = other })
	require.NoError(t, err)
	assert.Empty(t, answer.Sessions)
	answer, err = f.do(t, "list", "", func(a *sessions.Action) {
		a.Speaks = &gavel.CallerFacts{Agents: []string{"main"}, Sessions: []string{"agent:main:"}}
	})
	require.NoError(t, err)
	assert.Len(t, answer.Sessions, 1)
}
