package bundles

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/rego"
)

// Tests depend only on the policy, so loads with a common CompileCache run them once.
func TestTestsThatPassedAreNotRunAgain(t *testing.T) {
	t.Parallel()
	programs, err := NewCompileCache()
	require.NoError(t, err)
	f := &openPolicy{t: t, dir: t.TempDir()}
	f.write("config.yaml", "agents: {defaults: {}}\ntools: {allow: [read]}\n")
	f.write("custom/a.rego", "package custom\n\ndeny contains \"no\" if input.tool.name == \"write\"\n")
	f.write("custom/a_test.rego", "package custom_test\n\nimport data.custom\n\ntest_a if count(custom.deny) == 0 with input as {}\n\ntest_b if data.config.tools.allow == [\"read\"]\n")
	cfg := Config{Path: f.dir, CompileCache: programs, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now}
	first, err := Load(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 2, first.Notes().Tests)
	passed, known := programs.passedTests(first.Revision())
	assert.True(t, known)
	assert.Equal(t, 2, passed)
	programs.recordPass(first.Revision(), 7)
	again, err := Load(t.Context(), cfg)
	require.NoError(t, err)
	assert.Equal(t, 7, again.Notes().Tests, "what is remembered counts")

	f.write("config.yaml", "agents: {defaults: {}}\ntools: {allow: [edit]}\n")
	for range 2 {
		_, err = Load(t.Context(), cfg)
		require.ErrorContains(t, err, "test_b", "another configuration is tested, and a failure is not forgotten")
	}
	report, err := Test(t.Context(), cfg)
	require.NoError(t, err)
	require.Len(t, report.Tests, 2)
	_, err = Load(t.Context(), cfg)
	require.ErrorContains(t, err, "test_b", "a run with failures does not pass")
}
