package host

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// later is a machine on which every file was changed long ago, so that all that may
// be remembered is.
func later() *local {
	return newLocal(func() time.Time { return time.Now().Add(time.Hour) })
}

// tick waits until the clock of the file system has moved on: a change that falls
// into the same tick as the one before is the case of TestARecentChangeIsNotCached.
func tick(t *testing.T, dir string) {
	t.Helper()
	before, err := lstat(dir)
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "clock")
	for {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
		now, err := lstat(name)
		require.NoError(t, err)
		if now.changed > before.changed {
			return
		}
		require.NoError(t, os.Remove(name))
	}
}

// bins makes directories with the programs that are named, by their real path.
func bins(t *testing.T, files ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"a", "b"} {
		require.NoError(t, os.Mkdir(filepath.Join(root, dir), 0o755))
	}
	for _, name := range files {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o755))
	}
	return root
}

// staleCase is a change between two lookups of a word.
type staleCase struct {
	change func(t *testing.T, root string)
	word   string // "rg" when empty
	want   string // the real path afterwards, "" for none
	other  bool   // another file than before
}

// changedPrograms are changes of the program itself.
func changedPrograms() map[string]staleCase {
	return map[string]staleCase{
		"a program is replaced": {change: func(t *testing.T, root string) {
			require.NoError(t, os.WriteFile(root+"/new", nil, 0o755))
			require.NoError(t, os.Rename(root+"/new", root+"/b/rg"))
		}, want: "/b/rg", other: true},
		"a program is taken away": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Remove(root+"/b/rg"))
		}},
		"a program turns up earlier in the path": {change: func(t *testing.T, root string) {
			require.NoError(t, os.WriteFile(root+"/a/rg", nil, 0o755))
		}, want: "/a/rg", other: true},
		"a program that there was none of turns up": {change: func(t *testing.T, root string) {
			require.NoError(t, os.WriteFile(root+"/b/none", nil, 0o755))
		}, word: "none", want: "/b/none", other: true},
		"a program loses its mode": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Chmod(root+"/b/rg", 0o644))
		}},
	}
}

// changedPaths are changes of links and directories on the way to the program.
func changedPaths() map[string]staleCase {
	return map[string]staleCase{
		"a link is turned": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Remove(root+"/b/link"))
			require.NoError(t, os.Symlink("other", root+"/b/link"))
		}, word: "link", want: "/b/other", other: true},
		"what a link leads to is turned into a link": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Remove(root+"/b/rg"))
			require.NoError(t, os.Symlink("other", root+"/b/rg"))
		}, word: "link", want: "/b/other", other: true},
		"a directory of the path is turned into a link": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Rename(root+"/b", root+"/c"))
			require.NoError(t, os.Symlink("c", root+"/b"))
		}, want: "/c/rg"},
		"a directory of the path is exchanged for one with more": {change: func(t *testing.T, root string) {
			require.NoError(t, os.Rename(root+"/a", root+"/c"))
			require.NoError(t, os.Rename(root+"/b", root+"/a"))
		}, want: "/a/rg"},
	}
}

func TestALookupIsNeverStale(t *testing.T) {
	t.Parallel()
	cases := changedPrograms()
	maps.Copy(cases, changedPaths())
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := bins(t, "b/rg", "b/other")
			require.NoError(t, os.Symlink("rg", root+"/b/link"))
			word := tc.word
			if word == "" {
				word = "rg"
			}
			host, searchPath := later(), []string{root + "/a", root + "/b"}
			before, _ := host.Named(word, searchPath)
			_, found := host.Named(word, searchPath)
			require.Equal(t, before.Real != "", found, "the second look says what the first did")
			require.NotEmpty(t, host.missing, "what a directory does not have is remembered")
			tick(t, root+"/a")
			tick(t, root+"/b")
			tc.change(t, root)
			after, _ := host.Named(word, searchPath)
			assert.Equal(t, tc.want, strings.TrimPrefix(after.Real, root))
			if tc.want != "" {
				assert.Equal(t, tc.other, before.Inode != after.Inode || before.Real == "")
				fresh, _ := newLocal(time.Now).Named(word, searchPath)
				assert.Equal(t, fresh, after)
			}
		})
	}
}

func TestARecentChangeIsNotCached(t *testing.T) {
	t.Parallel()
	root := bins(t, "b/rg")
	host := newLocal(time.Now)
	_, found := host.Named("rg", []string{root + "/a", root + "/b"})
	assert.True(t, found)
	assert.Empty(t, host.missing, "a change in the same tick of the clock would not show")
	_, found = host.Script(root + "/b/rg")
	assert.True(t, found)
	assert.Empty(t, host.hashes)
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	host := later()
	for i := range 3 * maxMissing {
		host.recordMissing("/a", stamp{}, strings.Repeat("x", i%64)+string(rune(i)))
	}
	assert.LessOrEqual(t, len(host.missing["/a"].names), maxMissing)
	for i := range 3 * maxDirectories {
		host.recordMissing("/"+string(rune(i)), stamp{}, "x")
	}
	assert.LessOrEqual(t, len(host.missing), maxDirectories)
}

func TestAScriptIsItsContent(t *testing.T) {
	t.Parallel()
	root := bins(t)
	script := root + "/a/x.sh"
	require.NoError(t, os.WriteFile(script, []byte("ls\n"), 0o600))
	host := later()
	first, found := host.Script(script)
	require.True(t, found)
	assert.Len(t, first.SHA256, 64)
	again, _ := host.Script(script)
	assert.Equal(t, first, again)
	require.Len(t, host.hashes, 1)
	tick(t, script)
	require.NoError(t, os.WriteFile(script, []byte("rm\n"), 0o600))
	changed, _ := host.Script(script)
	assert.NotEqual(t, first.SHA256, changed.SHA256, "a script of the same length is another one")
	assert.Equal(t, first.Inode, changed.Inode)

	require.NoError(t, os.WriteFile(script, make([]byte, maxScript+1), 0o600))
	long, found := host.Script(script)
	assert.True(t, found)
	assert.Equal(t, "", long.SHA256, "what is too long is not hashed")
	require.NoError(t, os.WriteFile(script, make([]byte, maxScript), 0o600))
	look := host.View()
	for range maxScripts / maxScript {
		within, _ := look.Script(script)
		assert.NotEqual(t, "", within.SHA256)
	}
	beyond, found := look.Script(script)
	assert.True(t, found)
	assert.Equal(t, "", beyond.SHA256, "one command cannot have everything hashed")
	_, found = host.Script(root + "/a")
	assert.False(t, found, "a directory is not a script")
	_, found = host.Script(root + "/none")
	assert.False(t, found)
}

func TestWhoCanReplaceAProgram(t *testing.T) {
	t.Parallel()
	root := bins(t, "a/tool")
	owner, err := lstat(root)
	require.NoError(t, err)
	host := newLocal(time.Now)
	for about, tc := range map[string]struct {
		file, dir os.FileMode
		want      []string
	}{
		"only its owner":                  {0o755, 0o755, nil},
		"everybody can write to the file": {0o757, 0o755, []string{"file"}},
		"a group can write to the file":   {0o775, 0o755, []string{"file"}},
		"a group can write beside it":     {0o755, 0o775, []string{"directory"}},
		"everybody can write to both":     {0o777, 0o777, []string{"directory", "file"}},
		"a sticky directory":              {0o755, 0o777 | os.ModeSticky, nil},
	} {
		require.NoError(t, os.Chmod(root+"/a/tool", tc.file), about)
		require.NoError(t, os.Chmod(root+"/a", tc.dir), about)
		program, found := host.At(root + "/a/tool")
		require.True(t, found)
		if owner.owner == 0 {
			assert.Subset(t, append(tc.want, "above"), program.Writable, about)
			assert.Subset(t, program.Writable, tc.want, about)
		} else {
			assert.Equal(t, []string{"above", "directory", "file"}, program.Writable, "%s: what others own is theirs to change", about)
		}
	}
	program, found := host.Named("sh", []string{"/usr/bin", "/bin"})
	require.True(t, found, "every machine has a shell")
	assert.NotEmpty(t, program.Inode)
	assert.NotEmpty(t, program.Device)
}

func BenchmarkLocalHost(b *testing.B) {
	searchPath := []string{"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"}
	host := later()
	b.ReportAllocs()
	for b.Loop() {
		view := host.View()
		for _, name := range []string{"cat", "grep", "head", "ls"} {
			if _, ok := view.Named(name, searchPath); !ok {
				b.Fatal(name)
			}
		}
	}
}
