package analyzer_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// onDisk returns the facts of a call of a file tool on this machine.
func onDisk(t *testing.T, dir, tool string, params map[string]any) gavel.Resource {
	t.Helper()
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t)})
	require.NoError(t, err)
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: tool, Params: params},
		Environment: &gavel.Environment{Cwd: dir, Home: dir, Platform: "linux"}}, nil)
	require.NotEmpty(t, facts.Resources)
	return facts.Resources[0]
}

func TestSizesAndNamesOfFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "five"), []byte("12345"), 0o600))
	require.NoError(t, os.Link(filepath.Join(dir, "five"), filepath.Join(dir, "also")))
	require.NoError(t, os.Symlink("five", filepath.Join(dir, "link")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "one"), []byte("1"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "dir"), 0o700))
	for name, c := range map[string]struct {
		tool   string
		params map[string]any
		size   int
		sized  bool
		names  int
	}{
		"a file":                         {"read", map[string]any{"path": "one"}, 1, true, 1},
		"a hard link":                    {"read", map[string]any{"path": "also"}, 5, true, 2},
		"behind a symbolic link":         {"read", map[string]any{"path": "link"}, 5, true, 2},
		"no file":                        {"read", map[string]any{"path": "none"}, 0, true, 1},
		"a directory":                    {"read", map[string]any{"path": "dir"}, 0, false, 1},
		"a device":                       {"read", map[string]any{"path": "/dev/zero"}, 0, false, 0},
		"a file of a process":            {"read", map[string]any{"path": "/proc/self/environ"}, 0, false, 0},
		"a write says its size in bytes": {"write", map[string]any{"path": "one", "content": "äö"}, 4, true, 1},
		"a write of no text":             {"write", map[string]any{"path": "one"}, 0, false, 1},
		"an edit adds to the file":       {"edit", map[string]any{"path": "five", "oldText": "1", "newText": "abc"}, 8, true, 2},
		"edits add to the file":          {"edit", map[string]any{"path": "one", "edits": []any{map[string]any{"oldText": "1", "newText": "ab"}}}, 4, true, 1},
		"an edit of every occurrence":    {"edit", map[string]any{"path": "one", "newText": "abc", "replaceAll": true}, 0, false, 1},
		"an edit of one occurrence":      {"edit", map[string]any{"path": "one", "newText": "abc", "replaceAll": false}, 4, true, 1},
		"a patch adds at most its text":  {"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Add File: x\n+y\n*** End Patch"}, 48, true, 1},
	} {
		got := onDisk(t, dir, c.tool, c.params)
		assert.Equal(t, []any{c.size, c.sized, c.names}, []any{got.Size, got.Sized, got.Names}, name)
	}
}

func TestTextThatIsNestedTooDeeplyHasNoSize(t *testing.T) {
	t.Parallel()
	var deep any = strings.Repeat("x", 100)
	for range 100 {
		deep = []any{deep}
	}
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t)})
	require.NoError(t, err)
	facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "edit", Params: map[string]any{"path": "a", "edits": deep}},
		Environment: &gavel.Environment{Cwd: t.TempDir()}}, nil)
	assert.Contains(t, facts.Exceeded, "lookups")
}
