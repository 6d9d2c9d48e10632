package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// git -C is like cd: in a directory of the workspace that is part of its repository it loads nothing else.
func TestGitInAnotherDirectoryOfTheRepository(t *testing.T) {
	t.Parallel()
	root := project(t)
	for _, dir := range []string{"nested/.git", "bare/refs"} {
		require.NoError(t, os.MkdirAll(filepath.Join(root, "ws", dir), 0o755))
	}
	stands(t, root, "bare/HEAD")
	for command, want := range map[string]string{
		"git -C src status":                  "directory",
		"git -C " + root + "/ws/src status":  "directory",
		"git -C " + root + "/ws status":      "directory",
		"cd src && git -C ../lib status":     "directory",
		"git -C nested status":               "directory", // files that are checked in cannot have this name
		"git -C bare status":                 "loads",
		"git -C bare/refs status":            "loads",
		"git -C " + root + "/out status":     "loads",
		"git -C lib/out status":              "loads", // a link out of the workspace
		"git -C lib/same status":             "loads",
		"git -C .. status":                   "loads",
		"git -C ~/x status":                  "loads",
		"git -C gone status":                 "loads",
		"git -C src -C ../nested status":     "loads",
		"git -C src --git-dir=nested status": "loads",
		"git -C $D status":                   "loads",
		"git -C src -c core.pager=x log":     "loads",
	} {
		list := segmentsIn(t, root, command)
		found := map[string]bool{}
		for _, h := range list[len(list)-1].Hazards {
			found[h.Kind] = true
		}
		if want == "directory" {
			assert.Equal(t, map[string]bool{"directory": true}, found, command)
		} else {
			assert.True(t, found["loads"] || found["runs"], "%s: %v", command, found)
		}
	}
}
