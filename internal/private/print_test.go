//go:build unix

package private

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// settled returns the print of what is at a path once it has not changed for a while.
func settled(t *testing.T, path string) (print Print) {
	t.Helper()
	require.Eventually(t, func() bool {
		print = PrintOf(path)
		return print.Settled()
	}, time.Minute, time.Millisecond)
	return print
}

func TestAFolderThatIsOpenShowsWhatHappensToItAndItsFiles(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, folder string){
		"a file is added":   func(t *testing.T, f string) { require.NoError(t, os.WriteFile(filepath.Join(f, "b"), nil, 0o600)) },
		"a file is removed": func(t *testing.T, f string) { require.NoError(t, os.Remove(filepath.Join(f, "a"))) },
		"a file is replaced": func(t *testing.T, f string) {
			require.NoError(t, os.Rename(filepath.Join(f, "a"), filepath.Join(f, "c")))
		},
		"others may read it":    func(t *testing.T, f string) { require.NoError(t, os.Chmod(f, 0o755)) },
		"it has another name":   func(t *testing.T, f string) { require.NoError(t, os.Rename(f, f+".old")) },
		"it is there no longer": func(t *testing.T, f string) { require.NoError(t, os.RemoveAll(f)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := filepath.Join(t.TempDir(), "folder")
			require.NoError(t, os.Mkdir(folder, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "a"), nil, 0o600))
			print := settled(t, folder)
			open, err := os.Open(folder)
			require.NoError(t, err)
			defer open.Close() //nolint:errcheck // nothing is written
			assert.True(t, print.SameOpen(open))
			assert.True(t, print.Same(folder))
			change(t, folder)
			assert.False(t, print.SameOpen(open))
			assert.False(t, print.Same(folder))
		})
	}
}

func TestAnUnsettledPrintNeverMatches(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	print := settled(t, folder)
	open, err := os.Open(folder)
	require.NoError(t, err)
	defer open.Close() //nolint:errcheck // nothing is written
	assert.False(t, print.SameOpen(nil))
	print.settled = false
	assert.False(t, print.Same(folder))
	assert.False(t, print.SameOpen(open))
}

func TestAMissingFileStaysTheSameUntilItExists(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a")
	print := PrintOf(path)
	assert.True(t, print.Same(path))
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assert.False(t, print.Same(path))
}
