//go:build linux

package sessions_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/sessions"
)

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
	pid := f.pid(t, shown.Session)
	require.Eventually(t, func() bool { return strings.HasSuffix(f.process(t, shown.Session).Program, "/bash") }, time.Minute, time.Millisecond)
	before := len(f.calls)
	f.policy.mu.Lock()
	f.effect["write"] = gavel.Ask
	f.policy.mu.Unlock()
	f.changed = func(d *gavel.Decision) {
		if d.Effect == gavel.Ask && len(f.calls) > before+1 {
			*d = gavel.Decision{ID: "d", Effect: gavel.Allow} // the second time; and meanwhile the program is another one
			session := f.calls[len(f.calls)-1].Environment.Process
			assert.Regexp(t, "/bash$", session.Program)
			assert.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/fd/0", pid), []byte("\n"), 0))
			assert.Eventually(t, func() bool {
				program, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
				return err == nil && strings.HasSuffix(program, "/cat")
			}, time.Minute, time.Millisecond)
		}
	}
	go func() { f.answer <- agreed() }()
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "x\n" })
	var refusal *runner.Refusal
	require.ErrorAs(t, err, &refusal)
	assert.Equal(t, sessions.CodeReaderChanged, refusal.Code)
}

func TestAShellAtItsPromptIsReportedAsTheReaderOfItsInput(t *testing.T) {
	t.Parallel() // it waits for seconds
	f := open(t)
	shown := f.exec(t, "exec bash --norc -i", terminal)
	f.until(t, shown.Session, "bash-")
	process := func() *gavel.Process { return f.process(t, shown.Session) }
	require.Eventually(t, func() bool { return process().Waiting }, time.Minute, 10*time.Millisecond, "%+v", process())
	assert.Regexp(t, `/bash$`, process().Program)
	assert.Equal(t, f.dir, process().Cwd)
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "ec" })
	require.NoError(t, err)
	assert.False(t, process().Waiting, "half a line was typed")
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys, a.Literal = []string{"C-u"}, "cat -u\r" })
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.HasSuffix(process().Program, "/cat") }, time.Minute, 10*time.Millisecond)
}

func TestATerminalHasItsSizeKeysAndPaste(t *testing.T) {
	f := open(t)
	shown := f.exec(t, "stty size; stty raw -echo; echo ready; od -An -c -N 14", func(e *sessions.Exec) { terminal(e); e.Rows, e.Cols = 33, 121 })
	assert.Contains(t, f.until(t, shown.Session, "ready"), "33 121")
	require.Eventually(t, func() bool {
		p := f.process(t, shown.Session)
		return strings.HasSuffix(p.Program, "/od") && p.Waiting
	}, time.Minute, time.Millisecond)
	_, err := f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = "x\x1b[201~y" })
	assert.ErrorContains(t, err, "control character")
	_, err = f.do(t, "paste", shown.Session, func(a *sessions.Action) { a.Text = "z" })
	require.NoError(t, err)
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys = []string{"C-c"} })
	require.NoError(t, err)
	got := strings.Join(strings.Fields(f.until(t, shown.Session, "003")), " ")
	assert.Contains(t, got, "033 [ 2 0 0 ~ z 033 [ 2 0 1 ~ 003")
	_, err = f.do(t, "send-keys", shown.Session, func(a *sessions.Action) { a.Keys = []string{"Hyper-x"} })
	assert.ErrorContains(t, err, "no key")
}

func TestACommandRunsWithPipesIfThereIsNoTerminal(t *testing.T) {
	f := open(t, func(c *sessions.Config) {
		c.OpenTerminal = func() (ours, theirs *os.File, err error) { return nil, nil, errors.New("no more terminals") }
	})
	shown := f.exec(t, "[ -t 1 ] || echo piped; read x; echo got $x", terminal)
	f.until(t, shown.Session, "piped\n")
	_, err := f.do(t, "submit", shown.Session, func(a *sessions.Action) { a.Data = "" })
	require.NoError(t, err)
	f.until(t, shown.Session, "got\n")
	answer, err := f.do(t, "poll", shown.Session)
	require.NoError(t, err)
	assert.Contains(t, answer.Notes, "the command has no terminal: no more terminals")
}
