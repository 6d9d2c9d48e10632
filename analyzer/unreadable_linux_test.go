package analyzer_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whoever runs a command may be able to read what this process cannot. A file that the policy denies stays
// denied: by its path, or by where the link leads that names it.
func TestADeniedFileThatCannotBeReadIsDenied(t *testing.T) {
	t.Parallel()
	root := project(t)
	for _, name := range []string{"bash", "ln"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "bin", name), nil, 0o755)) //nolint:gosec // programs
	}
	require.NoError(t, os.Symlink("loop", filepath.Join(root, "out/loop"))) // it leads nowhere
	require.NoError(t, syscall.Mkfifo(filepath.Join(root, "ws/conf/pipe.key"), 0o600))
	require.NoError(t, os.Symlink("../conf/pipe.key", filepath.Join(root, "ws/src/script")))
	for command, want := range map[string]string{
		"test -e ../out/loop/.env":          "out/loop/.env",
		"cat " + root + "/out/loop/.ssh/id": "out/loop/.ssh/id",
		"bash -v src/script":                "ws/conf/pipe.key",
		". src/script":                      "ws/conf/pipe.key",
		"cd src && bash script":             "ws/conf/pipe.key",
	} {
		found := false
		for _, s := range segmentsIn(t, root, command) {
			for _, h := range s.Hazards {
				found = found || h.Kind == "reads" && h.Real == root+"/"+want
			}
		}
		assert.True(t, found, "%s: %v", command, hazardsIn(t, root, command))
	}
	assert.Empty(t, hazardsIn(t, root, "bash src/gone"))
}
