package watch

import (
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func TestHashChangesWith(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, dir string){
		"contents":           func(t *testing.T, dir string) { write(t, filepath.Join(dir, "config.yaml"), "x") },
		"a new file":         func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "x") },
		"an empty file":      func(t *testing.T, dir string) { write(t, filepath.Join(dir, "b"), "") },
		"a bundle manifest":  func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".manifest"), "x") },
		"a bundle signature": func(t *testing.T, dir string) { write(t, filepath.Join(dir, ".signatures.json"), "x") },
		"a removed file":     func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "config.yaml"))) },
		"a renamed file": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "config.yaml"), filepath.Join(dir, "other.yaml")))
		},
		"a file that moves to another directory": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "config.yaml"), filepath.Join(dir, "custom", "config.yaml")))
		},
		"a link to a directory": func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("custom", filepath.Join(dir, "link")))
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t)
			before, err := Hash(dir)
			require.NoError(t, err)
			change(t, dir)
			after, err := Hash(dir)
			require.NoError(t, err)
			assert.NotEqual(t, before, after)
		})
	}
}

func TestHashIsTheSame(t *testing.T) {
	t.Parallel()
	one, two := tree(t), tree(t)
	assert.Equal(t, state(one), state(two), "for the same names and contents anywhere")

	hidden := filepath.Join(t.TempDir(), ".hidden")
	require.NoError(t, os.Rename(one, hidden))
	assert.Equal(t, state(two), state(hidden), "whatever the path itself is called")

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(two, link))
	assert.Equal(t, state(two), state(link), "through a link")

	pipe(t, filepath.Join(two, "pipe"))
	assert.Equal(t, state(hidden), state(two), "with a pipe, which is not a file")
}

func TestHashCountsAMountedVersionOnce(t *testing.T) {
	t.Parallel()
	plain := t.TempDir()
	write(t, filepath.Join(plain, "config.yaml"), "one")
	assert.Equal(t, state(plain), state(mount(t)))
}

func TestHashKeepsNamesAndContentsApart(t *testing.T) {
	t.Parallel()
	one, two := t.TempDir(), t.TempDir()
	write(t, filepath.Join(one, "a"), "bc")
	write(t, filepath.Join(two, "ab"), "c")
	assert.NotEqual(t, state(one), state(two))
}

func TestHashRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(t *testing.T, dir string)
		want   string
	}{
		"links that form a circle": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("..", filepath.Join(dir, "custom", "up")))
		}, "leads back"},
		"a link to itself": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("self", filepath.Join(dir, "self")))
		}, "too many links"},
		"a link that leads nowhere": {func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "link.rego")))
		}, "no such file"},
		"too many bytes": {func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "big"), "")
			require.NoError(t, os.Truncate(filepath.Join(dir, "big"), maxBytes))
		}, "bytes in all"},
		"too many files": {func(t *testing.T, dir string) {
			for i := range maxFiles {
				require.NoError(t, os.Link(filepath.Join(dir, "config.yaml"), filepath.Join(dir, fmt.Sprint(i))))
			}
		}, "more than 10000 files"},
		"links that multiply without end": {func(t *testing.T, dir string) {
			for i := range 15 {
				level := mkdir(t, filepath.Join(dir, fmt.Sprintf("l%d", i)))
				for _, name := range []string{"a", "b"} {
					require.NoError(t, os.Symlink(fmt.Sprintf("../l%d", i+1), filepath.Join(level, name)))
				}
			}
			mkdir(t, filepath.Join(dir, "l15"))
		}, "more than 10000 directories"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t)
			test.change(t, dir)
			_, err := Hash(dir)
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, err, "hash policy "+dir)
		})
	}
	t.Run("a path that is gone", func(t *testing.T) {
		t.Parallel()
		_, err := Hash(filepath.Join(t.TempDir(), "gone"))
		assert.ErrorIs(t, err, fs.ErrNotExist)
	})
}
