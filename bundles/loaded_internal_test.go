package bundles

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	shipped "gavel/rego"
)

// loadedAlone loads the shipped policy, with what else cfg says, and programs that it shares
// with nobody.
func loadUncached(t testing.TB, cfg Config) *Snapshot {
	t.Helper()
	programs, err := NewCompileCache()
	require.NoError(t, err)
	cfg.CompileCache, cfg.Builtin, cfg.ConfigSchema = programs, shipped.Policy, shipped.ConfigSchema
	cfg.FactsSchema, cfg.Default, cfg.Now = shipped.FactsSchema, shipped.DefaultConfig, time.Now
	s, err := Load(context.Background(), cfg)
	require.NoError(t, err)
	return s
}
