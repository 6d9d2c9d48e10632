package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// maxRefused returns how many of a list of everyday commands may be refused: one in twenty.
func maxRefused(list []wanted) int { return len(list) / 20 }

// With every pack, at most one in twenty of the commands of another list is refused. Each of these
// is listed with the reason, and only these. On a machine that a gateway claims, where nobody can look at
// files, three more are: these are allowed in a workspace of this machine.
func TestStarterRefusesCommandsOfAnotherListOnlyForAReason(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "policy")
	a, _, _ := testApp("")
	a.evaluator = ofMany()
	require.NoError(t, a.writeStarter(dir, "claude-code"))
	config := filepath.Join(dir, "config.yaml")
	text, err := os.ReadFile(config)
	require.NoError(t, err)
	all := strings.Replace(string(text), "# - cloud-read", "- cloud-read", 1)
	require.NotEqual(t, string(text), all, "the pack that is off by default is switched on")
	require.NoError(t, os.WriteFile(config, []byte(all), 0o600))
	pdp, err := a.load(t.Context(), dir)
	require.NoError(t, err)

	want := map[string]string{}
	var here []wanted
	for _, row := range jsonLines[wanted](t, filepath.Join("testdata", "starter", "refused.jsonl")) {
		require.NotEmpty(t, row.Why, row.Command)
		want[row.Command] = row.Want
		if row.Here != "" {
			row.Want = row.Here
			here = append(here, row)
		}
	}
	list := jsonLines[wanted](t, filepath.Join("..", "..", "analyzer", "testdata", "benign.jsonl"))
	decisions := pdp.DecideAll(t.Context(), asCalls("claude-code", list), gavel.Options{})
	refused := map[string]string{}
	for i, d := range decisions {
		if d.Effect != gavel.Allow {
			refused[list[i].Command] = d.Effect.String()
		}
	}
	assert.Equal(t, want, refused)
	logShares(t, "benign.jsonl, with every pack, where nobody can look at files", decisions)
	allowed := 0
	for _, d := range compareDecisions(t, loopRepository(t), here) {
		if d.Effect == gavel.Allow {
			allowed++
		}
	}
	left := len(refused) - allowed
	t.Logf("benign.jsonl, with every pack, in a workspace of this machine: %d of %d refused (%.1f %%)", left, len(list), 100*float64(left)/float64(len(list)))
	assert.LessOrEqual(t, left, maxRefused(list))
}

// loopRepository returns a repository with the files that the loops of the list name.
func loopRepository(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for name, text := range map[string]string{"run.sh": "ls\n", "a.go": "package a\n", "files.txt": "a.go\nrun.sh\n"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}} {
		cmd := exec.CommandContext(t.Context(), "git", args...)
		cmd.Dir = root
		require.NoError(t, cmd.Run())
	}
	return root
}
