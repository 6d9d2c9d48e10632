package bundles_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
)

// policyWithPathPrepend loads a policy that puts directories before PATH, for all agents but one.
func policyWithPathPrepend(t *testing.T) *bundles.Snapshot {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(`
tools: {exec: {host: gateway, pathPrepend: [~/bin, /opt/bin], allowlist: [/usr/bin/rg], security: allowlist}}
agents: {main: {}, plain: {exec: {pathPrepend: []}}, away: {exec: {host: node, node: n}}}
`), 0o600))
	s, err := bundles.Load(t.Context(), shipped(file))
	require.NoError(t, err)
	return s
}

// firstDirectories returns the directories that are searched before PATH.
func firstDirectories(s *bundles.Snapshot, facts *gavel.Facts) []string {
	return s.AnalyzerSettings().ForCall(facts.Agent.ID, cmp.Or(facts.Exec.Request.Host, facts.Session.Exec.Host), facts.Environment.Home).First
}

func TestASnapshotSaysWhereProgramsAreLookedForFirst(t *testing.T) {
	t.Parallel()
	s := policyWithPathPrepend(t)
	for agent, want := range map[string][]string{"main": {"/home/u/bin", "/opt/bin"}, "plain": nil, "away": nil, "nobody": nil} {
		facts := factsOf(t, execCall(agent, "rg"))
		if agent == "nobody" { // an unknown agent, which is denied anyway
			assert.NotContains(t, firstDirectories(s, &facts), "/usr/bin")
			continue
		}
		assert.Equal(t, want, firstDirectories(s, &facts), agent)
	}
	unknown := factsOf(t, execCall("main", "rg"))
	unknown.Environment.Home = ""
	assert.Equal(t, []string{"~/bin", "/opt/bin"}, firstDirectories(s, &unknown), "which ends every search")
	refused := factsOf(t, execCall("main", "rg"))
	refused.Exec.Request.Host = "node"
	assert.Equal(t, []string{""}, firstDirectories(s, &refused), "so does a host that is refused")
}

func TestADecisionSaysWhatToPutBeforePath(t *testing.T) {
	t.Parallel()
	s := policyWithPathPrepend(t)
	facts := factsOf(t, execCall("main", "rg"))
	facts.Environment.PathPrepend = firstDirectories(s, &facts)
	d := s.Decide(t.Context(), facts, false)
	require.Equal(t, gavel.Allow, d.Effect, "%+v", d.Reasons)
	assert.Equal(t, []string{"/home/u/bin", "/opt/bin"}, d.Exec.PathPrepend)
	d.Exec.PathPrepend[0] = "/changed"
	assert.Equal(t, "/home/u/bin", facts.Environment.PathPrepend[0], "a decision shares nothing with the facts")
}

// A cached result must not be reused for a call whose programs were looked for in other directories.
func TestADecisionDependsOnWhereProgramsWereLookedFor(t *testing.T) {
	t.Parallel()
	s := policyWithPathPrepend(t)
	facts := factsOf(t, execCall("main", "rg"))
	dirs := firstDirectories(s, &facts)
	for range 2 { // first evaluated, then from the cache
		facts.Environment.PathPrepend = dirs
		assert.Equal(t, gavel.Allow, s.Decide(t.Context(), facts, false).Effect)
		for _, other := range [][]string{nil, {}, {"/opt/bin"}, {"/opt/bin", "/home/u/bin"}, {""}} {
			facts.Environment.PathPrepend = other
			d := s.Decide(t.Context(), facts, false)
			assert.Equal(t, gavel.Deny, d.Effect, "%q", other)
			assert.Equal(t, []string{"exec.search_path"}, codes(d), "%q", other)
		}
	}
}

func TestWithoutSettingsAboutDirectoriesTheSearchIsEmpty(t *testing.T) {
	t.Parallel()
	s, err := bundles.Load(t.Context(), shipped(""))
	require.NoError(t, err)
	for _, host := range []string{"", "gateway", "node", "elsewhere"} {
		assert.Equal(t, gavel.CallSettings{}, s.AnalyzerSettings().ForCall("main", host, "/home/u"), host)
	}
}

func TestWordsAreReadOnlyForPoliciesThatNeedThem(t *testing.T) {
	t.Parallel()
	const rules = "tools: {exec: {rules: [{program: git, commands: [push], effect: deny}]}}\nagents: {main: {}}\n"
	for name, c := range map[string]struct {
		files   []string
		without bool
	}{
		"no rules":          {[]string{"config.yaml", plainConfig}, true},
		"rules":             {[]string{"config.yaml", rules}, false},
		"rules of an agent": {[]string{"config.yaml", "agents: {main: {exec: {rules: [{program: git, effect: deny}]}}}\n"}, false},
		"a pack":            {[]string{"config.yaml", "tools: {exec: {packs: [git-read]}}\nagents: {main: {}}\n"}, false},
		"custom Rego":       {[]string{"config.yaml", plainConfig, "custom/x.rego", "package custom.x\n\ndeny contains \"x\" if input.exec.segments[_].options[_].name == \"-f\"\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.without, load(t, policyDir(t, c.files...)).AnalyzerSettings().WithoutWords)
		})
	}
}
