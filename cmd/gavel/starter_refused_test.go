package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// With every pack, fewer than one in ten of the commands of another list is refused. Each of these
// is listed with the reason, and only these.
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
	for _, one := range jsonLines[wanted](t, filepath.Join("testdata", "starter", "refused.jsonl")) {
		require.NotEmpty(t, one.Why, one.Command)
		want[one.Command] = one.Want
	}
	list := jsonLines[wanted](t, filepath.Join("..", "..", "analyzer", "testdata", "benign.jsonl"))
	decisions := pdp.DecideAll(t.Context(), posing("claude-code", list), gavel.Options{})
	refused := map[string]string{}
	for i, d := range decisions {
		if d.Effect != gavel.Allow {
			refused[list[i].Command] = d.Effect.String()
		}
	}
	assert.Equal(t, want, refused)
	allowed, _, _ := shares(t, "benign.jsonl, with every pack", decisions)
	assert.GreaterOrEqual(t, allowed, 0.9)
}
