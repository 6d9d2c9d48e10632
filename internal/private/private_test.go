//go:build unix

package private_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

const limit = 16

// secret is a file of this user's alone.
func secret(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte("the secret"), 0o600))
	return path
}

func TestAPrivateFileIsRead(t *testing.T) {
	path := secret(t)
	text, err := private.ReadFile(path, limit)
	require.NoError(t, err)
	assert.Equal(t, "the secret", string(text))
	require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", limit)), 0o600))
	text, err = private.ReadFile(path, limit)
	require.NoError(t, err, "as long as it may be")
	assert.Len(t, text, limit)
	require.NoError(t, os.Chmod(path, 0o400))
	_, err = private.ReadFile(path, limit)
	require.NoError(t, err, "narrower than 0600")
}

func TestAMissingFileIsReportedAsMissing(t *testing.T) {
	_, err := private.ReadFile(filepath.Join(t.TempDir(), "secret"), limit)
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestAFileThatOthersCouldReadOrHavePutThereIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		spoil   func(t *testing.T, path string)
		problem string
	}{
		"a symbolic link": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		}, "symbolic link"},
		"a link that leads nowhere": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Symlink(path+"2", path))
		}, "symbolic link"},
		"a directory": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		}, "not a regular file"},
		"a pipe to which nobody writes": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, syscall.Mkfifo(path, 0o600))
		}, "not a regular file"},
		"readable for the group": {func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o640)) }, "run chmod 600 "},
		"writable for others":    {func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o602)) }, "run chmod 600 "},
		"too long": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, []byte(strings.Repeat("x", limit+1)), 0o600))
		}, "larger than 16 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			path := secret(t)
			c.spoil(t, path)
			began := time.Now()
			text, err := private.ReadFile(path, limit)
			var refused *private.Error
			require.ErrorAs(t, err, &refused)
			assert.Nil(t, text)
			assert.Equal(t, path, refused.Path)
			assert.NotEmpty(t, refused.Fix)
			assert.Contains(t, err.Error(), c.problem)
			assert.Contains(t, err.Error(), path)
			assert.Less(t, time.Since(began), time.Minute, "it does not wait")
		})
	}
}

func TestAFileOpenedForWritingIsCheckedTheSameWay(t *testing.T) {
	path := secret(t)
	file, err := private.OpenFile(path+"-new", os.O_RDWR|os.O_CREATE, 0o600)
	require.NoError(t, err)
	require.NoError(t, file.Close())
	require.NoError(t, os.Symlink(path+"-nowhere", path+"-link"))
	_, err = private.OpenFile(path+"-link", os.O_RDWR|os.O_CREATE, 0o600)
	require.ErrorContains(t, err, "symbolic link")
	_, err = os.Lstat(path + "-nowhere")
	require.ErrorIs(t, err, fs.ErrNotExist, "nothing is made through a link")
	require.NoError(t, os.Chmod(path, 0o604))
	_, err = private.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	require.ErrorContains(t, err, "accessible to group or others")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, "the secret", string(text), "it is left unchanged")
}

func TestDirectories(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	look := func() error {
		info, err := os.Lstat(dir)
		require.NoError(t, err)
		return private.CheckDirectory(dir, info)
	}
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, look())
	require.NoError(t, os.Chmod(dir, 0o750))
	require.ErrorContains(t, look(), "run chmod 700 "+dir)
	require.NoError(t, os.Rename(dir, dir+"2"))
	require.NoError(t, os.Symlink(dir+"2", dir))
	require.ErrorContains(t, look(), "symbolic link")
	require.NoError(t, os.Remove(dir))
	require.NoError(t, os.WriteFile(dir, nil, 0o600))
	var refused *private.Error
	require.True(t, errors.As(look(), &refused))
	assert.Equal(t, "put a directory there", refused.Fix)
}
