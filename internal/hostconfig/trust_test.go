package hostconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/hostconfig"
)

// trusted installs Gavel for Codex with a config.toml, and trusts its hooks as Codex lists them.
func trusted(t *testing.T, m hostconfig.Machine, h hostconfig.Host, hooks, config string) (file string) {
	t.Helper()
	name := write(t, m, h, "user", hooks)
	file = filepath.Join(filepath.Dir(name), "config.toml")
	if config != "none" {
		require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	}
	changes, err := m.Install(h, "user")
	apply(t, changes, err)
	var list []hostconfig.CodexHook
	place := "0:0"
	if strings.Contains(hooks, "mine") {
		place = "1:0" // behind the other hook
	}
	for _, event := range []string{":pre_tool_use:" + place, ":permission_request:0:0"} {
		list = append(list, hostconfig.CodexHook{Key: name + event, Hash: "sha256:aa", Trust: "untrusted", Enabled: true})
	}
	change, err := m.Trust(list)
	apply(t, []hostconfig.Change{change}, err)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, 2, strings.Count(string(text), "trusted_hash = \"sha256:aa\""), "%s", text)
	return file
}

func TestCodexForgetsTheHooksThatAreRemoved(t *testing.T) {
	const other = "{\"hooks\":{\"PreToolUse\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"mine\"}]}]}}"
	for about, c := range map[string]struct{ hooks, config string }{
		"without settings":         {"{}", "none"},
		"empty settings":           {"{}", ""},
		"no line break at the end": {"{}", "model = \"m\""},
		"lines of Windows":         {"{}", "model = \"m\"\r\n[features]\r\nhooks = true\r\n"},
		"comments and blank lines": {"{}", "# mine\n\n\n[features] # all\nhooks = true\n\n\n"},
		"another hook is trusted":  {other, "[hooks.state.\"/p/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:bb\"\n"},
	} {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "codex")
			file := trusted(t, m, h, c.hooks, c.config)
			changes, err := m.Uninstall(h, "user")
			apply(t, changes, err)
			text, err := os.ReadFile(file)
			if c.config == "none" {
				assert.ErrorIs(t, err, os.ErrNotExist)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.config, string(text))
		})
	}
}

func TestUninstallingKeepsLaterChangesToCodexsSettings(t *testing.T) {
	m, h := machine(t), host(t, "codex")
	file := trusted(t, m, h, "{}", "model = \"m\"\n")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	later := "# mine\n[hooks.state.\"/p/hooks.json:stop:0:0\"]\ntrusted_hash = \"sha256:bb\"\n"
	require.NoError(t, os.WriteFile(file, append(text, "\n"+later...), 0o600))
	changes, err := m.Uninstall(h, "user")
	apply(t, changes, err)
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "model = \"m\"\n\n"+later, string(text))
}

func TestAnEntryWithWindowsLineEndingsIsReplacedNotWrittenTwice(t *testing.T) {
	m, h := machine(t), host(t, "codex")
	file := trusted(t, m, h, "{}", "model = \"m\"\n")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), "\n", "\r\n")), 0o600))
	name, err := m.File(h, "user")
	require.NoError(t, err)
	change, err := m.Trust([]hostconfig.CodexHook{{Key: name + ":pre_tool_use:0:0", Hash: "sha256:cc", Trust: "modified", Enabled: true}})
	require.NoError(t, err)
	assert.Equal(t, 1, strings.Count(string(change.After), ":pre_tool_use:0:0\"]"), "%s", change.After)
	assert.Contains(t, string(change.After), "sha256:cc")
}
