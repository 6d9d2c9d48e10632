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

// listing is a doctor whose Codex lists these hooks.
func listing(t *testing.T, m hostconfig.Machine, hooks string) hostconfig.Doctor {
	t.Helper()
	program := filepath.Join(t.TempDir(), "codex")
	script := "#!/bin/sh\nprintf '%s\\n' '{\"id\":1,\"result\":{}}' '{\"id\":2,\"result\":{\"data\":[{\"hooks\":[" + hooks + "]}]}}'\ncat >/dev/null\n"
	require.NoError(t, os.WriteFile(program, []byte(script), 0o700)) //nolint:gosec // it is a program
	d := doctor(m, "0.169.0", hostconfig.Ran{Stdout: denied})
	d.Look = func(string) (string, error) { return program, nil }
	return d
}

func TestAHookThatCodexDoesNotRunIsAProblem(t *testing.T) {
	const gavels = `{"key":"k:pre_tool_use:0:0","currentHash":"sha256:aa","command":"/opt/gavel-hook codex",`
	for about, c := range map[string][2]string{
		"hooks are switched off as a feature": {"", "lists no hook of Gavel, although its settings have one → remove hooks = false below [features]"},
		"only hooks of others are listed":     {strings.ReplaceAll(gavels, "gavel-hook", "mine") + `"enabled":true,"trustStatus":"trusted"}`, "lists no hook of Gavel"},
		"the hook is not trusted":             {gavels + `"enabled":true,"trustStatus":"untrusted"}`, "does not trust the hook k:pre_tool_use:0:0"},
		"the hook was changed since":          {gavels + `"enabled":true,"trustStatus":"modified"}`, "does not trust the hook"},
		"the hook is switched off":            {gavels + `"enabled":false,"trustStatus":"trusted"}`, "does not trust the hook"},
		"the hook is trusted":                 {gavels + `"enabled":true,"trustStatus":"trusted"}`, ""},
	} {
		t.Run(about, func(t *testing.T) {
			m, h := machine(t), host(t, "codex")
			changes, err := m.Install(h, hostconfig.User)
			apply(t, changes, err)
			found := problems(listing(t, m, c[0]).Examine(t.Context(), h))
			if c[1] == "" {
				assert.Empty(t, found)
			} else {
				assert.Contains(t, found, c[1])
			}
		})
	}
}
