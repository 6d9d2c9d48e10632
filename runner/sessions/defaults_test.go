//go:build linux

package sessions_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/sessions"
)

// The tool exec has these defaults: timeout 1800 seconds, yieldMs 10000, and a notice of an
// approved command after ten seconds.
func TestTheTimesOfTheToolExecHaveTheirDefaults(t *testing.T) {
	assert.Equal(t, 10_000*time.Millisecond, sessions.Yield)
	assert.Equal(t, 10_000*time.Millisecond, sessions.RunningNotice)
	assert.Equal(t, 1800*time.Second, runner.Lifecycle{}.Limit(0))
	assert.True(t, runner.Lifecycle{}.Tells(false, true), "notifyOnExit is true")
	order := filepath.Join(t.TempDir(), "order")
	f := open(t, func(c *sessions.Config) { c.Supervisor = []string{"/bin/sh", "-c", "head -n 1 <&3 >" + order} })
	f.exec(t, "true", func(e *sessions.Exec) { e.Timeout = time.Second })
	text, err := os.ReadFile(order)
	require.NoError(t, err)
	var got runner.Order
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, time.Second, got.Timeout)
}

// configured has every decision carry what a policy says of how commands run.
func configured(f *fixture, l gavel.Lifecycle) {
	f.changed = func(d *gavel.Decision) {
		if d.Exec != nil {
			d.Exec.Lifecycle = &l
		}
	}
}

func number(n int64) *int64 { return &n }
func truth(b bool) *bool    { return &b }

// kinds returns the kinds of the events.
func (f *fixture) kinds() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, e := range f.events {
		list = append(list, e.Kind)
	}
	return list
}

func TestThePolicySaysWhenACommandEndsAndGoesToTheBackground(t *testing.T) {
	f := open(t)
	configured(f, gavel.Lifecycle{BackgroundMs: number(1)})
	shown := f.exec(t, "sleep 1000", func(e *sessions.Exec) { e.Yield = 0 })
	assert.Equal(t, sessions.StatusRunning, shown.Status, "it went to the background at once")
	configured(f, gavel.Lifecycle{TimeoutSec: number(1), CleanupMs: number(1)})
	f.exec(t, "sleep 1000", background)
	require.Eventually(t, func() bool { // it ends after a second, and is kept no longer than a millisecond
		answer, err := f.do(t, "list", "")
		return err == nil && len(answer.Sessions) == 1 && answer.Sessions[0].Session == shown.Session
	}, time.Minute, time.Millisecond)
	shown = f.exec(t, "sleep 1.2; echo on", func(e *sessions.Exec) { e.Timeout, e.Yield = time.Minute, time.Minute })
	assert.Equal(t, "on\n", shown.Output, "what the call states counts")
}

func TestThePolicySaysWhetherTheEndOfACommandIsReported(t *testing.T) {
	for name, c := range map[string]struct {
		says    gavel.Lifecycle
		command string
		told    bool
	}{
		"nothing":                          {gavel.Lifecycle{}, "true", true},
		"notifyOnExit is false":            {gavel.Lifecycle{NotifyOnExit: truth(false)}, "echo x; exit 3", false},
		"a success without output":         {gavel.Lifecycle{NotifyOnExitEmptySuccess: truth(false)}, "true", false},
		"a success with output":            {gavel.Lifecycle{NotifyOnExitEmptySuccess: truth(false)}, "echo x", true},
		"a failure without output":         {gavel.Lifecycle{NotifyOnExitEmptySuccess: truth(false)}, "exit 3", true},
		"a success that is to be reported": {gavel.Lifecycle{NotifyOnExit: truth(true), NotifyOnExitEmptySuccess: truth(true)}, "true", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := open(t)
			configured(f, c.says)
			shown := f.exec(t, c.command, background)
			require.Eventually(t, func() bool {
				answer, err := f.do(t, "poll", shown.Session)
				return err == nil && answer.Status == sessions.StatusCompleted
			}, time.Minute, time.Millisecond)
			f.Close() // which waits for events
			assert.Equal(t, c.told, slices.Contains(f.kinds(), sessions.EventFinished))
		})
	}
}

func TestCommandsThatPeopleApprovedAreReportedEvenWithoutNotices(t *testing.T) {
	for name, c := range map[string]struct {
		answer client.Answer
		want   string
	}{"they agreed": {agreed(), sessions.EventFinished}, "they did not": {client.Answer{}, sessions.EventDenied}} {
		t.Run(name, func(t *testing.T) {
			f := open(t, func(c *sessions.Config) { c.Quiet = true })
			configured(f, gavel.Lifecycle{NotifyOnExit: truth(false)})
			f.effect["true"] = gavel.Ask
			require.Equal(t, sessions.StatusPending, f.exec(t, "true").Status)
			f.policy.mu.Lock()
			f.effect["true"] = gavel.Allow
			f.policy.mu.Unlock()
			f.answer <- c.answer
			require.Eventually(t, func() bool { return len(f.kinds()) == 2 }, time.Minute, time.Millisecond)
			assert.Equal(t, []string{sessions.EventPending, c.want}, f.kinds())
		})
	}
}

func TestThePolicySaysWhenARunningCommandIsReported(t *testing.T) {
	assert.Equal(t, 10*time.Second, runner.Lifecycle{}.Notice(0, sessions.RunningNotice))
	f := open(t)
	configured(f, gavel.Lifecycle{ApprovalRunningNoticeMs: number(1)})
	f.effect["read x"] = gavel.Ask
	require.Equal(t, sessions.StatusPending, f.exec(t, "read x").Status)
	f.policy.mu.Lock()
	f.effect["read x"] = gavel.Allow
	f.policy.mu.Unlock()
	f.answer <- agreed()
	require.Eventually(t, func() bool { return slices.Contains(f.kinds(), sessions.EventRunning) }, 9*time.Second, time.Millisecond)
	never := runner.Lifecycle{Configured: &gavel.Lifecycle{ApprovalRunningNoticeMs: number(0)}}
	assert.Negative(t, never.Notice(0, sessions.RunningNotice))
	assert.Equal(t, time.Second, never.Notice(time.Second, sessions.RunningNotice), "the command line counts")
}

func TestInvalidTimesInAPolicyFallBackToTheDefaults(t *testing.T) {
	limit := func(n int64) time.Duration {
		return runner.Lifecycle{Configured: &gavel.Lifecycle{TimeoutSec: &n}}.Limit(0)
	}
	for _, n := range []int64{0, -1, math.MinInt64} {
		assert.Equal(t, runner.Timeout, limit(n), "%d", n)
	}
	assert.Equal(t, time.Duration(math.MaxInt64), limit(math.MaxInt64), "and one that is too large is the longest")
}

func TestWithoutANoticeOnlyTheEndOfAnApprovedCommandIsReported(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.RunningNotice = -1 })
	f.effect["sleep 0.3"] = gavel.Ask
	shown := f.exec(t, "sleep 0.3")
	require.Equal(t, sessions.StatusPending, shown.Status)
	f.policy.mu.Lock()
	f.effect["sleep 0.3"] = gavel.Allow
	f.policy.mu.Unlock()
	f.answer <- agreed()
	require.Eventually(t, func() bool { return len(f.kinds()) > 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, []string{sessions.EventPending, sessions.EventFinished}, f.kinds())
}
