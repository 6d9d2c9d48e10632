package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles"
)

// A policy of gavel init is evaluated by the compiled policy, with nothing left to topdown.
func TestTheStartersAreCompiled(t *testing.T) {
	t.Parallel()
	for _, host := range []string{"", "claude-code"} {
		dir := filepath.Join(t.TempDir(), "policy")
		a, _, _ := testApp("")
		require.NoError(t, a.writeStarter(dir, host), host)
		s, err := bundles.Load(t.Context(), a.source(dir, nil))
		require.NoError(t, err, host)
		s.Compile()
		evaluator, left := s.ActiveEvaluator()
		assert.Equal(t, "compiled", evaluator, host)
		assert.Empty(t, left, host)
	}
}
