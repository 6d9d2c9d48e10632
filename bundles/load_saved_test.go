package bundles_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

// loadAndSave loads a policy as a new process would, and saves its compiled Rego.
func loadAndSave(t *testing.T, dir string, proofs bundles.LoadCache) *bundles.Snapshot {
	t.Helper()
	cfg := shipped(dir)
	cfg.CompileCache, cfg.LoadCache, cfg.Evaluator = nil, proofs, bundles.Compiled
	s, err := bundles.Load(context.Background(), cfg)
	require.NoError(t, err)
	s.SaveCompiled()
	return s
}

// policyToSave returns a policy whose rules call a function of their own and a bounded one.
func policyToSave(t *testing.T) string {
	t.Helper()
	return policyDir(t, "config.yaml", "agents: {defaults: {}}\nsandboxing: {mode: \"off\"}\n"+
		"tools: {exec: {host: gateway, security: allowlist, ask: on-miss, allowlist: [/usr/bin/touch]}}\n",
		"data.yaml", "closed: [edit]\n",
		"custom/block.rego", "package custom.block\n\ndeny contains \"not that\" if regex.match(`^wri`, input.tool.name)\n\n"+
			"deny contains {\"code\": \"custom.closed\", \"message\": \"closed\", \"fix\": \"none\"} if _closed(input.tool.name)\n\n"+
			"_closed(name) if name in data.closed\n")
}

func TestASavedPolicyDecidesTheSameWay(t *testing.T) {
	dir, proofs := policyToSave(t), newFullCache()
	first := loadAndSave(t, dir, proofs)
	require.Len(t, proofs.compiled, 1)
	again := loadAndSave(t, dir, proofs)
	evaluator, left := again.ActiveEvaluator()
	assert.Equal(t, "compiled", evaluator, "from the first call on")
	assert.Empty(t, left)
	assert.Equal(t, first.Revision(), again.Revision())
	calls := []string{execCall("main", "touch x"), execCall("main", "rm -rf x | touch y"), execCall("other", "cat $(x)"), execCall("main", "touch x > y")}
	for _, tool := range []string{"read", "write", "edit", "cron", "web_fetch", "mcp:a/b", "nothing"} {
		calls = append(calls, toolCall("main", tool), toolCall("", tool))
	}
	effects := map[gavel.Effect]int{}
	for _, call := range calls {
		facts := factsOf(t, call)
		for _, explain := range []bool{false, true} {
			one, other := first.Decide(context.Background(), facts, explain), again.Decide(context.Background(), facts, explain)
			one.Layers, other.Layers = withoutDurations(one.Layers), withoutDurations(other.Layers)
			assert.Equal(t, one, other, "%s, explain %v", call, explain)
			effects[one.Effect]++
		}
		assert.Equal(t, first.Tools(context.Background(), facts), again.Tools(context.Background(), facts))
	}
	assert.Len(t, effects, 3, "allow, ask and deny: %v", effects)
	assert.Equal(t, first.Rules(), again.Rules())
	assert.Equal(t, first.AnalyzerSettings(), again.AnalyzerSettings())
	one, err := first.VerifierSettings(context.Background())
	require.NoError(t, err)
	other, err := again.VerifierSettings(context.Background())
	require.NoError(t, err)
	assert.Equal(t, one, other)
	facts := factsOf(t, execCall("main", "rm x"))
	change := first.Change(context.Background(), facts)
	assert.NotEmpty(t, change.Patch)
	assert.Equal(t, change, again.Change(context.Background(), facts), "the rules are compiled again when they are needed")
}

func TestDamagedSavedRegoIsNotUsed(t *testing.T) {
	dir, proofs := policyToSave(t), newFullCache()
	loadAndSave(t, dir, proofs)
	for identity, saved := range proofs.compiled {
		proofs.compiled[identity] = saved[:len(saved)/2]
	}
	again := loadAndSave(t, dir, proofs)
	evaluator, _ := again.ActiveEvaluator()
	assert.Equal(t, "topdown", evaluator)
	assert.Equal(t, gavel.Deny, decide(t, again, toolCall("main", "write")).Effect)
}

// Saved Rego has no configuration. A configuration that has changed is checked.
func TestSavedRegoProvesNothingAboutTheConfiguration(t *testing.T) {
	dir, proofs := policyToSave(t), newFullCache()
	loadAndSave(t, dir, proofs)
	writeFile(t, dir+"/config.yaml", "agents: {defaults: {}}\ntools: {exec: {security: perhaps}}\n")
	cfg := shipped(dir)
	cfg.CompileCache, cfg.LoadCache, cfg.Evaluator = nil, proofs, bundles.Compiled
	_, err := bundles.Load(context.Background(), cfg)
	assert.ErrorContains(t, err, "perhaps")
	writeFile(t, dir+"/config.yaml", "agents: {defaults: {}}\ntools: {allow: [raed]}\n")
	_, err = bundles.Load(context.Background(), cfg)
	assert.ErrorContains(t, err, "raed", "the rules about the configuration find it")
	assert.Len(t, proofs.compiled, 1)
}

func withoutDurations(layers []gavel.Layer) []gavel.Layer {
	for i := range layers {
		layers[i].Duration = 0
	}
	return layers
}
