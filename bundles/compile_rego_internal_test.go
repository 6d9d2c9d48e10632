package bundles

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/rego"
)

// openPolicy is a policy directory and the store that has loaded it.
type openPolicy struct {
	t     *testing.T
	dir   string
	store *Store
}

func openPolicyDir(t *testing.T, files map[string]string) *openPolicy {
	t.Helper()
	f := &openPolicy{t: t, dir: t.TempDir()}
	for name, text := range files {
		f.write(name, text)
	}
	var err error
	f.store, err = Open(context.Background(), Config{Path: f.dir, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	return f
}

func (f *openPolicy) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.MkdirAll(filepath.Dir(filepath.Join(f.dir, name)), 0o755))
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

func (f *openPolicy) reload() *Snapshot {
	f.t.Helper()
	require.NoError(f.t, f.store.Reload(context.Background()))
	return f.store.current.Load()
}

func (f *openPolicy) effect(agent, tool string) gavel.Effect {
	facts := gavel.Facts{Caller: *gavel.Trusted()}
	facts.Caller.Sessions, facts.Caller.InSession = []string{}, true
	facts.Agent.ID, facts.Tool.Name, facts.Resources = agent, tool, []gavel.Resource{}
	return f.store.Current().Decide(context.Background(), facts, false).Effect
}

func TestAChangedConfigurationKeepsTheCompiledRego(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {main: {}}\n", "data.yaml": "limits: {read: true}\n",
		"rules.rego": "package custom.rules\n\ndeny contains \"no\" if not data.limits[input.tool.name]\n"})
	first := f.store.current.Load()
	require.Equal(t, gavel.Allow, f.effect("main", "read"))

	f.write("config.yaml", "tools: {deny: [read]}\nagents: {main: {}}\n")
	second := f.reload()
	assert.Same(t, first.compiledRego, second.compiledRego, "only the configuration differs")
	assert.NotEqual(t, first.revision, second.revision)
	assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new configuration holds")

	f.write("config.yaml", "agents: {main: {}}\n")
	f.write("data.yaml", "limits: {read: false}\n")
	third := f.reload()
	assert.NotSame(t, second.compiledRego, third.compiledRego, "data is part of the compiled Rego")
	assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new data holds")

	f.write("rules.rego", "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"write\"\n")
	fourth := f.reload()
	assert.NotSame(t, third.compiledRego, fourth.compiledRego, "so is Rego")
	assert.Equal(t, gavel.Allow, f.effect("main", "read"))
	assert.Equal(t, gavel.Deny, f.effect("main", "write"), "the new Rego holds")

	f.write("config.yaml", "tools: 5\n")
	require.Error(t, f.store.Reload(context.Background()))
	f.write("config.yaml", "agents: {main: {}} # corrected\n")
	assert.Same(t, fourth.compiledRego, f.reload().compiledRego, "a policy that could not be used changes nothing")
}

// Plans are compiled once for the same Rego, and bound to each configuration.
func TestAChangedConfigurationKeepsTheCompiledPlans(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {main: {}}\n", "rules.rego": "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"write\"\n"})
	first := f.store.current.Load()
	first.Compile()
	require.Equal(t, gavel.Allow, f.effect("main", "read"))
	before := maps.Clone(first.plans.programs)
	require.NotEmpty(t, before)

	for n := range 3 {
		f.write("config.yaml", fmt.Sprintf("tools: {deny: [read]}\nagents: {main: {}} # %d\n", n))
		next := f.reload()
		assert.True(t, next.plans.ready.Load(), "no plan has to be compiled")
		assert.NotSame(t, first.instance(queryResult), next.instance(queryResult), "the data is different")
		for query, program := range before {
			assert.Same(t, program, next.plans.programs[query], query)
		}
		assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new configuration holds")
	}

	f.write("rules.rego", "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"edit\"\n")
	next := f.reload()
	assert.True(t, next.plans.ready.Load(), "a new policy is compiled before it is in force")
	assert.NotSame(t, before[queryResult], next.plans.programs[queryResult], "different Rego has a different plan")
}

func TestAConfigurationThatMovesIntoDataIsRead(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {main: {}}\n"})
	require.NoError(t, os.Remove(filepath.Join(f.dir, "config.yaml")))
	f.write("data.json", `{"config": {"tools": {"deny": ["read"]}, "agents": {"main": {}}}}`)
	f.reload()
	assert.Equal(t, gavel.Deny, f.effect("main", "read"))

	f.write("data.json", `{"config": {"tools": {"deny": ["write"]}, "agents": {"main": {}}}}`)
	f.reload()
	assert.Equal(t, gavel.Allow, f.effect("main", "read"))
	assert.Equal(t, gavel.Deny, f.effect("main", "write"))

	f.write("config.yaml", "agents: {main: {}}\n")
	require.Error(t, f.store.Reload(context.Background()), "there are two configurations")
}

func TestThePolicysOwnTestsSeeTheNewConfiguration(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {main: {}}\n",
		"own_test.rego": "package custom.own_test\n\ntest_nothing_is_denied if not data.config.tools.deny\n"})
	f.write("config.yaml", "tools: {deny: [read]}\nagents: {main: {}}\n")
	require.ErrorContains(t, f.store.Reload(context.Background()), "test_nothing_is_denied")
	assert.Equal(t, gavel.Allow, f.effect("main", "read"), "the last good policy stays")

	f.write("config.yaml", "tools: {deny: []}\nagents: {main: {}}\n")
	require.ErrorContains(t, f.store.Reload(context.Background()), "test_nothing_is_denied", "an empty list is a list")
	f.write("config.yaml", "tools: {profile: full}\nagents: {main: {}}\n")
	f.reload()
}

func TestANewPolicyIsPreparedForTheContextsOfTheOldOne(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {one: {}, two: {}}\n"})
	var after *Snapshot
	for n := 0; after == nil || after.frozenParts.cache.Len() < 2; n++ { // warm has a time limit, which a slow machine may exceed
		require.Equal(t, gavel.Allow, f.effect("one", "read"))
		f.effect("two", "no core tool")
		f.write("config.yaml", fmt.Sprintf("agents: {one: {}, two: {tools: {deny: [read]}}} # %d\n", n))
		after = f.reload()
		require.Less(t, n, 1000, "no context was computed in advance")
	}
	assert.Equal(t, gavel.Deny, f.effect("two", "read"), "by the new configuration")
	assert.Equal(t, gavel.Allow, f.effect("one", "read"))
	assert.Equal(t, 3, after.frozenParts.cache.Len(), "two contexts were computed in advance; the third is new, because two had not called read")
}

func TestPreparingForContextsEndsInTime(t *testing.T) {
	t.Parallel()
	f := openPolicyDir(t, map[string]string{"config.yaml": "agents: {main: {}}\n"})
	require.Equal(t, gavel.Allow, f.effect("main", "read"))
	before := f.store.current.Load()
	f.write("config.yaml", "agents: {main: {}, other: {}}\n")
	after, err := load(context.Background(), f.store.cfg, before)
	require.NoError(t, err)
	over, stop := context.WithCancel(context.Background())
	stop()
	after.warm(over, before)
	assert.Zero(t, after.frozenParts.cache.Len())
	after.warm(context.Background(), before)
	assert.Equal(t, 1, after.frozenParts.cache.Len())
}

// A cached context keeps its facts for the next snapshot. The caller may change its own facts.
func TestACachedContextSharesNoMemoryWithTheCall(t *testing.T) {
	t.Parallel()
	facts := gavel.Facts{Plugins: map[string][]string{"p": {"one"}}}
	facts.Agent.Parents, facts.Group.IDs = []gavel.ParentFacts{{ID: "above"}}, []string{"g"}
	kept := contextFacts(&facts, facts.Sender)
	before := new(frozenCache).key(&kept, &kept.Sender, "tool")
	require.Equal(t, new(frozenCache).key(&facts, &facts.Sender, "tool"), before)
	facts.Plugins["p"][0], facts.Agent.Parents[0].ID, facts.Group.IDs[0] = "changed", "changed", "changed"
	facts.Plugins["q"] = nil
	assert.Equal(t, before, new(frozenCache).key(&kept, &kept.Sender, "tool"))
}

// Gavel skips checks of the compiler for the shipped Rego. They must find nothing there, and must
// not change any rule.
func TestTheSkippedChecksFindNothingInTheShippedRego(t *testing.T) {
	t.Parallel()
	cfg := Config{Builtin: rego.Policy, FactsSchema: rego.FactsSchema}
	compiled := func(skipped ...ast.StageID) *ast.Compiler {
		builtin, err := builtinFiles(cfg)
		require.NoError(t, err)
		root, err := parseBundle(builtin, "built-in", 2)
		require.NoError(t, err)
		modules := map[string]*ast.Module{}
		for _, file := range root.Modules {
			modules[file.Path] = file.Parsed
		}
		compiler, err := compileModules(cfg, modules, skipped...)
		require.NoError(t, err)
		return compiler
	}
	all, some := compiled(), compiled(checkStages()...)
	require.Len(t, some.Modules, len(all.Modules))
	for name, module := range all.Modules {
		assert.Equal(t, module.String(), some.Modules[name].String(), name)
		ast.WalkWiths(module, func(with *ast.With) bool {
			ref, _ := with.Target.Value.(ast.Ref)
			assert.True(t, ref.HasPrefix(ast.InputRootRef), "%s: types are needed for a with that replaces anything but input", with.Location)
			return true
		})
	}
}
