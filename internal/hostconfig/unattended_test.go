package hostconfig_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/hostconfig"
)

func TestHooksCanBeInstalledUnattended(t *testing.T) {
	list, err := hostconfig.Hosts()
	require.NoError(t, err)
	tried := 0
	for _, h := range list {
		for level := range h.Levels {
			if h.Plugin {
				continue
			}
			tried++
			t.Run(h.Name+" "+level, func(t *testing.T) {
				m := machine(t)
				alone := m
				alone.Unattended = true
				changes, err := m.Install(h, level)
				assert.NotContains(t, apply(t, changes, err), "--unattended")
				changes, err = alone.Install(h, level)
				assert.Contains(t, apply(t, changes, err), "--unattended")
				changes, err = alone.Install(h, level)
				require.NoError(t, err)
				assert.False(t, changes[0].Changed(), "installing twice changes it:\n%s", changes[0].Diff())

				h.Trust = "" // there is no Codex to ask
				r := doctor(m, "99.0.0", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)
				assert.Empty(t, problems(r))
				require.Len(t, r.Proofs, 1)
				if h.Script == "" { // a script is run as it is
					assert.Contains(t, r.Proofs[0], " --unattended answers a probe")
				}
				assert.Contains(t, r.Notes, changes[0].Path+" says that nobody is there to be asked (--unattended): a question is a refusal with the id of the approval")

				changes, err = m.Install(h, level)
				assert.NotContains(t, apply(t, changes, err), "--unattended", "the option is left out again")
			})
		}
	}
	assert.Greater(t, tried, 15)
}

func TestUninstallingUnattendedHooksRestoresTheFile(t *testing.T) {
	const text = "{\n  // mine\n  \"model\": \"x\"\n}\n"
	for _, name := range []string{"gemini-cli", "claude-code", "cursor"} {
		m, h := machine(t), host(t, name)
		file := write(t, m, h, hostconfig.User, text)
		m.Unattended = true
		changes, err := m.Install(h, hostconfig.User)
		apply(t, changes, err)
		m.Unattended = false // gavel uninstall does not say how they were installed
		changes, err = m.Uninstall(h, hostconfig.User)
		apply(t, changes, err)
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, text, string(got), name)
		assert.NoFileExists(t, file+".before-gavel")
	}
}

func TestDoctorProposesAnUnattendedInstallationAgain(t *testing.T) {
	m, h := machine(t), host(t, "cursor")
	m.Unattended = true
	changes, err := m.Install(h, hostconfig.User)
	text := apply(t, changes, err)
	require.Contains(t, text, "failClosed")
	write(t, m, h, hostconfig.User, `{"version": 1, "hooks": {"preToolUse": [{"command": "/usr/bin/gavel-hook cursor --unattended", "failClosed": true}]}}`)
	m.Unattended = false
	r := doctor(m, "3.9.16", hostconfig.Ran{Stdout: denied}).Examine(t.Context(), h)
	assert.Contains(t, problems(r), "has no hook of Gavel in hooks.beforeShellExecution")
	assert.Contains(t, problems(r), "run gavel install cursor --user --unattended\n")
}

func TestAPluginAsksNobodyAtTheKeyboard(t *testing.T) {
	m, h := machine(t), host(t, "opencode")
	m.Unattended = true
	_, err := m.Install(h, hostconfig.User)
	assert.ErrorContains(t, err, "the plugin of opencode has no --unattended")
}
