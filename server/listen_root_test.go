//go:build unix && root

package server_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Only root gives files away: make adds the tag root where root runs the tests.
func TestASocketInADirectoryOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Chown(dir, 65534, 65534))
	_, err := newServer(t, config(t)).ListenUnix(filepath.Join(dir, "s"))
	require.ErrorContains(t, err, "belongs to another user")
}
