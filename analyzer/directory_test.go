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

// TestReadingADirectoryIsNotReadingAFile: a search reads everything below it.
func TestReadingADirectoryIsNotReadingAFile(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, "src"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o600))
	require.NoError(t, os.Symlink("src", filepath.Join(dir, "link")))
	here, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t)})
	require.NoError(t, err)
	for about, c := range map[string]struct {
		tool    string
		params  map[string]any
		claimed bool
		file    bool
	}{
		"a file":                               {"read", map[string]any{"path": "a.txt"}, false, true},
		"a file that does not exist":           {"read", map[string]any{"path": "b.txt"}, false, true},
		"a directory":                          {"read", map[string]any{"path": "src"}, false, false},
		"a link to a directory":                {"read", map[string]any{"path": "link"}, false, false},
		"the working directory":                {"read", map[string]any{"path": dir}, false, false},
		"a search says so":                     {"read", map[string]any{"path": "a.txt", "recursive": true}, false, false},
		"a search says so in another way":      {"read", map[string]any{"path": "a.txt", "recursive": "no"}, false, false},
		"no search":                            {"read", map[string]any{"path": "a.txt", "recursive": false}, false, true},
		"a write names one file":               {"write", map[string]any{"path": "src", "content": ""}, false, true},
		"a file of another machine":            {"read", map[string]any{"path": "/srv/x"}, true, true},
		"a directory of another machine":       {"read", map[string]any{"path": "/srv/x/"}, true, false},
		"the directory on another machine":     {"read", map[string]any{"path": dir}, true, false},
		"a search on another machine says so":  {"read", map[string]any{"path": "/srv/x", "recursive": true}, true, false},
		"a patch names files, not directories": {"apply_patch", map[string]any{"input": "*** Begin Patch\n*** Add File: src\n+x\n*** End Patch"}, false, true},
	} {
		call := gavel.Call{Tool: gavel.Tool{Name: c.tool, Params: c.params}, Environment: &gavel.Environment{Cwd: dir}}
		if c.claimed {
			call.Environment.Executables = map[string]string{}
		}
		facts := here.Analyze(t.Context(), call, nil)
		require.Len(t, facts.Resources, 1, about)
		assert.Equal(t, c.file, facts.Resources[0].File, about)
	}
}
