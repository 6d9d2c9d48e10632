package host_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"gavel/analyzer/host"
)

// restricted opens a path below a directory as openat2 does with these flags, and returns where
// it leads, or the kernel's refusal.
func restricted(t testing.TB, dir int, path string, resolve uint64) (string, error) {
	t.Helper()
	fd, err := unix.Openat2(dir, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: resolve})
	if err != nil {
		return "", err
	}
	defer unix.Close(fd) //nolint:errcheck // nothing was written
	real, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	require.NoError(t, err)
	return real, nil
}

// inTree opens the root of a planted tree.
func inTree(t testing.TB) (root string, dir int) {
	t.Helper()
	root = planted(t)
	dir, err := unix.Open(root, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	t.Cleanup(func() { unix.Close(dir) }) //nolint:errcheck // nothing was written
	_, err = restricted(t, dir, ".", unix.RESOLVE_BENEATH)
	require.NoError(t, err, "this kernel has no openat2")
	return root, dir
}

func TestPathsStayBelowADirectoryWhereTheKernelSaysSo(t *testing.T) {
	t.Parallel()
	root, dir := inTree(t)
	local, below, plain, elsewhere := host.Local(), 0, 0, 0
	for _, c := range records(t, "paths.jsonl") {
		path := strings.TrimLeft(c.Path, "/")
		if path == "" {
			continue
		}
		got, ok := local.Resolve(root + "/" + path)
		inside := got == root || strings.HasPrefix(got, root+"/")

		real, err := restricted(t, dir, path, unix.RESOLVE_BENEATH)
		if err == nil {
			below++
			assert.True(t, ok, "%q: the kernel opens it below the tree", c.Path)
			assert.Equal(t, real, got, "%q", c.Path)
		}
		if ok && !inside {
			elsewhere++
			assert.Error(t, err, "%q leads to %s, so the kernel keeps nobody below the tree", c.Path, got)
		}

		if real, err := restricted(t, dir, path, unix.RESOLVE_NO_SYMLINKS); err == nil {
			plain++
			assert.Equal(t, filepath.Join(root, path), real, "%q", c.Path)
			assert.Equal(t, real, got, "%q has no link", c.Path)
		} else if errors.Is(err, unix.ELOOP) && ok && !strings.Contains(path, "..") {
			assert.NotEqual(t, filepath.Join(root, path), got, "%q has a link", c.Path)
		}

		if rooted, err := restricted(t, dir, path, unix.RESOLVE_IN_ROOT); err == nil && real != "" {
			assert.Equal(t, real, rooted, "%q: below the tree, its root does not matter", c.Path)
		}
	}
	assert.Greater(t, below, 50)
	assert.Greater(t, plain, 30)
	assert.Greater(t, elsewhere, 5)
}

// Links of /proc lead where no path does.
func TestMagicLinksOfTheKernelLeadNowhere(t *testing.T) {
	t.Parallel()
	root, err := unix.Open("/", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	require.NoError(t, err)
	defer unix.Close(root) //nolint:errcheck // nothing was written
	for _, path := range []string{"proc/self/cwd", "proc/self/root", "proc/self/root/etc", "proc/self/exe", "proc/thread-self/cwd", "proc/self/fd/" + strconv.Itoa(root)} {
		_, err := restricted(t, root, path, unix.RESOLVE_NO_MAGICLINKS)
		assert.ErrorIs(t, err, unix.ELOOP, path)
		_, ok := host.Local().Resolve("/" + path)
		assert.False(t, ok, path)
	}
}
