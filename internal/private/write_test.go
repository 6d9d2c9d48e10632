//go:build unix

package private_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/private"
)

func TestAFileIsCreatedWholeAndOverwritesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, private.CreateFile(path, []byte("first"), 0o600))
	require.ErrorIs(t, private.CreateFile(path, []byte("second"), 0o600), fs.ErrExist)
	text, err := private.ReadFile(path, limit)
	require.NoError(t, err)
	assert.Equal(t, "first", string(text))

	link := filepath.Join(filepath.Dir(path), "link")
	require.NoError(t, os.Symlink(path+"-nowhere", link))
	require.ErrorIs(t, private.CreateFile(link, []byte("second"), 0o600), fs.ErrExist, "a link that leads nowhere is there as well")
	assert.NoFileExists(t, path+"-nowhere")
	holds(t, filepath.Dir(path), "link", "secret")
}

func TestAFileIsReplacedWholeAndThroughNoLink(t *testing.T) {
	path := secret(t)
	link := path + "-link"
	require.NoError(t, os.Symlink(path, link))
	require.NoError(t, private.ReplaceFile(link, []byte("another"), 0o644))
	text, err := private.ReadFile(path, limit)
	require.NoError(t, err)
	assert.Equal(t, "the secret", string(text))
	info, err := os.Lstat(link)
	require.NoError(t, err)
	assert.EqualValues(t, 0o644, info.Mode())
	holds(t, filepath.Dir(path), "secret", "secret-link")
}

func TestAFileIsNeverReplacedWithAnEmptyOne(t *testing.T) {
	path := secret(t)
	require.ErrorContains(t, private.ReplaceFile(path, nil, 0o600), path)
	text, err := private.ReadFile(path, limit)
	require.NoError(t, err)
	assert.Equal(t, "the secret", string(text))
	require.Error(t, private.ReplaceFile(filepath.Join(filepath.Dir(path), "missing", "x"), []byte("x"), 0o600))
	holds(t, filepath.Dir(path), "secret")
}

// holds says what is in a directory: nothing half made is left behind.
func holds(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	assert.Equal(t, want, names)
}

func TestADirectoryWhereOthersCanReplaceFilesIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		mode fs.FileMode
		want string
	}{
		"this user's alone":           {0o700, ""},
		"readable for all":            {0o755, ""},
		"writable for the group":      {0o770, "run chmod go-w "},
		"writable for all":            {0o777, "run chmod go-w "},
		"writable for all and sticky": {0o777 | fs.ModeSticky, ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Chmod(dir, c.mode))
			err := private.CheckPlace(dir)
			if c.want == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.want)
			assert.ErrorContains(t, err, dir)
		})
	}
	require.ErrorIs(t, private.CheckPlace(filepath.Join(t.TempDir(), "missing")), fs.ErrNotExist)
	require.ErrorContains(t, private.CheckPlace(secret(t)), "not a directory")
}

func TestRT31TheLeftoversOfAKilledProcessAreRemoved(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{".new-123", "kept", ".newer"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, ".new-dir"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".new-dir", "db"), nil, 0o600))
	require.NoError(t, os.Symlink(filepath.Join(dir, "kept"), filepath.Join(dir, ".new-link")))
	require.NoError(t, private.Tidy(dir))
	holds(t, dir, ".new-link", ".newer", "kept")
	require.NoError(t, private.Tidy(filepath.Join(dir, "missing")))
}

func TestRT30EveryParentDirectoryIsChecked(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, root string){
		"writable for all":       func(t *testing.T, root string) { require.NoError(t, os.Chmod(root+"/a", 0o777)) },
		"writable for the group": func(t *testing.T, root string) { require.NoError(t, os.Chmod(root+"/a", 0o770)) },
		"writable, two above":    func(t *testing.T, root string) { require.NoError(t, os.Chmod(root, 0o777)) },
		"where the link leads": func(t *testing.T, root string) {
			relink(t, root)
			require.NoError(t, os.Chmod(root+"/elsewhere", 0o777))
		},
		"where the link stands": func(t *testing.T, root string) { relink(t, root); require.NoError(t, os.Chmod(root+"/a", 0o777)) },
		"where a link stands that a link leads to": func(t *testing.T, root string) {
			relink(t, root)
			require.NoError(t, os.Mkdir(root+"/between", 0o700))
			require.NoError(t, os.Rename(root+"/a/b", root+"/between/b"))
			require.NoError(t, os.Symlink("../between/b", root+"/a/b"))
			require.NoError(t, os.Chmod(root+"/between", 0o777))
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "root")
			require.NoError(t, os.MkdirAll(root+"/a/b/state", 0o700))
			require.NoError(t, private.CheckPlace(root+"/a/b/state"))
			spoil(t, root)
			require.ErrorContains(t, private.CheckPlace(root+"/a/b/state"), root)
		})
	}
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(root+"/a/state", 0o700))
	require.NoError(t, os.Chmod(root+"/a", 0o777|fs.ModeSticky))
	require.NoError(t, private.CheckPlace(root+"/a/state"), "as in /tmp nobody touches what is another's")
}

// relink puts b elsewhere, with a link in its place.
func relink(t *testing.T, root string) {
	t.Helper()
	require.NoError(t, os.Mkdir(root+"/elsewhere", 0o700))
	require.NoError(t, os.Rename(root+"/a/b", root+"/elsewhere/b"))
	require.NoError(t, os.Symlink(root+"/elsewhere/b", root+"/a/b"))
}

func TestRT30AFileOfTwoNamesIsRefused(t *testing.T) {
	path := secret(t)
	require.NoError(t, os.Link(path, path+"-2"))
	_, err := private.ReadFile(path, limit)
	require.ErrorContains(t, err, "2 hard links")
	require.NoError(t, os.Remove(path+"-2"))
	_, err = private.ReadFile(path, limit)
	require.NoError(t, err)
}
