package hostconfig_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestUninstallingRestoresTheFileByteForByte(t *testing.T) {
	for name, text := range map[string]string{
		"one line":                     `{"model":"opus"}`,
		"an empty object":              `{}`,
		"an empty file":                "",
		"empty hooks":                  `{"hooks": {}, "a": 1}` + "\n",
		"an empty list, with comments": "{\n\t// mine\n\t\"hooks\": {\"PreToolUse\": [], /* c */ \"X\": [1,2]}, // end\n}\n",
		"somebody else's hook":         `{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"x"}]}]}}`,
		"lines of Windows":             "{\r\n  \"model\": \"opus\"\r\n}\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			m, h := machine(t), host(t, "claude-code")
			file := write(t, m, h, "user", text)
			for range 2 { // a second time, too
				changes, err := m.Install(h, "user")
				assert.Contains(t, apply(t, changes, err), "PreToolUse")
				assert.FileExists(t, file+".before-gavel")
				changes, err = m.Uninstall(h, "user")
				apply(t, changes, err)
				got, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Equal(t, text, string(got))
				assert.NoFileExists(t, file+".before-gavel")
				assert.NoFileExists(t, file+".before-gavel.1")
			}
		})
	}
}

func TestUninstallingRemovesAFileThatInstallingCreated(t *testing.T) {
	for _, name := range []string{"claude-code", "copilot-cli", "cursor"} {
		m, h := machine(t), host(t, name)
		changes, err := m.Install(h, "user")
		apply(t, changes, err)
		require.FileExists(t, changes[0].Path)
		changes, err = m.Uninstall(h, "user")
		apply(t, changes, err)
		assert.NoFileExists(t, changes[0].Path)
		assert.NoFileExists(t, changes[0].Path+".before-gavel")
		assert.Equal(t, "removed, because there was none before", changes[0].Done(""))
	}
}

func TestUninstallingKeepsLaterChanges(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	file := write(t, m, h, "user", "{\"a\": 1}\n")
	changes, err := m.Install(h, "user")
	text := apply(t, changes, err)
	require.NoError(t, os.WriteFile(file, []byte("// new\n"+text), 0o600))
	changes, err = m.Uninstall(h, "user")
	text = apply(t, changes, err)
	assert.Contains(t, text, "// new")
	assert.NotContains(t, text, "gavel")
	assert.FileExists(t, file+".before-gavel", "it may still be wanted")
}

func TestALinkIsPutBackWhereItLeads(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	file := write(t, m, h, "user", `{}`)
	real := filepath.Join(t.TempDir(), "settings [1].json")
	require.NoError(t, os.Rename(file, real))
	require.NoError(t, os.Symlink(real, file))
	changes, err := m.Install(h, "user")
	apply(t, changes, err)
	changes, err = m.Uninstall(h, "user")
	apply(t, changes, err)
	got, err := os.ReadFile(real)
	require.NoError(t, err)
	assert.Equal(t, `{}`, string(got))
}

func TestALinkThatLeadsNowhereIsNotReplaced(t *testing.T) {
	m, h := machine(t), host(t, "claude-code")
	file := write(t, m, h, "user", "")
	require.NoError(t, os.Remove(file))
	require.NoError(t, os.Symlink("gone", file))
	changes, err := m.Install(h, "user")
	require.NoError(t, err)
	_, err = changes[0].Apply()
	require.ErrorContains(t, err, "link to a file that is not there")
}

func TestAPluginOfSomebodyElseIsNeitherReplacedNorRemoved(t *testing.T) {
	m, h := machine(t), host(t, "opencode")
	file := write(t, m, h, "user", "export const Mine = 1\n")
	_, err := m.Install(h, "user")
	require.ErrorContains(t, err, "is not Gavel's")
	changes, err := m.Uninstall(h, "user")
	require.NoError(t, err)
	for _, change := range changes {
		assert.False(t, change.Changed(), change.Path)
	}
	assert.FileExists(t, file)
}
