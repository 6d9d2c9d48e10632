package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles/ruleindex"
	"gavel/rego"
)

func ruleFor(program, effect string) map[string]any {
	return map[string]any{"program": program, "effect": effect}
}

// Of the rules that the index returns, Rego must select the same ones as of all rules.
// rulesOfAllLists is a configuration with rules in every list.
func rulesOfAllLists() map[string]any {
	var all []any
	for _, program := range []string{"git", "python", "python3", "g++", "/usr/bin/git", "/usr/**", "~/bin/*", "/opt/x", "[", "GIT"} {
		for _, effect := range []string{"allow", "ask", "deny"} {
			all = append(all, ruleFor(program, effect))
		}
	}
	return map[string]any{
		"tools": map[string]any{"exec": map[string]any{"rules": all, "packs": []any{"git-read"}}},
		"agents": map[string]any{
			"defaults": map[string]any{"exec": map[string]any{"rules": []any{ruleFor("git", "allow"), ruleFor("git", "deny")}, "packs": []any{"text"}}},
			"coder":    map[string]any{"exec": map[string]any{"rules": []any{ruleFor("git", "ask")}, "packs": []any{"git-work"}}},
			"plain":    map[string]any{},
		},
	}
}

// ruledSegments are segments that rules may be about.
func ruledSegments() map[string]gavel.Segment {
	program := func(name, path string) gavel.Executable {
		return gavel.Executable{Name: name, RealName: name, Path: path, Real: path, Found: true, Programs: []string{name}, Writable: []string{}}
	}
	return map[string]gavel.Segment{
		"a program":            {Argv: []string{"git"}, Executable: program("git", "/usr/bin/git")},
		"another directory":    {Argv: []string{"git"}, Executable: program("git", "/opt/git")},
		"at home":              {Argv: []string{"x"}, Executable: program("x", "/home/u/bin/x")},
		"a version":            {Argv: []string{"python3.12"}, Executable: program("python3.12", "/opt/python3.12")},
		"a .exe suffix":        {Argv: []string{"GIT.EXE"}, Executable: program("GIT.EXE", "/opt/GIT.EXE")},
		"no rule":              {Argv: []string{"ls", "git"}, Executable: program("ls", "/bin/ls")},
		"a mention":            {Argv: []string{"env", "-S", "a;git push"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"a mention of g++":     {Argv: []string{"env", "-S", "(g++ x)"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"no mention":           {Argv: []string{"env", "-S", "digit agit git-x .git"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"an attached value":    {Argv: []string{"env", "-Sgit push"}, Executable: program("env", "/bin/env"), Hazards: []gavel.Hazard{{Kind: "runs"}}},
		"runs a word":          {Argv: []string{"eval", "$x"}, Executable: program("eval", ""), Hazards: []gavel.Hazard{{Kind: "runs", Option: "eval"}}, Dynamic: []int{1}},
		"on standard input":    {Argv: []string{"sh"}, Executable: program("sh", "/bin/sh"), Opaque: "sh without -c"},
		"produced at run time": {Argv: []string{"env", "-S", "$x"}, Executable: program("env", "/bin/env"), Opaque: "env -S", Dynamic: []int{2}},
		"code with a mention":  {Argv: []string{"perl", "-e", "exec 'git'"}, Executable: program("perl", "/bin/perl"), Hazards: []gavel.Hazard{{Kind: "inline"}}},
		"a program not found":  {Argv: []string{"git"}, Executable: gavel.Executable{Name: "git", Programs: []string{"git"}, Writable: []string{}}},
	}
}

// evalRules returns the rules about a segment that Rego finds among those of the index, as given, and
// among all rules, as scanned.
func evalRules(t *testing.T, shipped *Snapshot, config map[string]any, agent string, s gavel.Segment, refs []gavel.RuleRef) (oparego.ResultSet, error) {
	t.Helper()
	segment := map[string]any{}
	text, err := json.Marshal(s)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &segment))
	bare := map[string]any{}
	require.NoError(t, json.Unmarshal(text, &bare))
	segment["match"] = map[string]any{"rules": refs}
	return oparego.New(oparego.Compiler(compilerOf(t, shipped)),
		oparego.Query(`given := {r.path | some r in data.gavel.exec.rules.lists.candidates(input.given); data.gavel.exec.rules.lists.concerns(r, input.given)}; scanned := {r.path | some r in data.gavel.exec.rules.lists.candidates(input.bare)}`),
		oparego.Store(inmem.NewFromObject(map[string]any{"config": config, "gavel": map[string]any{"catalog": map[string]any{"packs": packData(shipped.base)}}})),
		oparego.Input(map[string]any{"agent": map[string]any{"id": agent}, "environment": map[string]any{"home": "/home/u"}, "given": segment, "bare": bare})).Eval(context.Background())
}

func TestTheIndexFindsTheRulesThatRegoFinds(t *testing.T) {
	shipped, err := Load(context.Background(), Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	config := rulesOfAllLists()
	lists := ruleindex.New(config, packData(shipped.base), nil)
	for name, s := range ruledSegments() {
		if s.Hazards == nil {
			s.Hazards = []gavel.Hazard{}
		}
		if s.Dynamic == nil {
			s.Dynamic = []int{}
		}
		for _, agent := range []string{"coder", "plain", "other"} {
			refs := lists.Match(agent, "/home/u", s.Executable, func() ruleindex.Query {
				return ruleindex.NewQuery("/workspace", s.Executable, s.Argv, s.Hazards, s.Opaque, s.Dynamic)
			}).Rules
			results, err := evalRules(t, shipped, config, agent, s, refs)
			require.NoError(t, err, name)
			require.Len(t, results, 1, name)
			assert.ElementsMatch(t, results[0].Bindings["scanned"], results[0].Bindings["given"], "%s for %s", name, agent)
		}
	}
}

func TestEntriesAndRulesAreFoundTogether(t *testing.T) {
	t.Parallel()
	settings := func(allowlist, rules []any) map[string]any {
		return map[string]any{"exec": map[string]any{"allowlist": allowlist, "rules": rules}}
	}
	lists := ruleindex.New(map[string]any{
		"tools": settings([]any{"/usr/bin/s*", "/usr/bin/rg"}, []any{ruleFor("/usr/bin/rg", "deny"), ruleFor("rg", "allow")}),
		"agents": map[string]any{
			"defaults": settings([]any{"/opt/x"}, []any{ruleFor("/opt/x", "allow"), ruleFor("/opt/x", "deny")}),
			"entries":  map[string]any{"exec": map[string]any{"allowlist": []any{}}},
			"rules":    map[string]any{"exec": map[string]any{"rules": []any{}}},
		},
	}, nil, nil)
	for _, c := range []struct{ agent, program, entry, rules string }{
		{"other", "/usr/bin/rg", "tools.exec.allowlist[1]", "[{tools.exec 0 } {tools.exec 1 }]"},
		{"other", "/usr/bin/sed", "tools.exec.allowlist[0]", "[]"},
		{"other", "/opt/x", "agents.defaults.exec.allowlist[0]", "[{agents.defaults.exec 0 } {agents.defaults.exec 1 }]"},
		{"entries", "/opt/x", "", "[{agents.defaults.exec 0 } {agents.defaults.exec 1 }]"},
		{"rules", "/opt/x", "agents.defaults.exec.allowlist[0]", "[{agents.defaults.exec 1 }]"},
	} {
		name := c.program[strings.LastIndexByte(c.program, '/')+1:]
		program := gavel.Executable{Name: name, RealName: name, Path: c.program, Real: c.program, Found: true, Programs: []string{name}}
		found := lists.Match(c.agent, "/home/u", program, func() ruleindex.Query {
			return ruleindex.NewQuery("/workspace", program, []string{name}, []gavel.Hazard{}, "", []int{})
		})
		assert.Equal(t, c.entry, found.Path, "%s for %s", c.program, c.agent)
		assert.Equal(t, c.rules, fmt.Sprint(found.Rules), "%s for %s", c.program, c.agent)
	}
}

// BenchmarkMatch shows that a match takes as long with ten entries and rules as with ten thousand.
func BenchmarkMatch(b *testing.B) {
	for _, number := range []int{10, 1_000, 10_000} {
		var entries, rules []any
		for i := range number / 2 {
			entries = append(entries, fmt.Sprintf("/opt/%d/bin/*", i), fmt.Sprintf("/usr/bin/tool%d", i))
			rules = append(rules, ruleFor(fmt.Sprintf("%dtool", i), "allow"), ruleFor(fmt.Sprintf("/opt/%d/bin/*tool", i), "deny"))
		}
		lists := ruleindex.New(map[string]any{"tools": map[string]any{"exec": map[string]any{"allowlist": entries, "rules": rules}}}, nil, nil)
		name := fmt.Sprintf("%dtool", number/2-1)
		path := fmt.Sprintf("/opt/%d/bin/%s", number/2-1, name)
		program := gavel.Executable{Name: name, RealName: name, Path: path, Real: path, Found: true, Programs: []string{name}}
		b.Run(fmt.Sprint(number), func(b *testing.B) {
			for b.Loop() {
				found := lists.Match("main", "/home/u", program, func() ruleindex.Query {
					return ruleindex.NewQuery("/workspace", program, []string{name}, []gavel.Hazard{}, "", []int{})
				})
				if !found.Found || len(found.Rules) != 2 {
					b.Fatal(found)
				}
			}
		})
	}
}
