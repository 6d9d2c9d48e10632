//go:build linux

package runner_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/grant"
	"gavel/runner"
)

func TestAGrantCountsOnceForRunnersThatShareAFile(t *testing.T) {
	path, now := filepath.Join(directory(t), "state", "used.json"), time.Unix(1_800_000_000, 0)
	claims := &grant.Claims{ID: "grant", Expires: now.Unix() + 60}
	var runners sync.WaitGroup
	var used atomic.Int32
	for range 16 {
		runners.Go(func() {
			if (&runner.UsedGrants{Path: path}).Use(claims, now) == nil {
				used.Add(1)
			}
		})
	}
	runners.Wait()
	assert.Equal(t, int32(1), used.Load())
	assert.ErrorContains(t, (&runner.UsedGrants{Path: path}).Use(claims, now.Add(30*time.Second)), "already been used")
}

func TestAGrantStaysUsedWhenTheClockIsSetBack(t *testing.T) {
	path, now := filepath.Join(directory(t), "used.json"), time.Unix(1_800_000_000, 0)
	first, later := &grant.Claims{ID: "first", Expires: now.Unix() + 60}, &grant.Claims{ID: "later", Expires: now.Unix() + 3600}
	require.NoError(t, (&runner.UsedGrants{Path: path}).Use(first, now))
	require.NoError(t, (&runner.UsedGrants{Path: path}).Use(later, now.Add(time.Hour-time.Second)))
	assert.ErrorContains(t, (&runner.UsedGrants{Path: path}).Use(first, now), "may have been used")
}

func TestAGrantPermitsNothingIfItsUseCannotBeRecorded(t *testing.T) {
	dir, now := directory(t), time.Unix(1_800_000_000, 0)
	path := filepath.Join(dir, "used.json")
	claims := &grant.Claims{ID: "grant", Expires: now.Unix() + 60}
	for _, text := range []string{"", "{", `{"used": {}, "below": -1}`, `{"other": 1}`} {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.Error(t, (&runner.UsedGrants{Path: path}).Use(claims, now), text)
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		assert.Equal(t, text, string(kept), "it is left unchanged")
	}
	require.NoError(t, os.Remove(path))
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.ErrorContains(t, (&runner.UsedGrants{Path: path}).Use(claims, now), "others can replace")
}
