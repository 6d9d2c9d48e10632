package bundles_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestCustomRegoCanOnlyTighten(t *testing.T) {
	objections := map[string]struct{ rule, effect, code, message string }{
		"a reason as an object": {`deny contains {"code": "custom.no", "message": "not today", "fix": "wait"} if input.tool.name == "read"`,
			"deny", "custom.no", "not today"},
		"a reason as text":    {`deny contains "not today" if input.tool.name == "read"`, "deny", "custom.block.objection", "not today"},
		"a deny that is true": {`deny if input.tool.name == "read"`, "deny", "custom.block.objection", "a custom rule objects"},
		"an ask":              {`ask contains "sure?" if input.tool.params.path == "x"`, "ask", "custom.block.objection", "sure?"},
		"a permit":            {`permit if true`, "allow", "tools.allowed", ""},
		"an empty deny":       {`deny contains "x" if false`, "allow", "tools.allowed", ""},
		"a rule that fails":   {`deny contains "x" if 1 / count([]) == 1`, "deny", gavel.CodePolicyError, ""},
	}
	for about, c := range objections {
		t.Run(about, func(t *testing.T) {
			t.Parallel()
			s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/block.rego", "package custom.block\n\n"+c.rule+"\n"))
			d := decide(t, s, `{"agent":{"id":"main"},"tool":{"name":"read","params":{"path":"x"}}}`)
			assert.Equal(t, c.effect, d.Effect.String())
			require.NotEmpty(t, d.Reasons)
			assert.Equal(t, c.code, d.Reasons[0].Code)
			if c.message != "" {
				assert.Equal(t, c.message, d.Reasons[0].Message)
			}
		})
	}
}

func TestCustomRegoCannotAllowWhatALayerDenies(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", "tools: {deny: [read]}\nagents: {main: {}}\n",
		"custom/open.rego", "package custom.open\n\nallow := true\n\npermit := true\n\neffect := \"allow\"\n"))
	assert.Equal(t, gavel.Deny, decide(t, s, toolCall("main", "read")).Effect)
}

func TestCustomPackagesAreFoundAtEveryDocumentedDepth(t *testing.T) {
	for _, name := range []string{"custom", "custom.a", "custom.a.b", "custom.a.b.c"} {
		s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego", "package "+name+"\n\ndeny contains \"x\"\n"))
		assert.Equal(t, gavel.Deny, decide(t, s, toolCall("main", "read")).Effect, name)
	}
}

func TestDataOfThePolicyReachesItsRules(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", plainConfig, "data.yaml", "closed: [read]\n",
		"custom/x.rego", "package custom.x\n\ndeny contains \"closed\" if input.tool.name in data.closed\n"))
	assert.Equal(t, gavel.Deny, decide(t, s, toolCall("main", "read")).Effect)
	assert.Equal(t, gavel.Allow, decide(t, s, toolCall("main", "edit")).Effect)
}

func TestAPolicyCanReplaceTheGavelRoot(t *testing.T) {
	dir := policyDir(t, "config.yaml", "{}")
	require.NoError(t, os.CopyFS(dir, os.DirFS("../rego")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "checks")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, "default")))
	for _, name := range testFiles(t, dir) {
		require.NoError(t, os.Remove(name))
	}
	writeFile(t, filepath.Join(dir, "config.yaml"), plainConfig)
	assert.Equal(t, gavel.Allow, decide(t, load(t, dir), toolCall("main", "read")).Effect)
	// A change to the catalog of the copy has an effect, so the copy decides.
	catalog := filepath.Join(dir, "gavel", "catalog", "data.yaml")
	text, err := os.ReadFile(catalog)
	require.NoError(t, err)
	writeFile(t, catalog, strings.Replace(string(text), "default_profile: full", "default_profile: minimal", 1))
	writeFile(t, filepath.Join(dir, "config.yaml"), "agents: {main: {}}\n")
	assert.Equal(t, gavel.Deny, decide(t, load(t, dir), toolCall("main", "read")).Effect)
}
