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

// folder is a policy on disk, and the store that has it.
type folder struct {
	t     *testing.T
	dir   string
	store *Store
}

func openFolder(t *testing.T, files map[string]string) *folder {
	t.Helper()
	f := &folder{t: t, dir: t.TempDir()}
	for name, text := range files {
		f.write(name, text)
	}
	var err error
	f.store, err = Open(context.Background(), Config{Path: f.dir, Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	return f
}

func (f *folder) write(name, text string) {
	f.t.Helper()
	require.NoError(f.t, os.MkdirAll(filepath.Dir(filepath.Join(f.dir, name)), 0o755))
	require.NoError(f.t, os.WriteFile(filepath.Join(f.dir, name), []byte(text), 0o644))
}

func (f *folder) reload() *Snapshot {
	f.t.Helper()
	require.NoError(f.t, f.store.Reload(context.Background()))
	return f.store.current.Load()
}

func (f *folder) effect(agent, tool string) gavel.Effect {
	facts := gavel.Facts{Caller: *gavel.Trusted()}
	facts.Caller.Sessions, facts.Caller.InSession = []string{}, true
	facts.Agent.ID, facts.Tool.Name, facts.Resources = agent, tool, []gavel.Resource{}
	return f.store.Current().Decide(context.Background(), facts, false).Effect
}

func TestAChangedConfigurationKeepsTheProgram(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n", "data.yaml": "limits: {read: true}\n",
		"rules.rego": "package custom.rules\n\ndeny contains \"no\" if not data.limits[input.tool.name]\n"})
	first := f.store.current.Load()
	require.Equal(t, gavel.Allow, f.effect("main", "read"))

	f.write("config.yaml", "tools: {deny: [read]}\nagents: {main: {}}\n")
	second := f.reload()
	assert.Same(t, first.program, second.program, "only the configuration differs")
	assert.NotEqual(t, first.revision, second.revision)
	assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new configuration holds")

	f.write("config.yaml", "agents: {main: {}}\n")
	f.write("data.yaml", "limits: {read: false}\n")
	third := f.reload()
	assert.NotSame(t, second.program, third.program, "data are the program's")
	assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new data hold")

	f.write("rules.rego", "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"write\"\n")
	fourth := f.reload()
	assert.NotSame(t, third.program, fourth.program, "Rego is the program's")
	assert.Equal(t, gavel.Allow, f.effect("main", "read"))
	assert.Equal(t, gavel.Deny, f.effect("main", "write"), "the new Rego holds")

	f.write("config.yaml", "tools: 5\n")
	require.Error(t, f.store.Reload(context.Background()))
	f.write("config.yaml", "agents: {main: {}} # corrected\n")
	assert.Same(t, fourth.program, f.reload().program, "what could not be used changes nothing")
}

// A plan is made once for Rego, and bound to each configuration.
func TestAChangedConfigurationPlansNothing(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n", "rules.rego": "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"write\"\n"})
	first := f.store.current.Load()
	first.Compile()
	require.Equal(t, gavel.Allow, f.effect("main", "read"))
	before := maps.Clone(first.plans.programs)
	require.NotEmpty(t, before)

	for n := range 3 {
		f.write("config.yaml", fmt.Sprintf("tools: {deny: [read]}\nagents: {main: {}} # %d\n", n))
		next := f.reload()
		assert.True(t, next.plans.ready.Load(), "nothing waits for a plan")
		assert.NotSame(t, first.compiled(queryResult), next.compiled(queryResult), "the data are others")
		for query, program := range before {
			assert.Same(t, program, next.plans.programs[query], query)
		}
		assert.Equal(t, gavel.Deny, f.effect("main", "read"), "the new configuration holds")
	}

	f.write("rules.rego", "package custom.rules\n\ndeny contains \"no\" if input.tool.name == \"edit\"\n")
	next := f.reload()
	assert.True(t, next.plans.ready.Load(), "a policy that replaces another is compiled before it is in force")
	assert.NotSame(t, before[queryResult], next.plans.programs[queryResult], "other Rego has another plan")
}

func TestAConfigurationThatMovesIntoDataIsRead(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n"})
	require.NoError(t, os.Remove(filepath.Join(f.dir, "config.yaml")))
	f.write("data.json", `{"config": {"tools": {"deny": ["read"]}, "agents": {"main": {}}}}`)
	f.reload()
	assert.Equal(t, gavel.Deny, f.effect("main", "read"))

	f.write("data.json", `{"config": {"tools": {"deny": ["write"]}, "agents": {"main": {}}}}`)
	f.reload()
	assert.Equal(t, gavel.Allow, f.effect("main", "read"))
	assert.Equal(t, gavel.Deny, f.effect("main", "write"))

	f.write("config.yaml", "agents: {main: {}}\n")
	require.Error(t, f.store.Reload(context.Background()), "two configurations are one too many")
}

func TestThePolicysOwnTestsSeeTheNewConfiguration(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n",
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
	f := openFolder(t, map[string]string{"config.yaml": "agents: {one: {}, two: {}}\n"})
	var after *Snapshot
	for n := 0; after == nil || after.contexts.cache.Len() < 2; n++ { // there is a limit, and machines stall
		require.Equal(t, gavel.Allow, f.effect("one", "read"))
		f.effect("two", "no core tool")
		f.write("config.yaml", fmt.Sprintf("agents: {one: {}, two: {tools: {deny: [read]}}} # %d\n", n))
		after = f.reload()
		require.Less(t, n, 1000, "no context was known before anybody asked")
	}
	assert.Equal(t, gavel.Deny, f.effect("two", "read"), "by the new configuration")
	assert.Equal(t, gavel.Allow, f.effect("one", "read"))
	assert.Equal(t, 3, after.contexts.cache.Len(), "the known ones are met; two was asked for no core tool before")
}

func TestPreparingContextsStopsAtItsTimeLimit(t *testing.T) {
	t.Parallel()
	f := openFolder(t, map[string]string{"config.yaml": "agents: {main: {}}\n"})
	require.Equal(t, gavel.Allow, f.effect("main", "read"))
	before := f.store.current.Load()
	f.write("config.yaml", "agents: {main: {}, other: {}}\n")
	after, err := load(context.Background(), f.store.cfg, before)
	require.NoError(t, err)
	over, stop := context.WithCancel(context.Background())
	stop()
	after.warm(over, before)
	assert.Zero(t, after.contexts.cache.Len())
	after.warm(context.Background(), before)
	assert.Equal(t, 1, after.contexts.cache.Len())
}

// What a context was made of is kept for the next policy, and the caller may do what it
// likes with what it brought.
func TestAContextKeepsItsOwnFacts(t *testing.T) {
	t.Parallel()
	facts := gavel.Facts{Plugins: map[string][]string{"p": {"one"}}}
	facts.Agent.Parents, facts.Group.IDs = []gavel.ParentFacts{{ID: "above"}}, []string{"g"}
	kept := contextFacts(&facts, facts.Sender)
	before := new(contexts).key(&kept, &kept.Sender, "tool")
	require.Equal(t, new(contexts).key(&facts, &facts.Sender, "tool"), before)
	facts.Plugins["p"][0], facts.Agent.Parents[0].ID, facts.Group.IDs[0] = "changed", "changed", "changed"
	facts.Plugins["q"] = nil
	assert.Equal(t, before, new(contexts).key(&kept, &kept.Sender, "tool"))
}

// A start leaves the compiler's checks out for what is shipped. They find nothing there,
// and leave every rule as it is.
func TestTheSkippedChecksFindNothingInTheShippedRego(t *testing.T) {
	t.Parallel()
	cfg := Config{Builtin: rego.Policy, FactsSchema: rego.FactsSchema}
	compiled := func(skipped ...ast.StageID) *ast.Compiler {
		builtin, err := builtinFiles(cfg)
		require.NoError(t, err)
		root, err := parse(builtin, "built-in", 2)
		require.NoError(t, err)
		modules := map[string]*ast.Module{}
		for _, file := range root.Modules {
			modules[file.Path] = file.Parsed
		}
		compiler, err := compileModules(cfg, modules, skipped...)
		require.NoError(t, err)
		return compiler
	}
	all, some := compiled(), compiled(checks()...)
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
