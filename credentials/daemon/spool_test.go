package daemon

import (
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What waits for a slow client has a limit: a tool that writes more waits with it.
func TestTheSpoolHasALimit(t *testing.T) {
	dir := t.TempDir()
	s := newSpool(0, func() (*os.File, error) { return os.CreateTemp(dir, "spool-") })
	const piece, pieces = 1 << 20, 100
	var pushing sync.WaitGroup
	pushing.Go(func() {
		for range pieces {
			assert.NoError(t, s.push(make([]byte, piece)))
		}
		s.end()
	})
	s.mu.Lock()
	for s.written < spoolLimit { // nobody takes anything until it is full
		s.mu.Unlock()
		s.mu.Lock()
	}
	s.mu.Unlock()
	for range pieces {
		s.mu.Lock()
		assert.LessOrEqual(t, s.written, int64(spoolLimit))
		s.mu.Unlock()
		text, err := s.pop()
		require.NoError(t, err)
		assert.Len(t, text, piece)
	}
	pushing.Wait()
	require.NoError(t, s.free())
}
