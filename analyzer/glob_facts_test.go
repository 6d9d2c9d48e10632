package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// fitsIn are the patterns of the last segment of a command.
func fitsIn(t *testing.T, root, command string) []gavel.Fitting {
	t.Helper()
	list := segmentsIn(t, root, command)
	return list[len(list)-1].Fits
}

func TestThePatternsOfACommandAreExpandedToFiles(t *testing.T) {
	t.Parallel()
	root := project(t)
	for command, want := range map[string][]string{
		"cat src/*.go":                       {"src/a.go"},
		"cat src/*":                          {"src/a.go", "src/x"},
		"cat ~/*.txt":                        nil,
		"cat lib/*/b.go":                     {"lib/deep/b.go", "lib/same/b.go"},
		"cat src/*.py":                       nil,
		"for f in src/*.go; do cat $f; done": {"src/a.go"},
		"x='src/*.go'; cat $x":               {"src/a.go"},
		"bash -c 'cat src/*.go'":             {"src/a.go"},
		"cd src && cat *.go":                 {"a.go"},
		"nice cat src/*.go":                  {"src/a.go"},
	} {
		found := fitsIn(t, root, command)
		require.Len(t, found, 1, command)
		assert.True(t, found[0].Known, command)
		assert.Equal(t, want, found[0].Names, command)
		assert.Equal(t, len(want), found[0].Count, command)
	}
	assert.Equal(t, []gavel.Fitting{}, fitsIn(t, root, "cat src/a.go '*.go'"), "a word that is not a pattern fits nothing")
	assert.Len(t, fitsIn(t, root, "cat src/*.go lib/* src/*.go"), 2, "each pattern once")
}

func TestFilesOfPatternsThatCannotBeSeenAreUnknown(t *testing.T) {
	t.Parallel()
	root := project(t)
	for _, command := range []string{"cd $DIR && cat *.go", `cat $DIR/*.go`, `cat "a b"*.go{1,2}`} {
		for _, fitting := range fitsIn(t, root, command) {
			assert.Equal(t, gavel.Fitting{Pattern: fitting.Pattern}, fitting, command)
		}
		assert.NotEmpty(t, fitsIn(t, root, command), command)
	}
}

func TestTheHashOfAPatternChangesWithItsFiles(t *testing.T) {
	t.Parallel()
	root := project(t)
	of := func() string { return fitsIn(t, root, "cat src/*")[0].SHA256 }
	before := of()
	assert.Equal(t, before, of(), "nothing has changed")
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/src/.hidden"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/src/a.go"), []byte("changed"), 0o600))
	assert.Equal(t, before, of(), "neither hidden files nor contents")
	require.NoError(t, os.WriteFile(filepath.Join(root, "ws/src/b"), nil, 0o600))
	more := of()
	assert.NotEqual(t, before, more, "a new file")
	require.NoError(t, os.Remove(filepath.Join(root, "ws/src/b")))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(root, "ws/src/b")))
	assert.NotEqual(t, more, of(), "a link with the name of a file")
}

// zsh has more patterns, and options that change what they mean.
func TestFilesOfPatternsAreUnknownForZsh(t *testing.T) {
	t.Parallel()
	root := project(t)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Cwd: root + "/ws", Path: []string{root + "/bin"}, Platform: "linux", Shell: "zsh"})
	require.NoError(t, err)
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "cat src/*.go"}}}, nil)
	require.True(t, facts.Exec.Parsed)
	assert.Equal(t, []gavel.Fitting{{Pattern: "src/*.go"}}, facts.Exec.Segments[0].Fits)
}
