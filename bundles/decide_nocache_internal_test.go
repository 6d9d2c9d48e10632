package bundles

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	shipped "gavel/rego"
)

func TestWithNoCacheEveryCallIsEvaluatedOnce(t *testing.T) {
	t.Parallel()
	programs, err := NewCompileCache()
	require.NoError(t, err)
	for forgets, want := range map[bool][2]uint64{true: {0, 3}, false: {2, 1}} {
		s, err := Load(context.Background(), Config{CompileCache: programs, Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
			FactsSchema: shipped.FactsSchema, Default: shipped.DefaultConfig, Now: time.Now, NoCache: forgets})
		require.NoError(t, err)
		for range 3 {
			s.Decide(context.Background(), gavel.Facts{Tool: gavel.ToolFacts{Name: "read"}}, false)
		}
		assert.Equal(t, want, [2]uint64{s.results.counters.cached.Load(), s.results.counters.evaluated.Load()}, "forgets: %t", forgets)
	}
}
