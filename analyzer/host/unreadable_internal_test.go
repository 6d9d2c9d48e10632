//go:build linux

package host

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The user who runs a command may be able to read directories that this process cannot.
func TestAnUnreadableDirectoryEndsTheSearch(t *testing.T) {
	root := bins(t, "a/tool", "b/tool", "b/other")
	for dir := root; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		require.NoError(t, os.Chmod(dir, 0o755)) //nolint:gosec // of a directory of the test's own
	}
	require.NoError(t, os.Chmod(filepath.Join(root, "a"), 0))
	t.Cleanup(func() { assert.NoError(t, os.Chmod(filepath.Join(root, "a"), 0o700)) }) //nolint:gosec // as above
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			_ = syscall.Setfsuid(65534) // root may look everywhere
		}
		l := later()
		_, found := l.Named("tool", []string{a, b})
		assert.False(t, found, "the shell may find the one in the first directory")
		_, found = l.Named("tool", []string{filepath.Join(a, "deeper"), b})
		assert.False(t, found, "the directory may exist")
		program, found := l.Named("tool", []string{b, a})
		assert.True(t, found)
		assert.Equal(t, filepath.Join(b, "tool"), program.Real)
		assert.False(t, l.Absent("nothing", []string{b, a}))
		assert.True(t, l.Absent("nothing", []string{b}))
		assert.False(t, l.Absent("other", []string{b}))
	}()
	<-done
}
