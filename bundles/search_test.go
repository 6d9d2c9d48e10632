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

// prepending is a policy that puts directories before PATH, but for one agent.
func prepending(t *testing.T) *bundles.Snapshot {
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

// first is where programs are looked for first, for the call of some facts.
func first(s *bundles.Snapshot, facts *gavel.Facts) []string {
	return s.Searches().Of(facts.Agent.ID, cmp.Or(facts.Exec.Request.Host, facts.Session.Exec.Host), facts.Environment.Home).First
}

func TestASnapshotSaysWhereProgramsAreLookedForFirst(t *testing.T) {
	t.Parallel()
	s := prepending(t)
	for agent, want := range map[string][]string{"main": {"/home/u/bin", "/opt/bin"}, "plain": nil, "away": nil, "nobody": nil} {
		facts := factsOf(t, execCall(agent, "rg"))
		if agent == "nobody" { // which is denied for that, wherever it is looked for
			assert.NotContains(t, first(s, &facts), "/usr/bin")
			continue
		}
		assert.Equal(t, want, first(s, &facts), agent)
	}
	unknown := factsOf(t, execCall("main", "rg"))
	unknown.Environment.Home = ""
	assert.Equal(t, []string{"~/bin", "/opt/bin"}, first(s, &unknown), "which ends every search")
	refused := factsOf(t, execCall("main", "rg"))
	refused.Exec.Request.Host = "node"
	assert.Equal(t, []string{""}, first(s, &refused), "so does a host that is refused")
}

func TestADecisionSaysWhatToPutBeforePath(t *testing.T) {
	t.Parallel()
	s := prepending(t)
	facts := factsOf(t, execCall("main", "rg"))
	facts.Environment.PathPrepend = first(s, &facts)
	d := s.Decide(t.Context(), facts, false)
	require.Equal(t, gavel.Allow, d.Effect, "%+v", d.Reasons)
	assert.Equal(t, []string{"/home/u/bin", "/opt/bin"}, d.Exec.PathPrepend)
	d.Exec.PathPrepend[0] = "/changed"
	assert.Equal(t, "/home/u/bin", facts.Environment.PathPrepend[0], "a decision shares nothing with the facts")
}

// Where programs were looked for is a part of the question: its answer is none to
// the same command that was looked for elsewhere.
func TestAnAnswerIsBoundToTheSearchPath(t *testing.T) {
	t.Parallel()
	s := prepending(t)
	facts := factsOf(t, execCall("main", "rg"))
	dirs := first(s, &facts)
	for range 2 { // once evaluated, once remembered
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

func TestAPolicyThatSaysNothingOfDirectoriesSaysNothing(t *testing.T) {
	t.Parallel()
	s, err := bundles.Load(t.Context(), shipped(""))
	require.NoError(t, err)
	for _, host := range []string{"", "gateway", "node", "elsewhere"} {
		assert.Equal(t, gavel.Search{}, s.Searches().Of("main", host, "/home/u"), host)
	}
}

// Reading words takes time, so it is left out for policies that cannot look at them.
func TestWordsAreReadForPoliciesThatReadThem(t *testing.T) {
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
		"Rego of its own":   {[]string{"config.yaml", plainConfig, "custom/x.rego", "package custom.x\n\ndeny contains \"x\" if input.exec.segments[_].options[_].name == \"-f\"\n"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.without, load(t, policyDir(t, c.files...)).Searches().WithoutWords)
		})
	}
}
