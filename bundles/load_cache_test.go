package bundles_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

// memoryCache is a LoadCache that saves no compiled Rego.
type memoryCache map[string]bool

func (m memoryCache) Passed(revision string) bool { return m[revision] }
func (m memoryCache) RecordPass(revision string)  { m[revision] = true }
func (memoryCache) Compiled(string) []byte        { return nil }
func (memoryCache) SaveCompiled(string, []byte)   {}

// fullCache is a LoadCache that saves compiled Rego too.
type fullCache struct {
	memoryCache
	compiled map[string][]byte
	asked    int // number of calls of Compiled
}

func newFullCache() *fullCache {
	return &fullCache{memoryCache: memoryCache{}, compiled: map[string][]byte{}}
}

func (k *fullCache) Compiled(identity string) []byte {
	k.asked++
	return k.compiled[identity]
}

func (k *fullCache) SaveCompiled(identity string, saved []byte) { k.compiled[identity] = saved }

func loadWithCache(dir string, proofs bundles.LoadCache) (*bundles.Snapshot, error) {
	cfg := shipped(dir)
	cfg.CompileCache, cfg.LoadCache = nil, proofs
	return bundles.Load(context.Background(), cfg)
}

const closesRead = `package custom.block

deny contains "no reading" if input.tool.name == "read"
`

func TestAPolicyThatWasLoadedBeforeDecidesTheSameWay(t *testing.T) {
	// The rule replaces a function with "with", for which the compiler needs types.
	const replacing = "package custom.swap\n\ntwice(x) := x * 2\n\nanswer := twice(1)\n\ndeny contains \"write\" if {\n" +
		"\tinput.tool.name == \"write\"\n\tanswer == 7 with twice as 7\n}\n"
	dir := policyDir(t, "config.yaml", plainConfig, "custom/block.rego", closesRead, "custom/swap.rego", replacing,
		"custom/block_test.rego", "package custom.block_test\n\nimport data.custom.block\n\ntest_read if count(block.deny) == 1 with input as {\"tool\": {\"name\": \"read\"}}\n")
	proofs := memoryCache{}
	first, err := loadWithCache(dir, proofs)
	require.NoError(t, err)
	require.Len(t, proofs, 1)
	again, err := loadWithCache(dir, proofs)
	require.NoError(t, err)
	assert.Equal(t, first.Revision(), again.Revision())
	for _, tool := range []string{"read", "write", "edit", "cron"} {
		one, other := decide(t, first, toolCall("main", tool)), decide(t, again, toolCall("main", tool))
		assert.Equal(t, one.Effect, other.Effect, tool)
		assert.Equal(t, one.Reasons, other.Reasons, tool)
	}
	assert.Equal(t, gavel.Deny, decide(t, again, toolCall("main", "read")).Effect)
	assert.Equal(t, gavel.Deny, decide(t, again, toolCall("main", "write")).Effect)
}

func TestARefusedPolicyIsNotRecordedAsPassed(t *testing.T) {
	fails := "package custom.block_test\n\ntest_no if false\n"
	dir := policyDir(t, "config.yaml", plainConfig, "custom/block.rego", closesRead, "custom/block_test.rego", fails)
	proofs := memoryCache{}
	_, err := loadWithCache(dir, proofs)
	require.ErrorContains(t, err, "test_no fails")
	assert.Empty(t, proofs)
}

func TestAChangedPolicyIsCheckedAgain(t *testing.T) {
	for about, file := range map[string][2]string{
		"its tests":         {"custom/block_test.rego", "package custom.block_test\n\ntest_no if false\n"},
		"its rules":         {"custom/block.rego", "package custom.block\n\ndeny contains x if some x in input.nothing\n"},
		"its configuration": {"config.yaml", "tools: {exec: {security: perhaps}}\n"},
	} {
		dir := policyDir(t, "config.yaml", plainConfig, "custom/block.rego", closesRead)
		proofs := memoryCache{}
		_, err := loadWithCache(dir, proofs)
		require.NoError(t, err)
		writeFile(t, dir+"/"+file[0], file[1])
		_, err = loadWithCache(dir, proofs)
		require.Error(t, err, about)
		assert.Len(t, proofs, 1, about)
	}
}
