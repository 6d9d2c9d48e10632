package bundles_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

func TestCompiledRegoIsSharedOnlyByPoliciesWithTheSameRego(t *testing.T) {
	t.Parallel()
	programs, err := bundles.NewCompileCache()
	require.NoError(t, err)
	const config = "tools: {allow: [%s]}\nagents: {main: {}}\n"
	objecting := func(tool string) string {
		return fmt.Sprintf("package custom.own\n\ndeny contains \"no\" if input.tool.name == %q\n", tool)
	}
	for _, c := range []struct {
		name, allow, custom string
		read, write         gavel.Effect
	}{
		{"the first configuration", "read", "", gavel.Allow, gavel.Deny},
		{"another configuration", "write", "", gavel.Deny, gavel.Allow},
		{"custom Rego", "read, write", objecting("read"), gavel.Deny, gavel.Allow},
		{"other custom Rego", "read, write", objecting("write"), gavel.Allow, gavel.Deny},
		{"no custom Rego again", "read, write", "", gavel.Allow, gavel.Allow},
		{"the same custom Rego again", "read, write", objecting("read"), gavel.Deny, gavel.Allow},
	} {
		files := []string{"config.yaml", fmt.Sprintf(config, c.allow)}
		if c.custom != "" {
			files = append(files, "own.rego", c.custom)
		}
		cfg := shipped(policyDir(t, files...))
		cfg.CompileCache = programs
		s, err := bundles.Load(t.Context(), cfg)
		require.NoError(t, err, c.name)
		assert.Equal(t, c.read, decide(t, s, toolCall("main", "read")).Effect, "read, %s", c.name)
		assert.Equal(t, c.write, decide(t, s, toolCall("main", "write")).Effect, "write, %s", c.name)
	}
}

func TestProblemsAreReportedForAPolicyWithCachedRego(t *testing.T) {
	t.Parallel()
	programs, err := bundles.NewCompileCache()
	require.NoError(t, err)
	failing := []string{"config.yaml", "agents: {main: {}}\n",
		"a_test.rego", "package custom.a_test\n\ntest_depth if data.config.agents.main.subagents.maxSpawnDepth == 2\n"}
	for _, c := range []struct {
		name, want string
		files      []string
	}{
		{"a test that fails", "test_depth", failing},
		{"the same again", "test_depth", failing},
		{"the same Rego, and a configuration that passes", "", append([]string{"config.yaml", "agents: {main: {subagents: {maxSpawnDepth: 2}}}\n"}, failing[2:]...)},
		{"the same Rego, and no configuration", "no configuration", failing[2:]},
		{"the same Rego, and a wrong configuration", "agents", append([]string{"config.yaml", "agents: 5\n"}, failing[2:]...)},
	} {
		cfg := shipped(policyDir(t, c.files...))
		cfg.CompileCache = programs
		_, err := bundles.Load(t.Context(), cfg)
		if c.want == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.ErrorContains(t, err, c.want, c.name)
	}
}

func TestPoliciesThatShareCompiledRegoCanBeUsedAtOnce(t *testing.T) {
	t.Parallel()
	programs, err := bundles.NewCompileCache()
	require.NoError(t, err)
	dirs := map[string]string{}
	for _, tool := range []string{"read", "write", "edit"} {
		dirs[tool] = policyDir(t, "config.yaml", "tools: {allow: ["+tool+"]}\nagents: {main: {}}\n")
	}
	var group sync.WaitGroup
	for range 4 {
		for tool, dir := range dirs {
			group.Go(func() {
				cfg := shipped(dir)
				cfg.CompileCache = programs
				s, err := bundles.Load(t.Context(), cfg)
				if assert.NoError(t, err) {
					assert.Equal(t, gavel.Allow, decide(t, s, toolCall("main", tool)).Effect)
					assert.Equal(t, gavel.Deny, decide(t, s, toolCall("main", "exec")).Effect)
				}
			})
		}
	}
	group.Wait()
}
