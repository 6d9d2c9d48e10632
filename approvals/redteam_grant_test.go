package approvals_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func TestRT18AGrantIsUsedOnceWhateverTheClockDoes(t *testing.T) {
	for name, s := range stores(t) {
		start := newClock().Now()
		require.NoError(t, s.Begin(t.Context(), start.Add(-time.Hour)))
		use := func(key string, now, issued time.Time) string {
			return code(s.Redeem(t.Context(), key, now, issued.Add(2*approvals.GrantLife)))
		}
		later := start.Add(10 * time.Minute)
		assert.Equal(t, "<nil>", use("first", start, start), name)
		assert.Equal(t, "<nil>", use("second", later, later), name)
		assert.Equal(t, gavel.CodeGrantUsed, use("first", start, start), "%s: the clock was set back", name)
		assert.Equal(t, gavel.CodeGrantUsed, use("older", start, start.Add(-time.Second)), "%s: nobody can tell whether it was used", name)
		assert.Equal(t, "<nil>", use("third", start.Add(2*time.Second), start.Add(2*time.Second)), "%s: a new grant by the clock that was set back", name)
	}
}

func TestRT18ForgottenGrantsStayUsedAfterARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	start := newClock().Now()
	s := onDisk(t, path)
	require.NoError(t, s.Begin(t.Context(), start.Add(-time.Hour)))
	require.NoError(t, s.Redeem(t.Context(), "first", start, start.Add(2*time.Minute)))
	require.NoError(t, s.Redeem(t.Context(), "second", start.Add(time.Hour), start.Add(time.Hour+2*time.Minute)))
	require.NoError(t, s.Close())
	s = onDisk(t, path)
	require.NoError(t, s.Begin(t.Context(), start))
	assert.Equal(t, gavel.CodeGrantUsed, code(s.Redeem(t.Context(), "first", start, start.Add(2*time.Minute))))
}

func TestRT18DeletingTheDatabaseRestoresNoGrant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	start := newClock().Now()
	s := onDisk(t, path)
	require.NoError(t, s.Begin(t.Context(), start))
	issued := start.Add(5 * time.Second)
	require.NoError(t, s.Redeem(t.Context(), "first", issued, issued.Add(2*approvals.GrantLife)))
	require.NoError(t, s.Close())
	require.NoError(t, os.Remove(path))
	s = onDisk(t, path)
	now := start.Add(10 * time.Second)
	require.NoError(t, s.Begin(t.Context(), now))
	assert.Equal(t, gavel.CodeGrantUsed, code(s.Redeem(t.Context(), "first", now, issued.Add(2*approvals.GrantLife))))
	require.NoError(t, s.Redeem(t.Context(), "new", now, now.Add(2*approvals.GrantLife)))
}
