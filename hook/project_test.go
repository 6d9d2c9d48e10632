package hook_test

import (
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
)

func TestWhatTheEnvironmentNamesInTheProjectDoesNotDecide(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, other := filepath.Join(dir, "project"), filepath.Join(dir, "other")
	for _, name := range []string{project, filepath.Join(project, "policy"), other} {
		require.NoError(t, os.Mkdir(name, 0o700))
	}
	require.NoError(t, os.Symlink(project, filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(project, "policy"), filepath.Join(other, "policy")))
	calls := func(cwd, workspace string) []gavel.Call {
		return []gavel.Call{{}, {Environment: &gavel.Environment{Cwd: cwd, Workspace: workspace}}}
	}
	for about, c := range map[string]struct {
		path  string
		calls []gavel.Call
		fine  bool
	}{
		"elsewhere":                          {other, calls(project, project), true},
		"beside it, with its name in front":  {project + "-policy", calls(project, ""), true},
		"no project":                         {filepath.Join(project, "policy"), calls("/", ""), true},
		"in the directory of the call":       {filepath.Join(project, "policy"), calls(project, ""), false},
		"in the workspace":                   {filepath.Join(project, "policy"), calls(other, project), false},
		"the project itself":                 {project, calls(project, ""), false},
		"a file that is not there yet":       {filepath.Join(project, "gone"), calls(project, ""), false},
		"by a link":                          {filepath.Join(dir, "link", "policy"), calls(project, ""), false},
		"in a project that is named by link": {filepath.Join(project, "policy"), calls(filepath.Join(dir, "link"), ""), false},
		"a link out of another directory":    {filepath.Join(other, "policy"), calls(project, ""), false},
		"a file by a link, not there yet":    {filepath.Join(dir, "link", "gone"), calls(project, ""), false},
		"a relative path":                    {"policy", calls("/", ""), false},
	} {
		t.Run(about, func(t *testing.T) {
			err := hook.Foreign(c.path, c.calls)
			assert.Equal(t, c.fine, err == nil, "%v", err)
		})
	}
}

func TestAServerInTheProjectIsNotAsked(t *testing.T) {
	dir := state(t)
	serve(t, dir, func(http.ResponseWriter, *http.Request) { t.Error("it was asked") })
	named := func(name string) string {
		return map[string]string{"GAVEL_SOCKET": filepath.Join(dir, "gavel.sock")}[name]
	}
	server, found := hook.Find(hook.Place{}, named)
	require.True(t, found)
	_, err := server.Decide(t.Context(), []gavel.Call{{Environment: &gavel.Environment{Cwd: dir}}})
	assert.ErrorContains(t, err, "is in the project")
}
