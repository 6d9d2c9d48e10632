package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// sample is a command of a list, with the programs that are allowed.
type sample struct {
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Class   string   `json:"class"`
	Allowed []string `json:"allowed_bins"`
	Bins    []string `json:"bins"`
	Dialect string   `json:"dialect"`
	Model   string   `json:"model"`
}

// list reads the samples of a file of the analyzer's.
func list(t *testing.T, name string) []sample {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "analyzer", "testdata", name))
	require.NoError(t, err)
	defer file.Close()
	var all []sample
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		var one sample
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &one), "%s", scanner.Text())
		all = append(all, one)
	}
	require.NoError(t, scanner.Err())
	require.NotEmpty(t, all)
	return all
}

// judge decides every sample by the shipped policy. Each has an agent of its own,
// with an allowlist of exactly its programs, in /usr/bin and without a word about
// arguments.
func judge(t *testing.T, samples []sample) []gavel.Decision {
	t.Helper()
	var policy strings.Builder
	policy.WriteString("tools: {exec: {security: allowlist, ask: on-miss, host: gateway}}\nagents:\n")
	calls := make([]gavel.Call, len(samples))
	for i, c := range samples {
		executables, entries := map[string]string{}, []string{}
		for _, name := range append(c.Allowed, c.Bins...) {
			executables[name] = "/usr/bin/" + name
			entries = append(entries, fmt.Sprintf("%q", "/usr/bin/"+name))
		}
		fmt.Fprintf(&policy, "  %s: {exec: {allowlist: [%s]}}\n", strings.ToLower(c.ID), strings.Join(entries, ", "))
		calls[i] = gavel.Call{
			Agent: gavel.Agent{ID: c.ID},
			Tool:  gavel.Tool{Name: "exec", Params: map[string]any{"command": c.Command}},
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u",
				Shell: strings.TrimSuffix(c.Dialect, "5.3"), Executables: executables},
		}
	}
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(policy.String()), 0o600))
	a, _, _ := testApp("")
	pdp, err := a.load(t.Context(), dir)
	require.NoError(t, err)
	return pdp.DecideAll(t.Context(), calls, gavel.Options{})
}

// TestAttacks holds the attacks that are allowed when their programs are on the
// allowlist. They read files, or reach the network, with arguments that their
// programs are for. The list is exact, so that it changes with whatever opens or
// closes one.
func TestAttacks(t *testing.T) {
	t.Parallel()
	samples := list(t, "bypass.jsonl")
	open := []string{}
	for i, d := range judge(t, samples) {
		if d.Effect == gavel.Allow {
			open = append(open, samples[i].ID+" "+samples[i].Model+" "+samples[i].Command)
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "attacks-open.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), strings.Join(open, "\n")+"\n")
}

// TestEverydayCommands holds the everyday commands that argument hazards keep from
// being allowed, with the first reason.
func TestEverydayCommands(t *testing.T) {
	t.Parallel()
	samples := list(t, "benign.jsonl")
	missed, allowed := []string{}, 0
	for i, d := range judge(t, samples) {
		if d.Effect == gavel.Allow {
			allowed++
		}
		for _, reason := range d.Reasons {
			if reason.Code == "exec.hazard" {
				missed = append(missed, samples[i].Command+"\n\t"+reason.Message)
				break
			}
		}
	}
	want, err := os.ReadFile(filepath.Join("testdata", "everyday-missed.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), strings.Join(missed, "\n")+"\n")
	assert.Equal(t, 108, allowed)
}
