package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// warnedPaths runs gavel check over a configuration and returns the paths that it warns about.
func warnedPaths(t *testing.T, text string) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	a, stdout, stderr := testApp("")
	require.Zero(t, a.run(context.Background(), []string{"check", "--output", "json", file}), stderr.String())
	var report checkReport
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &report))
	paths := []string{}
	for _, w := range report.Warnings {
		if !strings.HasPrefix(w.Message, "there is no ") { // which depends on the machine
			paths = append(paths, w.Path)
		}
	}
	return paths
}

func TestFinding44CheckWarnsAboutBroadPolicies(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Symlink("/usr/bin/env", filepath.Join(dir, "rg")))
	const agents = "\nagents: {main: {tools: {write: {allow: [\"./**\"]}}}}\n"
	for name, tc := range map[string]struct {
		config string
		want   []string
	}{
		"a program that the tables know":        {"tools: {exec: {allowlist: [/usr/bin/rg]}}" + agents, []string{}},
		"a program that they do not know":       {"tools: {exec: {allowlist: [/opt/x/frobnicate]}}" + agents, []string{"tools.exec.allowlist[0]"}},
		"the same with its arguments listed":    {"tools: {exec: {allowlist: [{pattern: /opt/x/frobnicate, args: [-x]}]}}" + agents, []string{}},
		"git with an option that runs programs": {"tools: {exec: {allowlist: [{pattern: /usr/bin/git, args: [-c]}]}}" + agents, []string{"tools.exec.allowlist[0]"}},
		"git with an option that writes":        {"tools: {exec: {allowlist: [{pattern: /usr/bin/git, args: [--output]}]}}" + agents, []string{}},
		"every program of every directory":      {"tools: {exec: {allowlist: [/**]}}" + agents, []string{"tools.exec.allowlist[0]"}},
		"python with any argument":              {"tools: {exec: {allowlist: [{pattern: /opt/python3, args: any}]}}" + agents, []string{"tools.exec.allowlist[0]"}},
		"full, and nobody is asked":             {"tools: {exec: {security: full, ask: \"off\"}}" + agents, []string{"tools.exec.security"}},
		"files that may be written without end": {"tools: {read: {allow: [\"./**\"]}}\nagents: {main: {}}\n", []string{"tools.write"}},
		"a list of every file":                  {"tools: {write: {allow: [\"/**\"]}}\nagents: {main: {}}\n", []string{"tools.write.allow[0]"}},
		"an agent that has no tool to write":    {"tools: {read: {allow: [\"./**\"]}}\nagents: {main: {profile: minimal}}\n", []string{}},
		"a list of files for everybody":         {"tools: {write: {allow: [\"./**\"]}}\nagents: {main: {}}\n", []string{}},
		"an entry of an agent that is a link":   {"agents: {main: {tools: {write: {allow: [\"./**\"]}}, exec: {allowlist: [" + dir + "/rg]}}}\n", []string{"agents.main.exec.allowlist[0]", "agents.main.exec.allowlist[0]"}},
	} {
		assert.Equal(t, tc.want, warnedPaths(t, tc.config), name)
	}
}
