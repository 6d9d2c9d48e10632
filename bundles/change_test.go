package bundles_test

import (
	"context"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/bundles"
	"gavel/rego"
)

const changed = `# mine
tools:
  profile: full
  exec:
    host: gateway
    allowlist: [/usr/bin/wc] # some
agents: {main: {}}
`

func TestAChangePermitsItsCall(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", changed))
	facts := factsOf(t, execCall("main", "wc x | rm -rf x | head"))
	require.NotEqual(t, gavel.Allow, s.Decide(t.Context(), facts, false).Effect)
	change := s.Change(t.Context(), facts)
	assert.Empty(t, change.None)
	assert.Equal(t, "allow", change.Decision)
	assert.Equal(t, `--- a/config.yaml
+++ b/config.yaml
@@ -4,4 +4,7 @@
   exec:
     host: gateway
     allowlist: [/usr/bin/wc] # some
+    rules:
+      - {program: head, operands: [], effect: allow}
+      - {program: rm, operands: [-rf, x], effect: allow}
 agents: {main: {}}
`, change.Patch)
	assert.Equal(t, 7, change.Line)
	assert.Equal(t, gavel.Allow, load(t, policyDir(t, "config.yaml", string(change.Text))).Decide(t.Context(), facts, false).Effect)
}

// A pack permits more than a rule, so it is proposed only if it replaces at least two.
func TestAPackIsProposedInsteadOfSeveralRules(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", changed))
	for command, want := range map[string]string{
		"head x | tail":        "    packs:\n      - files-read\n",
		"head x":               "    rules:\n      - {program: head, operands: [x], ",
		"head x | tail | rm x": "      - files-read\n",
		"head x | mine":        "    rules:\n",
	} {
		facts := factsOf(t, execCall("main", command))
		change := s.Change(t.Context(), facts)
		require.Empty(t, change.None, command)
		assert.Contains(t, strings.ReplaceAll(change.Patch, "\n+", "\n"), want, command)
		assert.Equal(t, "allow", change.Decision, command)
		assert.Equal(t, strings.Contains(change.Patch, "packs"), strings.Contains(change.Admits, "everything of the pack files-read, which reads every file"), command)
		assert.Equal(t, gavel.Allow, load(t, policyDir(t, "config.yaml", string(change.Text))).Decide(t.Context(), facts, false).Effect, command)
	}
}

func TestIfThereIsNoChangeItSaysWhy(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", changed))
	for name, c := range map[string]struct{ call, why string }{
		"an unknown construct": {execCall("main", "coproc ls"), "exec.construct: Gavel does not understand this construct"},
		"an unknown agent":     {execCall("other", "ls"), "agent.unknown: only a person can say"},
	} {
		t.Run(name, func(t *testing.T) {
			change := s.Change(t.Context(), factsOf(t, c.call))
			assert.Empty(t, change.Patch)
			assert.Contains(t, change.None, c.why)
		})
	}
}

func TestAChangeWritesNoSecret(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", changed))
	change := s.Change(t.Context(), factsOf(t, execCall("main", "rm postgres://u:hunter2secret@db/x")))
	assert.Empty(t, change.Patch)
	assert.Contains(t, change.None, "a secret in its words")
}

func TestTheSearchForAChangeEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	change := load(t, policyDir(t, "config.yaml", changed)).Change(ctx, factsOf(t, execCall("main", "rm x")))
	assert.Equal(t, gavel.Change{None: "there was not enough time to look for a change"}, change)
}

func TestAPolicyThatReplacesTheGavelRootHasNoChanges(t *testing.T) {
	own := "package gavel.decision\n\nresult := {\"effect\": \"deny\", \"reasons\": [{\"code\": \"own.no\", \"message\": \"no\"}], \"exec\": {}}\n"
	s := load(t, policyDir(t, "config.yaml", changed, "own.rego", own))
	assert.Contains(t, s.Change(t.Context(), factsOf(t, execCall("main", "rm x"))).None, "replaces the gavel root")
}

// The table in the catalog must have every reason that refuses a call, and no other.
func TestEveryReasonHasAChangeOrSaysWhyNot(t *testing.T) {
	text, err := fs.ReadFile(rego.Policy, "gavel/catalog/change/data.yaml")
	require.NoError(t, err)
	var table struct {
		Helps, Asks []string
		None        map[string]string
	}
	require.NoError(t, yaml.Unmarshal(text, &table))
	listed := append(slices.Clone(table.Helps), table.Asks...)
	for code := range table.None {
		listed = append(listed, code)
	}
	var refusing []string
	for _, rule := range load(t, "").Rules() {
		if rule.Fix != "" && !strings.HasPrefix(rule.Code, "exec.offer_") {
			refusing = append(refusing, rule.Code)
		}
	}
	for _, code := range refusing {
		assert.True(t, slices.Contains(listed, code), "write %s into rego/gavel/catalog/change/data.yaml", code)
	}
	for _, code := range listed {
		assert.True(t, slices.Contains(refusing, code), "no rule refuses with %s: take it out of rego/gavel/catalog/change/data.yaml", code)
	}
	assert.Len(t, listed, len(refusing), "a code is in rego/gavel/catalog/change/data.yaml twice, or two rules have it")
}

// What is closed to the words of commands is a place for which no change is offered.
func TestNoChangeOpensAClosedDirectory(t *testing.T) {
	var catalog struct {
		Exec struct{ System struct{ Kept []string } }
	}
	var paths struct{ Closed string }
	for name, into := range map[string]any{"gavel/catalog/data.yaml": &catalog, "gavel/catalog/analysis/paths.yaml": &paths} {
		text, err := fs.ReadFile(rego.Policy, name)
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(text, into))
	}
	require.NotEmpty(t, strings.Fields(paths.Closed))
	assert.Subset(t, catalog.Exec.System.Kept, strings.Fields(paths.Closed))
}

var _ gavel.Adviser = (*bundles.Snapshot)(nil)
