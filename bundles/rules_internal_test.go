package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/rego"
)

func ruleFor(program, effect string) map[string]any {
	return map[string]any{"program": program, "effect": effect}
}

// What the index says may be about a segment is, once Rego has looked at it, what Rego finds by
// looking at every rule.
func TestTheIndexFindsTheRulesThatRegoFinds(t *testing.T) {
	shipped, err := Load(context.Background(), Config{Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	var all []any
	for _, program := range []string{"git", "python", "python3", "g++", "/usr/bin/git", "/usr/**", "~/bin/*", "/opt/x", "[", "GIT"} {
		for _, effect := range []string{"allow", "ask", "deny"} {
			all = append(all, ruleFor(program, effect))
		}
	}
	config := map[string]any{
		"tools": map[string]any{"exec": map[string]any{"rules": all, "packs": []any{"git-read"}}},
		"agents": map[string]any{
			"defaults": map[string]any{"exec": map[string]any{"rules": []any{ruleFor("git", "allow"), ruleFor("git", "deny")}, "packs": []any{"text"}}},
			"coder":    map[string]any{"exec": map[string]any{"rules": []any{ruleFor("git", "ask")}, "packs": []any{"git-work"}}},
			"plain":    map[string]any{},
		},
	}
	lists := newAllowlists(config, packsOf(shipped.base), nil)
	program := func(name, path string) gavel.Executable {
		return gavel.Executable{Name: name, RealName: name, Path: path, Real: path, Found: true, Programs: []string{name}, Writable: []string{}}
	}
	for name, s := range map[string]gavel.Segment{
		"a program":              {Argv: []string{"git"}, Executable: program("git", "/usr/bin/git")},
		"elsewhere":              {Argv: []string{"git"}, Executable: program("git", "/opt/git")},
		"at home":                {Argv: []string{"x"}, Executable: program("x", "/home/u/bin/x")},
		"a version":              {Argv: []string{"python3.12"}, Executable: program("python3.12", "/opt/python3.12")},
		"an ending":              {Argv: []string{"GIT.EXE"}, Executable: program("GIT.EXE", "/opt/GIT.EXE")},
		"none of them":           {Argv: []string{"ls", "git"}, Executable: program("ls", "/bin/ls")},
		"a mention":              {Argv: []string{"env", "-S", "a;git push"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"a mention with signs":   {Argv: []string{"env", "-S", "(g++ x)"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"no mention":             {Argv: []string{"env", "-S", "digit agit git-x .git"}, Executable: program("env", "/bin/env"), Opaque: "env -S"},
		"made at run time":       {Argv: []string{"env", "-S", "$x"}, Executable: program("env", "/bin/env"), Opaque: "env -S", Dynamic: []int{2}},
		"code with a mention":    {Argv: []string{"perl", "-e", "exec 'git'"}, Executable: program("perl", "/bin/perl"), Hazards: []gavel.Hazard{{Kind: "inline"}}},
		"one that was not found": {Argv: []string{"git"}, Executable: gavel.Executable{Name: "git", Programs: []string{"git"}, Writable: []string{}}},
	} {
		if s.Hazards == nil {
			s.Hazards = []gavel.Hazard{}
		}
		if s.Dynamic == nil {
			s.Dynamic = []int{}
		}
		for _, agent := range []string{"coder", "plain", "other"} {
			refs := lists.rulesFor(agent, "/home/u", func() rulePart { return partOf(s.Executable, s.Argv, s.Hazards, s.Opaque, s.Dynamic) })
			segment := map[string]any{}
			text, err := json.Marshal(s)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &segment))
			bare := map[string]any{}
			require.NoError(t, json.Unmarshal(text, &bare))
			segment["match"] = map[string]any{"rules": refs}
			results, err := oparego.New(oparego.Compiler(shipped.compiler),
				oparego.Query(`given := {r.path | some r in data.gavel.exec.rules.lists.candidates(input.given); data.gavel.exec.rules.lists.concerns(r, input.given)}; scanned := {r.path | some r in data.gavel.exec.rules.lists.candidates(input.bare)}`),
				oparego.Store(inmem.NewFromObject(map[string]any{"config": config, "gavel": map[string]any{"catalog": map[string]any{"packs": packsOf(shipped.base)}}})),
				oparego.Input(map[string]any{"agent": map[string]any{"id": agent}, "environment": map[string]any{"home": "/home/u"}, "given": segment, "bare": bare})).Eval(context.Background())
			require.NoError(t, err, name)
			require.Len(t, results, 1, name)
			assert.ElementsMatch(t, results[0].Bindings["scanned"], results[0].Bindings["given"], "%s for %s", name, agent)
		}
	}
}

// BenchmarkRules shows that finding the rules for a program takes the same with ten rules
// and with ten thousand.
func BenchmarkRules(b *testing.B) {
	for _, number := range []int{10, 1_000, 10_000} {
		var list []any
		for i := range number / 2 {
			list = append(list, ruleFor(fmt.Sprintf("tool%d", i), "allow"), ruleFor(fmt.Sprintf("/opt/%d/bin/tool*", i), "deny"))
		}
		lists := newAllowlists(map[string]any{"tools": map[string]any{"exec": map[string]any{"rules": list}}}, nil, nil)
		s := gavel.Segment{Argv: []string{"tool3"}, Hazards: []gavel.Hazard{}, Dynamic: []int{},
			Executable: gavel.Executable{Name: "tool3", RealName: "tool3", Path: "/opt/3/bin/tool3", Real: "/opt/3/bin/tool3", Programs: []string{"tool3"}}}
		b.Run(fmt.Sprint(number), func(b *testing.B) {
			for b.Loop() {
				if found := lists.rulesFor("main", "/home/u", func() rulePart { return partOf(s.Executable, s.Argv, s.Hazards, s.Opaque, s.Dynamic) }); len(found) != 2 {
					b.Fatal(found)
				}
			}
		})
	}
}
