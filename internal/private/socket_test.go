//go:build unix

package private_test

import (
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

// socketIn listens in a new directory below the one for temporary files, which is sticky.
func socketIn(t *testing.T) (dir, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "sock") // the path of a socket must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path = filepath.Join(dir, "s")
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return dir, path
}

func TestASocketAndItsDirectoryBelongToThisUser(t *testing.T) {
	dir, path := socketIn(t)
	require.NoError(t, private.CheckSocket(path, false))
	require.NoError(t, os.Symlink(path, path+"2"))
	require.NoError(t, private.CheckSocket(path+"2", false))
	assert.ErrorIs(t, private.CheckSocket(path+"3", false), os.ErrNotExist)
	require.NoError(t, os.WriteFile(path+"4", nil, 0o600))
	assert.ErrorContains(t, private.CheckSocket(path+"4", false), "it is not a socket")
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.ErrorContains(t, private.CheckSocket(path, false), "others can replace its contents")
	assert.ErrorContains(t, private.CheckSocket(path, true), "others can replace its contents")
}
