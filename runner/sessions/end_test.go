//go:build linux

package sessions_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/sessions"
	"gavel/runner/spawn"
)

// timed runs a command until its time limit, and again with a longer one if the limit came before
// the command had written the file ready.
func (f *fixture) timed(t *testing.T, command string) sessions.Shown {
	t.Helper()
	for limit := 50 * time.Millisecond; ; limit *= 4 {
		shown := f.exec(t, command, func(e *sessions.Exec) { e.Timeout = limit })
		if _, err := os.Stat(filepath.Join(f.dir, "ready")); err == nil {
			return shown
		}
		require.Less(t, limit, time.Minute, "the command is not ready")
	}
}

func TestTheTimeLimitEndsEvenACommandThatIgnoresIt(t *testing.T) {
	t.Parallel() // it waits for seconds
	f := open(t)
	shown := f.timed(t, `trap "" TERM HUP; (trap "" TERM; setsid sleep 1000) & echo >ready; while :; do sleep 1; done`)
	assert.True(t, shown.TimedOut)
	assert.Equal(t, runner.ExitTimeout, *shown.ExitCode)
	assert.Equal(t, "killed", shown.Signal)
}

func TestNothingThatACommandStartsOutlivesIt(t *testing.T) {
	t.Parallel() // it waits for seconds
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
	pid := f.pid(t, shown.Session)
	require.NoError(t, syscall.Kill(parent, syscall.SIGKILL))
	gone(t, pid)
	require.Eventually(t, func() bool { return len(strays(t, f.dir)) == 0 }, time.Minute, 5*time.Millisecond)
	require.Eventually(t, func() bool {
		answer, err := f.do(t, "poll", shown.Session)
		return err == nil && answer.Status == sessions.StatusCompleted && *answer.ExitCode == 255
	}, time.Minute, 5*time.Millisecond)
	assert.Equal(t, []string{"run.started", "run.ended 255"}, events.all(), "the runner records the end, which the supervisor cannot")
}

func TestACommandThatStopsItsSupervisorStillEnds(t *testing.T) {
	const stop = `trap "" TERM; echo >ready; setsid sleep 1000 & kill -STOP $PPID; while :; do sleep 0.01; kill -STOP $PPID; done`
	hasty := func(c *sessions.Config) { c.Patience = 50 * time.Millisecond }
	t.Run("after its time", func(t *testing.T) {
		events := &events{}
		f := open(t, events.recorded, hasty)
		shown := f.timed(t, stop)
		assert.Equal(t, []any{sessions.StatusCompleted, true, runner.ExitTimeout, "killed"}, []any{shown.Status, shown.TimedOut, *shown.ExitCode, shown.Signal})
		list := events.all()
		assert.Equal(t, []string{"run.started", "run.ended 124"}, list[len(list)-2:])
		assert.Empty(t, strays(t, f.dir))
	})
	t.Run("when it is killed", func(t *testing.T) {
		f := open(t, hasty)
		answer, err := f.do(t, "kill", f.exec(t, stop, background).Session)
		require.NoError(t, err)
		assert.Equal(t, []any{sessions.StatusCompleted, true}, []any{answer.Status, answer.Killed})
		assert.Empty(t, strays(t, f.dir))
	})
	t.Run("with the runner", func(t *testing.T) {
		f := open(t, hasty)
		f.exec(t, stop, background)
		f.Close()
		assert.Empty(t, strays(t, f.dir))
	})
}

func TestASupervisorThatWasStoppedOnceGoesOnAndEndsItsCommand(t *testing.T) {
	f := open(t)
	shown := f.exec(t, `trap 'exit 3' TERM; kill -STOP $PPID; echo stopped; while :; do sleep 0.01; done`, background)
	f.until(t, shown.Session, "stopped")
	answer, err := f.do(t, "kill", shown.Session)
	require.NoError(t, err)
	assert.Equal(t, []any{sessions.StatusCompleted, 3}, []any{answer.Status, *answer.ExitCode}, "it was asked to end, and not killed")
}

func TestStartsAndEndsAreRecordedEvenIfTheRunnerEnds(t *testing.T) {
	events := &events{}
	f := open(t, events.recorded)
	f.exec(t, "exit 3")
	assert.Equal(t, []string{"run.started", "run.ended 3"}, events.all())
	f.exec(t, "sleep 1000", background)
	f.Close()
	assert.Equal(t, []string{"run.started", "run.ended 3", "run.started", "run.ended 143"}, events.all())
}

func TestAnEndIsRecordedBeforeItIsShown(t *testing.T) {
	var f *fixture
	var session, status string
	f = open(t, func(cfg *sessions.Config) {
		cfg.Record = func(_ context.Context, event gavel.RunEvent) error {
			if event.Kind == gavel.AuditRunEnded {
				answer, err := f.do(t, "poll", session)
				assert.NoError(t, err)
				status = answer.Status
			}
			return nil
		}
	})
	session = f.exec(t, "read x", background).Session
	_, err := f.do(t, "kill", session)
	require.NoError(t, err)
	assert.Equal(t, sessions.StatusRunning, status)
}

func TestARemovedCommandCountsUntilItHasEnded(t *testing.T) {
	t.Parallel() // it waits for seconds
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
	pid := f.pid(t, two.Session)
	_, err = f.do(t, "remove", two.Session)
	require.NoError(t, err)
	gone(t, pid)
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

func TestAForkBombEndsAtItsTimeLimitAndItsProcessLimit(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.Order.Limits = spawn.Limits{Processes: 400, Seconds: 5} })
	shown := f.exec(t, `bomb() { for i in 1 2 3; do sleep 1000 & done; ((depth < 3)) && { depth=$((depth+1)); bomb & bomb & }; wait; }; depth=0; bomb`, func(e *sessions.Exec) { e.Timeout = 500 * time.Millisecond })
	assert.True(t, shown.TimedOut)
	assert.Empty(t, strays(t, f.dir))
}
