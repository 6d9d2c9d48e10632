package bundles_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

// memory is proofs in a map, without programs.
type memory map[string]bool

func (m memory) Holds(revision string) bool { return m[revision] }
func (m memory) Keep(revision string)       { m[revision] = true }
func (memory) Program(string) []byte        { return nil }
func (memory) KeepProgram(string, []byte)   {}

// keeper is proofs with programs.
type keeper struct {
	memory
	programs map[string][]byte
	asked    int // how often for a program
}

func newKeeper() *keeper { return &keeper{memory: memory{}, programs: map[string][]byte{}} }

func (k *keeper) Program(identity string) []byte {
	k.asked++
	return k.programs[identity]
}

func (k *keeper) KeepProgram(identity string, saved []byte) { k.programs[identity] = saved }

func provenLoad(dir string, proofs bundles.Proofs) (*bundles.Snapshot, error) {
	cfg := shipped(dir)
	cfg.Programs, cfg.Proofs = nil, proofs
	return bundles.Load(context.Background(), cfg)
}

const closesRead = `package custom.block

deny contains "no reading" if input.tool.name == "read"
`

func TestAPolicyThatWasLoadedBeforeDecidesAlike(t *testing.T) {
	// The rule replaces a function, for which the compiler needs types.
	const replacing = "package custom.swap\n\ntwice(x) := x * 2\n\nanswer := twice(1)\n\ndeny contains \"write\" if {\n" +
		"\tinput.tool.name == \"write\"\n\tanswer == 7 with twice as 7\n}\n"
	dir := policyDir(t, "config.yaml", plainConfig, "custom/block.rego", closesRead, "custom/swap.rego", replacing,
		"custom/block_test.rego", "package custom.block_test\n\nimport data.custom.block\n\ntest_read if count(block.deny) == 1 with input as {\"tool\": {\"name\": \"read\"}}\n")
	proofs := memory{}
	first, err := provenLoad(dir, proofs)
	require.NoError(t, err)
	require.Len(t, proofs, 1)
	again, err := provenLoad(dir, proofs)
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

func TestAPolicyThatIsRefusedIsNotRememberedAsLoaded(t *testing.T) {
	fails := "package custom.block_test\n\ntest_no if false\n"
	dir := policyDir(t, "config.yaml", plainConfig, "custom/block.rego", closesRead, "custom/block_test.rego", fails)
	proofs := memory{}
	_, err := provenLoad(dir, proofs)
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
		proofs := memory{}
		_, err := provenLoad(dir, proofs)
		require.NoError(t, err)
		writeFile(t, dir+"/"+file[0], file[1])
		_, err = provenLoad(dir, proofs)
		require.Error(t, err, about)
		assert.Len(t, proofs, 1, about)
	}
}
