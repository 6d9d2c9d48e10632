package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/lint"
	"gavel/packs"
)

// packed loads a policy that has nothing but packs, or rules.
func packed(t *testing.T, exec map[string]any) *gavel.PDP {
	t.Helper()
	settings := map[string]any{"host": "gateway", "security": "allowlist", "ask": "on-miss"}
	for key, value := range exec {
		settings[key] = value
	}
	return loaded(t, map[string]any{"agents": map[string]any{"main": map[string]any{}},
		"tools": map[string]any{"profile": "full", "exec": settings,
			"read": map[string]any{"allow": []string{"./**"}}, "write": map[string]any{"allow": []string{"./**"}}}})
}

func decidedBy(t *testing.T, pdp *gavel.PDP, command, shell string) gavel.Decision {
	t.Helper()
	return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Platform: "linux", Shell: shell,
			Executables: lint.ProgramsIn(command, "")}}, gavel.Options{})
}

// Each pack alone allows what its examples say, and nothing else of them. Its rules pass
// the checks of a configuration.
func TestPacksKeepTheirPromises(t *testing.T) {
	t.Parallel()
	all, err := packs.Read()
	require.NoError(t, err)
	require.Equal(t, 30, len(all))
	for _, pack := range all {
		t.Run(pack.Name, func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, pack.Promise)
			require.NotEmpty(t, pack.Gives)
			require.NotEmpty(t, pack.Examples.Match)
			require.NotEmpty(t, pack.Examples.Not)
			rules := []any{}
			for _, rule := range pack.Rules {
				rules = append(rules, rule)
			}
			packed(t, map[string]any{"rules": rules})
			pdp := packed(t, map[string]any{"packs": []any{pack.Name}})
			for _, command := range pack.Examples.Match {
				got := decidedBy(t, pdp, command, "bash")
				assert.Equal(t, gavel.Allow, got.Effect, "%s\n%v", command, got.Reasons)
			}
			for _, command := range pack.Examples.Not {
				assert.NotEqual(t, gavel.Allow, decidedBy(t, pdp, command, "bash").Effect, command)
			}
		})
	}
}

// With every pack switched on, no command of the corpus of bypasses is allowed but those that only
// write files of the workspace or run its code, as the packs say that they do.
func TestEveryPackTogetherAllowsNoBypass(t *testing.T) {
	t.Parallel()
	all, err := packs.Read()
	require.NoError(t, err)
	names := []any{}
	for _, pack := range all {
		names = append(names, pack.Name)
	}
	pdp := packed(t, map[string]any{"packs": names})
	text, err := os.ReadFile(filepath.Join("..", "..", "analyzer", "testdata", "bypass.jsonl"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	require.Greater(t, len(lines), 700)
	harmless := harmlessUnderTheStarter(t)
	for _, line := range lines {
		var one struct{ ID, Command, Dialect string }
		require.NoError(t, json.Unmarshal([]byte(line), &one))
		shell := "bash"
		if one.Dialect == "zsh" || one.Dialect == "mksh" || one.Dialect == "dash" {
			shell = one.Dialect
		}
		if got := decidedBy(t, pdp, one.Command, shell); got.Effect == gavel.Allow {
			assert.Contains(t, harmless, one.Command, one.ID)
		}
	}
}
