package bundles_test

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

func TestOverridesSurviveAReload(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	plain := load(t, dir)
	cfg := shipped(dir)
	cfg.Overrides = bundles.Overrides{Deny: []bundles.Override{{Value: "read", Source: "--deny-tool"}},
		Settings: map[string]bundles.Override{"ask": {Value: "always", Source: "OC_EXEC_ASK"}}}
	store, err := bundles.Open(context.Background(), cfg)
	require.NoError(t, err)
	first := store.Current().Revision()
	assert.NotEqual(t, plain.Revision(), first)
	assert.Equal(t, []string{"OC_EXEC_ASK always", "--deny-tool read"}, store.Status().Overrides)
	assert.Equal(t, gavel.Allow, decide(t, plain, toolCall("main", "read")).Effect)

	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig+"# changed\n")
	require.NoError(t, store.Reload(context.Background()))
	assert.NotEqual(t, first, store.Current().Revision())
	snapshot, ok := store.Current().(*bundles.Snapshot)
	require.True(t, ok)
	denied := decide(t, snapshot, toolCall("main", "read"))
	assert.Equal(t, []string{"tools.denied"}, codes(denied))
	assert.Equal(t, "--deny-tool", denied.Reasons[0].Source.Path)
	assert.Equal(t, []string{"OC_EXEC_ASK always", "--deny-tool read"}, store.Status().Overrides)
}

func TestOverridesChangeTheRevision(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig)
	seen := map[string]bool{load(t, dir).Revision(): true}
	for _, given := range []bundles.Overrides{
		{Allow: []bundles.Override{{Value: "tts", Source: "--allow-tool"}}},
		{Deny: []bundles.Override{{Value: "tts", Source: "--deny-tool"}}},
		{Settings: map[string]bundles.Override{"ask": {Value: "always", Source: "--exec-ask"}}},
		{Settings: map[string]bundles.Override{"ask": {Value: "off", Source: "--exec-ask"}}},
	} {
		cfg := shipped(dir)
		cfg.Overrides = given
		snapshot, err := bundles.Load(context.Background(), cfg)
		require.NoError(t, err)
		assert.False(t, seen[snapshot.Revision()], "%v", given.Text())
		seen[snapshot.Revision()] = true
	}
}
