//go:build linux

package sessions_test

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner/sessions"
)

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
	assert.Empty(t, answer.Sessions, "what was answered is not a session")
}

func TestACommandDoesNotIgnoreTheSignalsThatTheServiceIgnores(t *testing.T) {
	ignored := []os.Signal{syscall.SIGINT, syscall.SIGHUP}
	signal.Ignore(ignored...) // as nohup and shells in the background start a service
	defer signal.Reset(ignored...)
	f := open(t)
	for name, want := range map[string]string{"INT": "interrupt", "HUP": "hangup"} {
		assert.Equal(t, want, f.exec(t, "kill -"+name+" $$; echo ignored").Signal)
	}
}

func TestACommandDoesNotBlockTheSignalsThatTheServiceBlocks(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.Supervisor[1] = "__blocked" })
	assert.Equal(t, "SigBlk:\t0000000000000000\n", f.exec(t, "/bin/grep SigBlk /proc/self/status").Output)
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
	pid := f.pid(t, shown.Session)
	_, err := f.do(t, "write", shown.Session, func(a *sessions.Action) { a.Data = "x\n" })
	require.NoError(t, err)
	gone(t, pid)
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.events) == 1
	}, time.Minute, time.Millisecond)
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

func TestAQuestionIsReportedAtOnceAndTheCommandRunsWhenAPersonAgrees(t *testing.T) {
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
	}, time.Minute, time.Millisecond)
	assert.Equal(t, []string{sessions.EventPending, sessions.EventRunning}, []string{f.events[0].Kind, f.events[1].Kind})
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

func TestWithoutADecisionNothingRunsAndNoInputIsSent(t *testing.T) {
	f := open(t)
	f.changed = func(d *gavel.Decision) { *d = gavel.Decision{} }
	assert.Equal(t, sessions.StatusDenied, f.exec(t, "touch ran").Status)
	assert.NoFileExists(t, filepath.Join(f.dir, "ran"))
	_, err := f.do(t, "list", "")
	assert.Error(t, err)
}
