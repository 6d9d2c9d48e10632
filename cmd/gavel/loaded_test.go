package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
)

// loaded is a decision point for a configuration.
func loaded(t *testing.T, config map[string]any) *gavel.PDP {
	t.Helper()
	pdp, err := loading(t, config)
	require.NoError(t, err)
	return pdp
}

// loading is loaded for a configuration that may be refused.
func loading(t *testing.T, config map[string]any) (*gavel.PDP, error) {
	t.Helper()
	text, err := json.Marshal(config)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "config.json")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	a, _, _ := testApp("")
	a.evaluator = ofMany()
	return a.load(t.Context(), file)
}

// ofMany is the evaluator of tests that decide whole corpora: the compiled policy, and with
// make test-all topdown beside it, which takes five times as long.
func ofMany() bundles.Evaluator {
	if cases.All() {
		return bundles.Both
	}
	return bundles.Compiled
}

// decisionLog is the decision log of a state directory.
func decisionLog(t *testing.T, state string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(state, "decisions.jsonl"))
	require.NoError(t, err)
	return string(text)
}
