//go:build unix

package private_test

import (
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

// anothers is what the system says about a file, with another owner.
type anothers struct{ fs.FileInfo }

func (a anothers) Sys() any {
	stat := *a.FileInfo.Sys().(*syscall.Stat_t)
	stat.Uid++
	return &stat
}

// This runs as any user; with real files of others, owner_root_test.go.
func TestAFileOrDirectoryOfAnotherUserIsRefused(t *testing.T) {
	path, dir := secret(t), t.TempDir()
	file, err := os.Lstat(path)
	require.NoError(t, err)
	require.NoError(t, private.Check(path, file))
	require.ErrorContains(t, private.Check(path, anothers{file}), "belongs to another user")
	require.NoError(t, os.Chmod(dir, 0o700))
	directory, err := os.Lstat(dir)
	require.NoError(t, err)
	require.NoError(t, private.CheckDirectory(dir, directory))
	require.ErrorContains(t, private.CheckDirectory(dir, anothers{directory}), "belongs to another user")
	assert.True(t, private.Owned(file))
	assert.False(t, private.Owned(anothers{file}))
}
