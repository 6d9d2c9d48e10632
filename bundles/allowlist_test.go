package bundles_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"gavel"
)

// drawPath makes paths and patterns out of few parts, so that they often meet.
func drawPath(t *rapid.T, label string, parts []string) string {
	n := rapid.IntRange(1, 4).Draw(t, label+" length")
	var b strings.Builder
	for i := range n {
		b.WriteString("/")
		b.WriteString(rapid.SampledFrom(parts).Draw(t, fmt.Sprintf("%s part %d", label, i)))
	}
	return b.String()
}

func TestTheIndexFindsTheEntryThatRegoFinds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		patterns := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) string {
			return rapid.SampledFrom([]string{"", "", "~"}).Draw(rt, "home") +
				drawPath(rt, "pattern", []string{"usr", "bin", "a", "*", "**", "?", "a*", "[a]", "{a,b}", "b!", `a\b`})
		}), 1, 4).Draw(rt, "patterns")
		real := rapid.SampledFrom([]string{"", "/home/u"}).Draw(rt, "root") +
			drawPath(rt, "path", []string{"usr", "bin", "a", "b", "ab", "[a]", "{a,b}", "b!", `a\b`})
		list := make([]string, len(patterns))
		for i, pattern := range patterns {
			list[i] = fmt.Sprintf("%q", pattern)
		}
		configuration := fmt.Sprintf("agents: {coder: {exec: {allowlist: [%s]}}}\n", strings.Join(list, ", "))
		facts := factsOf(t, execCall("coder", "rg x"))
		facts.Exec.Segments[0].Executable.Real = real
		facts.Exec.Segments[0].Executable.Pinned = real
		facts.Exec.Segments[0].Executable.RealName = real[strings.LastIndex(real, "/")+1:]
		s := load(t, policyDir(t, "config.yaml", configuration))
		got := s.Decide(context.Background(), facts, false)
		effect, reasons := stock(t, configuration)(facts)
		if effect != got.Effect.String() {
			rt.Fatalf("%q against %q: the index decides %s, Rego %s", patterns, real, got.Effect, effect)
		}
		if got.Effect == gavel.Allow && !assert.ObjectsAreEqual(paths(reasons), paths(got.Reasons)) {
			rt.Fatalf("%q against %q: the index found %v, Rego %v", patterns, real, paths(got.Reasons), paths(reasons))
		}
	})
}

func paths(reasons []gavel.Reason) map[string]bool {
	found := map[string]bool{}
	for _, reason := range reasons {
		found[reason.Source.Path] = true
	}
	return found
}

func TestAllowlistPatterns(t *testing.T) {
	cases := []struct {
		pattern, path string
		match         bool
	}{
		{"/opt/**/rg", "/opt/homebrew/bin/rg", true},
		{"/opt/*/rg", "/opt/homebrew/bin/rg", false},
		{"/tmp/a?b", "/tmp/a/b", false},
		{"/tmp/a?b", "/tmp/axb", true},
		{"/tmp/**/tool", "/tmp/a/b/tool", true},
		{"/tmp/**/tool", "/tmp/tool", false},
		{"/usr/bin/*++", "/usr/bin/g++", true},
		{"/opt/builds/tool[1](stable)", "/opt/builds/tool[1](stable)", true},
		{"/opt/builds/tool[1]", "/opt/builds/tool1", false},
		{"rg", "/usr/bin/rg", false},
		{"/USR/BIN/RG", "/usr/bin/rg", false},
		{"~/bin/*", "/home/u/bin/tool", true},
		{"~/bin/*", "/home/v/bin/tool", false},
		{"~v/bin/*", "/home/v/bin/tool", false},
		{"*", "/anything", true},
		{"/usr/bin/{a,b}", "/usr/bin/a", false},
	}
	for _, c := range cases {
		t.Run(c.pattern+" against "+c.path, func(t *testing.T) {
			t.Parallel()
			s := load(t, policyDir(t, "config.yaml", fmt.Sprintf("agents: {coder: {exec: {allowlist: [%q]}}}\n", c.pattern)))
			facts := factsOf(t, execCall("coder", "rg x"))
			facts.Exec.Segments[0].Executable.Real = c.path
			facts.Exec.Segments[0].Executable.RealName = c.path[strings.LastIndex(c.path, "/")+1:]
			assert.Equal(t, c.match, s.Decide(context.Background(), facts, false).Effect == gavel.Allow)
		})
	}
}

func TestEntriesForEverybodyAndForTheAgentAddUp(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", `
tools: {exec: {allowlist: [/usr/bin/wc]}}
agents:
  defaults: {exec: {allowlist: [/usr/bin/cut]}}
  coder: {exec: {allowlist: [{pattern: /usr/bin/head, args: any}]}}
`))
	for agent, want := range map[string]map[string]gavel.Effect{
		"coder": {"wc": gavel.Allow, "head": gavel.Allow, "cut": gavel.Ask, "tail": gavel.Ask},
		"other": {"wc": gavel.Allow, "head": gavel.Ask, "cut": gavel.Allow, "tail": gavel.Ask},
	} {
		for program, effect := range want {
			assert.Equal(t, effect, decide(t, s, execCall(agent, program)).Effect, agent+" "+program)
		}
	}
}
