package analyzer_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// In a container the agent is often root, and so is the owner of the files that it makes.
func TestAProgramOfTheWorkspaceIsNoneThatOnlyRootCanReplace(t *testing.T) {
	t.Parallel()
	root, a := virtual(t)
	require.NoError(t, os.WriteFile(root+"/ws/git", []byte("#!/bin/sh\n"), 0o700)) //nolint:gosec // a program
	require.NoError(t, os.Symlink(root+"/bin/ls", root+"/ws/list"))
	require.NoError(t, os.Symlink(root+"/ws/git", root+"/bin/mine"))
	for command, want := range map[string]bool{
		"./git status":             true,
		"src/../git status":        true,
		root + "/ws/git status":    true,
		"cd src && ../git":         true,
		"./run.sh":                 true,
		"./list":                   true,
		"mine":                     true,
		"git status":               false,
		root + "/bin/ls":           false,
		"cd src && ls":             false,
		"cd .venv && ./bin/pytest": true,
	} {
		segments := seen(t, a, command).Segments
		found := segments[len(segments)-1].Executable
		require.True(t, found.Found, command)
		if want {
			assert.Contains(t, found.Writable, "workspace", command)
		} else {
			assert.NotContains(t, found.Writable, "workspace", command)
		}
	}
}
