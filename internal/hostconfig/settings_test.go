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

func TestAHookWithoutTheNameOfTheHostIsGavels(t *testing.T) {
	for _, h := range []string{`{"type":"command","command":"/opt/gavel-hook"}`, `{"type":"command","command":"/opt/gavel-hook","args":[]}`,
		`{"type":"command","command":"/opt/gavel hook"}`} {
		m, claude := machine(t), host(t, "claude-code")
		write(t, m, claude, hostconfig.User, `{"hooks":{"PreToolUse":[{"matcher":"*","hooks":[`+h+`]}]}}`)
		changes, err := m.Uninstall(claude, hostconfig.User)
		assert.NotContains(t, apply(t, changes, err), "gavel")
	}
}

func TestAFileThatNobodyMayWriteStaysAsItIs(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	name := write(t, m, h, hostconfig.User, "{}\n")
	require.NoError(t, os.Chmod(name, 0o400))
	changes, err := m.Install(h, hostconfig.User)
	require.NoError(t, err)
	_, err = changes[0].Apply()
	require.ErrorContains(t, err, "read-only")
	left, err := filepath.Glob(filepath.Join(filepath.Dir(name), "*"))
	require.NoError(t, err)
	assert.Equal(t, []string{name}, left, "there is no backup either")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, "{}\n", string(text))
}

func TestNewLinesEndAsTheOthersDo(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	name := write(t, m, h, hostconfig.User, "{\r\n  // mine\r\n  \"model\": \"opus\"\r\n}\r\n")
	changes, err := m.Install(h, hostconfig.User)
	text := apply(t, changes, err)
	assert.Equal(t, strings.Count(text, "\n"), strings.Count(text, "\r\n"), "%s: %q", name, text)
	changes, err = m.Install(h, hostconfig.User)
	require.NoError(t, err)
	assert.False(t, changes[0].Changed(), "a second run changes nothing")
}

func TestASettingThatSwitchesHooksOffIsFoundWhereverCopilotReadsSettings(t *testing.T) {
	for _, file := range []string{"~/.copilot/settings.json", ".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json", ".claude/settings.local.json"} {
		m, h := machine(t), host(t, "copilot-cli")
		changes, err := m.Install(h, hostconfig.User)
		apply(t, changes, err)
		name := filepath.Join(m.Project, file)
		if rest, ok := strings.CutPrefix(file, "~/"); ok {
			name = filepath.Join(m.Home, rest)
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(`{"disableAllHooks":true}`), 0o600))
		assert.Contains(t, problems(doctor(m, "1.0.102", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)), name+" switches the hooks off: disableAllHooks", file)
	}
}
