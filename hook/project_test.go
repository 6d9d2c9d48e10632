package hook_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"os/user"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hook"
	"gavel/hosts"
)

func TestAFileInTheProjectThatTheEnvironmentNamesDoesNotDecide(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, other := filepath.Join(dir, "project"), filepath.Join(dir, "other")
	for _, name := range []string{project, filepath.Join(project, "policy"), other} {
		require.NoError(t, os.Mkdir(name, 0o700))
	}
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".claude"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(project, "below"), 0o700))
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
		"above the directory of the call":    {filepath.Join(project, "policy"), calls(filepath.Join(project, "below"), ""), false},
		"above it, beside the project":       {other, calls(filepath.Join(project, "below"), ""), true},
	} {
		t.Run(about, func(t *testing.T) {
			err := hook.CheckOrigin(c.path, c.calls)
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
	server, found := hook.Find(hook.Location{}, named)
	require.True(t, found)
	_, err := server.Decide(t.Context(), []gavel.Call{{Environment: &gavel.Environment{Cwd: dir}}})
	assert.ErrorContains(t, err, "is in the project")
}

// With another HOME, its policy is not the user's own; the message says what nobody typed.
func TestARefusalSaysThatHomeIsNotTheUsersOwn(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	calls := []gavel.Call{{Environment: &gavel.Environment{Cwd: dir}}}
	policy := filepath.Join(dir, ".config", "gavel", "policy")
	t.Setenv("HOME", dir)
	assert.ErrorContains(t, hook.CheckOrigin(policy, calls), "HOME is "+dir+", and the home directory of this user is ")
	t.Setenv("HOME", filepath.Join(dir, "elsewhere"))
	assert.NotContains(t, hook.CheckOrigin(policy, calls).Error(), "HOME is")
}

// Some hosts take variables from a file .env of the project, for their hooks too.
func TestAnEnvironmentThatTheProjectSetsDoesNotDecide(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	below, other := filepath.Join(dir, "project", "below"), filepath.Join(dir, "other")
	require.NoError(t, os.MkdirAll(filepath.Join(below, ".gemini"), 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(below, ".qwen"), 0o700))
	require.NoError(t, os.Mkdir(other, 0o700))
	calls := []gavel.Call{{Environment: &gavel.Environment{Cwd: below}}}
	require.NoError(t, hook.CheckOrigin(other, calls))
	for file, text := range map[string]string{
		".env":                      "A=1\nGAVEL_SOCKET=/tmp/x.sock\n",
		".env.local":                "export GAVEL_POLICY = /tmp/policy\n",
		".gemini/.env":              "  XDG_STATE_HOME=/tmp/x",
		"../.env":                   "XDG_CONFIG_HOME=/tmp/x",
		"../../.env.production":     "GAVEL_TOKEN_FILE: /tmp/token",
		".env.test":                 "\ufeffGAVEL_SOCKET=/tmp/x.sock",
		".qwen/../.env":             "A=1\rGAVEL_SOCKET=/tmp/x.sock",
		"../.env.development.local": "GAVEL_URL=http://127.0.0.1:1",
	} {
		path := filepath.Join(below, file)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		assert.ErrorContains(t, hook.CheckOrigin(other, calls), "hosts read that file", file)
		require.NoError(t, os.Remove(path))
	}
	require.NoError(t, os.WriteFile(filepath.Join(below, ".env"), []byte("MY_GAVEL_SOCKET=/x\nGAVELS=1\nA=GAVEL_SOCKET\n"), 0o600))
	require.NoError(t, hook.CheckOrigin(other, calls), "other variables")
	require.NoError(t, os.Remove(filepath.Join(below, ".env")))
	require.NoError(t, os.Mkdir(filepath.Join(below, ".env"), 0o700))
	require.NoError(t, hook.CheckOrigin(other, calls), "a directory")
	require.NoError(t, os.WriteFile(filepath.Join(below, ".env.local"), make([]byte, 1<<20+1), 0o600))
	assert.ErrorContains(t, hook.CheckOrigin(other, calls), "cannot be read", "too large")
}

// Settings of a project can set HOME for hooks, and lists of files say ~.
func TestAHomeThatTheProjectMayHaveChosenIsUnknown(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	project, elsewhere := filepath.Join(dir, "project"), filepath.Join(dir, "home")
	require.NoError(t, os.MkdirAll(filepath.Join(project, ".claude"), 0o700))
	asked := func(home string) string {
		var told string
		hook.Run(t.Context(), hook.Config{Process: hosts.ProcessInfo{Home: home, Path: []string{}},
			Decide: func(_ context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
				told = calls[0].Environment.Home
				return nil, errors.New("enough")
			}}, []byte(`{"session_id":"s","transcript_path":"/t","cwd":"`+project+`","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/a"},"permission_mode":"default","tool_use_id":"u"}`))
		return told
	}
	me, err := user.Current()
	require.NoError(t, err)
	assert.Equal(t, me.HomeDir, asked(me.HomeDir), "the home that the system says")
	assert.Equal(t, elsewhere, asked(elsewhere), "another one, which nothing in the project names")
	assert.Empty(t, asked(project), "the project")
	assert.Empty(t, asked(filepath.Join(project, "h")), "a directory in the project")
	for file, text := range map[string]string{".env": "HOME=" + elsewhere, ".claude/settings.json": `{"env": {"HOME": "` + elsewhere + `"}}`} {
		path := filepath.Join(project, file)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		assert.Empty(t, asked(elsewhere), file)
		assert.Equal(t, me.HomeDir, asked(me.HomeDir), file)
		require.NoError(t, os.Remove(path))
	}
	require.NoError(t, os.WriteFile(filepath.Join(project, ".env"), []byte("RUSTUP_HOME=/x\nHOMEPAGE=y\n"), 0o600))
	assert.Equal(t, elsewhere, asked(elsewhere), "other variables")
}
