package recorded_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/recorded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// log is a decision log that remembers what changed, and may be full.
type log struct {
	mu   sync.Mutex
	said []string
	full bool
}

func (l *log) Audit(_ context.Context, event gavel.AuditEvent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full {
		return errors.New("no space left on device")
	}
	l.said = append(l.said, event.Agent)
	return nil
}

func open(path string, to *log) *recorded.Ledger[string] {
	return recorded.Open(recorded.Config[string]{Path: path, What: "a word", Audit: to, Now: time.Now, Logger: slog.New(slog.DiscardHandler),
		Events: func(before, after string) []gavel.AuditEvent {
			if before == after {
				return nil
			}
			return []gavel.AuditEvent{{Agent: before + ">" + after}}
		}})
}

func TestChangesWithoutAServerAreRecordedOnce(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "recorded", "word.json"), &log{}
	for _, found := range []string{"", "a", "a", "b", "b"} { // each is a start
		l := open(path, to)
		l.Found(found)
		require.NoError(t, l.Settle(t.Context()))
	}
	assert.Equal(t, []string{">a", "a>b"}, to.said)
}

func TestGavelsOwnChangesAreNotRecordedTwice(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "word.json"), &log{}
	l := open(path, to)
	l.Made("a")
	l.Found("a")
	l.Found("b")
	l.Made("c")
	require.NoError(t, l.Settle(t.Context()))
	l = open(path, to)
	l.Found("c")
	require.NoError(t, l.Settle(t.Context()))
	assert.Equal(t, []string{"a>b"}, to.said)
}

func TestFailedRecordsAreRetried(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "word.json"), &log{full: true}
	l := open(path, to)
	l.Found("a")
	l.Made("b")
	require.Error(t, l.Settle(t.Context()))
	l = open(path, to) // and after a crash
	l.Found("b")
	require.Error(t, l.Settle(t.Context()))
	to.full = false
	require.NoError(t, l.Settle(t.Context()))
	assert.Equal(t, []string{">b"}, to.said)
}

func TestAnUnreadableLedgerRecordsAgainAndIsNotChanged(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "word.json"), &log{}
	require.NoError(t, os.WriteFile(path, []byte("{"), 0o600))
	l := open(path, to)
	l.Found("a")
	l.Found("a")
	require.NoError(t, l.Settle(t.Context()))
	assert.Equal(t, []string{">a"}, to.said)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "{", string(after))
}

func TestALedgerRecordsUntilItsEnd(t *testing.T) {
	path, to := filepath.Join(t.TempDir(), "word.json"), &log{}
	l := open(path, to)
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { l.Run(ctx) })
	l.Found("a")
	require.Eventually(t, func() bool { to.mu.Lock(); defer to.mu.Unlock(); return len(to.said) == 1 }, time.Minute, time.Millisecond)
	l.Found("b")
	cancel()
	running.Wait()
	assert.Equal(t, []string{">a", "a>b"}, to.said)
}
