package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// secretWorkspace returns a workspace of this machine with a secret, and with links out of it.
func secretWorkspace(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, dir := range []string{"src", "conf", "clean"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for _, name := range []string{".env", "conf/server.key", "src/main.c", "clean/auth.c", "README"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), nil, 0o600))
	}
	require.NoError(t, os.Symlink("/etc/shadow", filepath.Join(root, "src/link")))
	return root
}

// The starter lets agents search and name files by patterns, and shows no secret that way.
func TestStarterShowsNoSecretBySearchesAndPatterns(t *testing.T) {
	t.Parallel()
	root := secretWorkspace(t)
	list := jsonLines[wanted](t, filepath.Join("testdata", "starter", "workspace.jsonl"))
	for i, d := range compareDecisions(t, root, list) {
		if list[i].Why != "" {
			require.NotEmpty(t, d.Reasons)
			assert.Contains(t, d.Reasons[0].Message+"; "+d.Reasons[0].Fix, list[i].Why, list[i].Command)
		}
	}
}
