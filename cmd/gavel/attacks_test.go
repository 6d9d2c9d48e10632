package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// TestNoWrapperCarriesAnAttack decides each attack through a wrapper for an agent
// with exactly the programs on the allowlist that the attack says are allowed with
// any argument. Every word of it is a program of the machine. None may be allowed.
func TestNoWrapperCarriesAnAttack(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "analyzer", "testdata", "bypass.jsonl"))
	require.NoError(t, err)
	agents, calls := map[string]any{}, []gavel.Call{}
	for line := range strings.Lines(string(text)) {
		var a struct {
			ID, Command, Class, Dialect, Model string
			Allowed                            []string `json:"allowed_bins"`
		}
		require.NoError(t, json.Unmarshal([]byte(line), &a))
		if a.Class != "wrapper" || a.Model != "any" {
			continue
		}
		programs, entries := map[string]string{}, []string{}
		for _, word := range append(strings.FieldsFunc(a.Command, func(r rune) bool { return strings.ContainsRune(" '\"|;&=", r) }), a.Allowed...) {
			programs[word] = path.Join("/usr/bin", path.Base(word))
			if path.IsAbs(word) {
				programs[word] = word
			}
		}
		for _, name := range a.Allowed {
			entries = append(entries, programs[name])
		}
		id := strings.ToLower(a.ID)
		agents[id] = map[string]any{"exec": map[string]any{"allowlist": entries}}
		calls = append(calls, gavel.Call{Agent: gavel.Agent{ID: id},
			Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": a.Command}},
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Shell: a.Dialect, Executables: programs}})
	}
	require.Greater(t, len(calls), 80)
	pdp := loaded(t, map[string]any{"agents": agents, "tools": map[string]any{"exec": map[string]any{"ask": "off"}}})
	for _, call := range calls {
		d := pdp.Decide(t.Context(), call, gavel.Options{})
		assert.Equal(t, gavel.Deny, d.Effect, "%s: %q: %+v", call.Agent.ID, call.Tool.Params["command"], d.Reasons)
		for _, reason := range d.Reasons {
			assert.Equal(t, "exec", reason.Layer, "%s is denied for what it runs: %+v", call.Agent.ID, reason)
		}
	}
}
