//go:build linux

package sessions_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/sessions"
)

// The tool exec has these defaults: timeout 1800 seconds, yieldMs 10000, and a notice of an
// approved command after ten seconds.
func TestTheTimesOfTheToolExecHaveTheirDefaults(t *testing.T) {
	assert.Equal(t, 10_000*time.Millisecond, sessions.Yield)
	assert.Equal(t, 10_000*time.Millisecond, sessions.RunningNotice)
	for stated, want := range map[time.Duration]time.Duration{0: 1800 * time.Second, time.Second: time.Second} {
		order := filepath.Join(t.TempDir(), "order")
		f := open(t, func(c *sessions.Config) { c.Supervisor = []string{"/bin/sh", "-c", "head -n 1 <&3 >" + order} })
		f.exec(t, "true", func(e *sessions.Exec) { e.Timeout = stated })
		text, err := os.ReadFile(order)
		require.NoError(t, err)
		var got runner.Order
		require.NoError(t, json.Unmarshal(text, &got))
		assert.Equal(t, want, got.Timeout)
	}
}

func TestWithoutANoticeAnApprovedCommandIsNotToldOf(t *testing.T) {
	f := open(t, func(c *sessions.Config) { c.RunningNotice = -1 })
	f.effect["sleep 0.3"] = gavel.Ask
	shown := f.exec(t, "sleep 0.3")
	require.Equal(t, sessions.StatusPending, shown.Status)
	f.policy.mu.Lock()
	f.effect["sleep 0.3"] = gavel.Allow
	f.policy.mu.Unlock()
	f.answer <- agreed()
	kinds := func() (list []string) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, e := range f.events {
			list = append(list, e.Kind)
		}
		return list
	}
	require.Eventually(t, func() bool { return len(kinds()) > 1 }, 30*time.Second, time.Millisecond)
	assert.Equal(t, []string{sessions.EventPending, sessions.EventFinished}, kinds())
}
