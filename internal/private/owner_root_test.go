//go:build unix && root

package private_test

import (
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

// Only root gives files away: make adds the tag root where root runs the tests.

func give(t *testing.T, path string) {
	t.Helper()
	require.NoError(t, os.Chown(path, 65534, 65534))
}

func TestAFileOfAnotherUserIsRefused(t *testing.T) {
	path := secret(t)
	give(t, path)
	text, err := private.ReadFile(path, limit)
	var refused *private.Error
	require.ErrorAs(t, err, &refused)
	assert.Nil(t, text)
	assert.Equal(t, path, refused.Path)
	assert.NotEmpty(t, refused.Fix)
	assert.Contains(t, refused.Problem, "belongs to another user")
}

func TestADirectoryOfAnotherUserIsRefused(t *testing.T) {
	for name, mode := range map[string]fs.FileMode{"readable for all": 0o755, "writable for all and sticky": 0o777 | fs.ModeSticky} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, mode))
			give(t, dir)
			err := private.CheckPlace(dir)
			require.ErrorContains(t, err, "belongs to another user")
			assert.ErrorContains(t, err, dir)
		})
	}
}

func TestRT30AParentDirectoryOfAnotherUserIsRefused(t *testing.T) {
	root := filepath.Join(t.TempDir(), "root")
	require.NoError(t, os.MkdirAll(root+"/a/b/state", 0o700))
	require.NoError(t, private.CheckPlace(root+"/a/b/state"))
	give(t, root)
	require.ErrorContains(t, private.CheckPlace(root+"/a/b/state"), root)
}

// Root may ask a service of another user, where nobody else can take the service's place.
func TestOnlyRootUsesASocketOfAnotherUser(t *testing.T) {
	dir, err := os.MkdirTemp("/run", "sock") // not below a directory in which everybody may write
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "s")
	ln, err := net.Listen("unix", path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	give(t, path)
	give(t, dir)
	assert.ErrorContains(t, private.CheckSocket(path, false), "it belongs to another user")
	assert.NoError(t, private.CheckSocket(path, true))
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.ErrorContains(t, private.CheckSocket(path, true), "others can create a socket there")
	_, below := socketIn(t)
	give(t, below)
	assert.ErrorContains(t, private.CheckSocket(below, true), "others can create a socket there", "everybody may write in /tmp")
}
