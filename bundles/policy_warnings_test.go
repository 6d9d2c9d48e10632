package bundles_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPluginToolsAreAWarningNotAnError(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", "tools: {alsoAllow: [lobster, \"mcp__*\"]}\nagents: {main: {}}\n"))
	require.Len(t, s.Notes().Warnings, 1)
	assert.Equal(t, "tools.alsoAllow[0]", s.Notes().Warnings[0].Path)
}

func TestRulesThatNothingReadsAreAWarning(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego", `package custom.x

deny contains "x" if helper(input.agent.id)

helper(id) if id in known

known := {"a"}

allow if input.agent.id == "main"

spare := 1
`, "custom/x_test.rego", "package custom.x_test\n\nimport data.custom.x\n\ntest_spare if x.spare == 1\n"))
	var found []string
	for _, warning := range s.Notes().Warnings {
		found = append(found, fmt.Sprintf("%d: %s", warning.Line, warning.Message))
	}
	assert.Equal(t, []string{"9: no rule reads custom.x.allow", "11: no rule reads custom.x.spare"}, found)
}

// A condition with such a reference never holds, and OPA says nothing.
func TestReferencesToDataThatNothingDefinesAreAWarning(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", plainConfig, "data.yaml", "blocked: {tools: [read]}\n", "custom/x.rego", `package custom.x

import data.blocked
import data.gavel.catalog

deny contains "in data" if input.tool.name in blocked.tools

deny contains "not in data" if input.tool.name in blocked.tool

deny contains "a rule" if input.tool.name in data.custom.x.known

deny contains "no rule" if input.tool.name in data.custom.x.knwon

deny contains "shipped" if input.tool.name in catalog.edition.core_tools

deny contains "not shipped" if input.tool.name in data.gavel.catlog.core_tools

deny contains "the configuration" if data.config.tools.profile == "full"

known := {"a"}
`))
	var found []string
	for _, warning := range s.Notes().Warnings {
		found = append(found, fmt.Sprintf("%d: %s (%s)", warning.Line, warning.Message, warning.Nearest))
	}
	assert.Equal(t, []string{
		"8: nothing defines data.blocked.tool, so it has no value (tools)",
		"12: nothing defines data.custom.x.knwon, so it has no value (known)",
		"16: nothing defines data.gavel.catlog, so it has no value (catalog)",
	}, found)
}

func TestAComparisonWithANameThatNoToolHasIsAWarning(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego", `package custom.x

deny contains "an alias" if input.tool.name == "bash"

deny contains "the name that a host gives to it" if "WebFetch" == input.tool.name

deny contains "some of several" if input.tool.name in {"exec", "Write", "mcp:Git/push"}

deny contains "by a variable" if {
	name := input.tool.name
	name == "Bash"
}

deny contains "a plug-in's" if input.tool.name == "lobster"

deny contains "something else" if input.agent.id == "Bash"
`))
	var found []string
	for _, warning := range s.Notes().Warnings {
		found = append(found, fmt.Sprintf("%d: %s; %s", warning.Line, warning.Message, warning.Fix))
	}
	const rest = " if that is the tool; gavel tools lists the names"
	assert.Equal(t, []string{
		`3: input.tool.name is never "bash": it is the canonical name of a tool; write "exec"` + rest,
		`5: input.tool.name is never "WebFetch": it is the canonical name of a tool; write "web_fetch"` + rest,
		`7: input.tool.name is never "Write": it is the canonical name of a tool; write "write"` + rest,
		`11: input.tool.name is never "Bash": it is the canonical name of a tool; write "exec"` + rest,
	}, found)
}

func TestARuleThatGivesNoMessageIsAWarning(t *testing.T) {
	t.Parallel()
	for rule, want := range map[string]string{
		`deny := true`:                   "deny",
		`ask if input.tool.name == "x"`:  "ask",
		`deny["x"] if input.exec.parsed`: "deny",
		`ask contains 3`:                 "ask",
		`deny contains " "`:              "deny",
		`deny contains "a message"`:      "",
		`deny contains input.tool.name`:  "",
		`default deny := false`:          "",
	} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego", "package custom.x\n\n"+rule+"\n"))
			var found []string
			for _, warning := range s.Notes().Warnings {
				found = append(found, fmt.Sprintf("%d: %s; %s", warning.Line, warning.Message, warning.Fix))
			}
			if want == "" {
				assert.Empty(t, found)
				return
			}
			assert.Equal(t, []string{"3: the rule gives no message, so people read that a custom rule objects; " +
				"write it as a set of messages: " + want + ` contains "what is wrong" if …`}, found)
		})
	}
}

func TestAReasonWithAMisspeltKeyIsAWarning(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", plainConfig, "custom/x.rego", `package custom.x

deny contains {"code": "custom.a", "mesage": "no"} if input.tool.name == "exec"

ask contains {"code": "custom.b", "message": sprintf("%s", [input.agent.id]), "fx": input.agent.id} if input.tool.name == "exec"

deny contains {"code": "custom.c", "message": "no", "fix": "x"} if input.tool.name == "exec"

deny contains "a text" if input.tool.name == "exec"

deny contains reason if {
	input.tool.name == "exec"
	reason := made
}

made := {"message": "made elsewhere", "note": 1}
`))
	var found []string
	for _, warning := range s.Notes().Warnings {
		found = append(found, fmt.Sprintf("%d: %s (%s)", warning.Line, warning.Message, warning.Nearest))
	}
	assert.Equal(t, []string{
		`3: nothing reads "mesage" of a reason (message)`,
		"3: the reason has no message, so people read that a custom rule objects ()",
		`5: nothing reads "fx" of a reason (fix)`,
	}, found)
}

// The mask of the decision log has an input of its own, which is not a fact.
func TestAMaskIsNotReadAsARuleAboutFacts(t *testing.T) {
	t.Parallel()
	load(t, policyDir(t, "config.yaml", plainConfig, "mask.rego",
		"package system.log\n\nmask contains \"/input/tool\" if input.input.agent.id == \"main\"\n",
		"custom/x.rego", "package custom.x\n\ndeny contains \"x\" if input.agent.id == \"x\"\n"))
}

func TestSuspiciousAllowlistEntriesAreWarnedAbout(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", "tools: {exec: {allowlist: [rg, \"*\", /usr/bin/rg]}}\nagents: {main: {}}\n"))
	var paths []string
	for _, warning := range s.Notes().Warnings {
		paths = append(paths, warning.Path)
	}
	assert.Equal(t, []string{"tools.exec.allowlist[0]", "tools.exec.allowlist[1]"}, paths)
}
