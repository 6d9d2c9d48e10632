//go:build unix

package watch

import (
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pipe makes a named pipe.
func pipe(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, syscall.Mkfifo(path, 0o600))
}

func TestHashRefusesAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "pipe")
	pipe(t, path)
	_, err := Hash(path)
	assert.ErrorContains(t, err, "neither a file nor a directory")
}
