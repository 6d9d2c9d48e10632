package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// warned returns which entries gavel check warns about, when they are others.
func warned(t *testing.T, c referenceCase) string {
	t.Helper()
	problems, warnings := checked(t, map[string]any{"tools": map[string]any{"exec": map[string]any{"safeBins": c.Input.Entries}}, "agents": map[string]any{"main": map[string]any{}}})
	if len(problems) > 0 {
		return problems[0]
	}
	var names []string
	for _, warning := range warnings {
		names = append(names, strings.Split(warning, `"`)[1])
	}
	return effectIf(sameNames(names, c.Expect.Bins), "", fmt.Sprint(names))
}

// configured answers what a configuration of safe bins comes to: every safe bin of
// the expectation is one, in every directory, and one that is not expected is none.
func configured(t *testing.T, c referenceCase) ([]probe, string) {
	t.Helper()
	exec := execSettings(nil)
	delete(exec, "safeBins")
	global := map[string]any{"exec": c.Input.Global}
	problems, _ := checked(t, map[string]any{"tools": global})
	if len(problems) > 0 {
		return nil, problems[0]
	}
	// Each probe has its own agent; what is for everybody stands there first.
	maps.Copy(exec, c.Input.Global)
	for key, value := range c.Input.Agent {
		if key == "safeBinTrustedDirs" {
			value = append(slices.Clone(exec[key].([]any)), value.([]any)...)
		}
		exec[key] = value
	}
	var probes []probe
	for _, name := range []string{"cut", "head", "jq", "sort", "tail", "tr", "uniq", "wc"} {
		command := map[string]string{"tr": "tr a", "jq": "jq ."}[name]
		if command == "" {
			command = name
		}
		for _, dir := range append([]string{"/tmp"}, c.Expect.TrustedDirs...) {
			safe := slices.Contains(c.Expect.SafeBins, name) && dir != "/tmp"
			probes = append(probes, probe{exec: exec, command: command, executables: map[string]string{name: dir + "/" + name}, want: effectIf(safe, "allow", "ask")})
		}
	}
	return probes, ""
}

// checked returns what gavel check says of a configuration.
func checked(t *testing.T, config map[string]any) (problems, warnings []string) {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	app, stdout, _ := testApp("")
	app.run(t.Context(), []string{"check", "--output", "json", file})
	var report checkReport
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	for _, p := range report.Problems {
		problems = append(problems, p.Path+": "+p.Message)
	}
	for _, p := range report.Warnings {
		warnings = append(warnings, p.Message)
	}
	return problems, warnings
}

// execSettings are those of an agent on the gateway in allowlist mode, with changes.
func execSettings(changes map[string]any) map[string]any {
	exec := map[string]any{"host": "gateway", "security": "allowlist", "ask": "on-miss", "fullAskOnMiss": "never"}
	maps.Copy(exec, changes)
	return exec
}

// exec are the settings of a case. A node is one that the configuration names.
func (c referenceCase) exec() map[string]any {
	in := c.Input
	exec := execSettings(map[string]any{"security": in.Security, "ask": in.Ask, "strictInlineEval": in.Strict})
	if in.Host == "node" {
		exec["host"], exec["node"] = "node", "n1"
	}
	for _, entry := range in.Allowlist {
		// The reference accepts any argument of what is listed.
		entries, _ := exec["allowlist"].([]any)
		exec["allowlist"] = append(entries, map[string]any{"pattern": entry["pattern"], "args": "any"})
	}
	if list, ok := in.SafeBins.([]any); ok {
		exec["safeBins"] = list
	}
	if len(in.SafeBinProfiles) > 0 {
		exec["safeBinProfiles"] = in.SafeBinProfiles
	}
	return exec
}
