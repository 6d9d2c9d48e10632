package bundles_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

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

func TestGlobalEntriesAndEntriesOfTheAgentBothApply(t *testing.T) {
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
