package bundles_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/bundles"
	"gavel/rego"
)

func TestEveryEvaluatorDecidesTheSame(t *testing.T) {
	for _, call := range []string{toolCall("coder", "read"), toolCall("coder", "browser"), execCall("coder", "wc -l src"), execCall("coder", "rm -rf x")} {
		var first gavel.Decision
		for i, evaluator := range bundles.Evaluators() {
			cfg := shipped("")
			cfg.Evaluator = evaluator
			s, err := bundles.Load(context.Background(), cfg)
			require.NoError(t, err)
			got := s.Decide(context.Background(), factsOf(t, call), false)
			if i == 0 {
				first = got
			}
			assert.Equal(t, first, got, evaluator)
		}
	}
}

// Of many packages the compiled policy asks only those whose rules may apply.
func TestManyPackagesObjectAlikeWithBothEvaluators(t *testing.T) {
	for name, packages := range map[string]func(n int) string{
		"beside one another": func(n int) string { return fmt.Sprintf("custom.p%d", n) },
		"some below others": func(n int) string {
			return "custom" + []string{"", fmt.Sprintf(".p%d", n), fmt.Sprintf(".team.p%d", n)}[min(n, 1+n%2)]
		},
	} {
		files := []string{"config.yaml", string(rego.DefaultConfig)}
		for n := range 30 {
			files = append(files, fmt.Sprintf("p%d.rego", n), fmt.Sprintf(`package %s

deny contains "tool %[2]d" if input.tool.name == ["read", "write", "other%[2]d"][%[3]d]

deny contains "program %[2]d" if {
	some segment in input.exec.segments
	segment.executable.name == ["wc", "other%[2]d"][%[4]d]
}

ask contains "question %[2]d" if input.tool.name in {"edit", "other%[2]d"}
`, packages(n), n, min(n%7, 2), min(n%5, 1)))
		}
		s, err := bundles.Load(context.Background(), shipped(policyDir(t, files...))) // both evaluators
		require.NoError(t, err)
		for call, want := range map[string]int{toolCall("coder", "read"): 5, toolCall("coder", "edit"): 30, toolCall("coder", "session_status"): 0, execCall("coder", "wc -l src"): 6} {
			got := s.Decide(context.Background(), factsOf(t, call), false)
			objections := 0
			for _, r := range got.Reasons {
				assert.NotEqual(t, gavel.CodeEvaluatorsDiffer, r.Code, r.Message)
				if r.Layer == "custom" {
					objections++
				}
			}
			assert.Equal(t, want, objections, "packages %s, %s: %+v", name, call, got.Reasons)
		}
	}
}

func TestAnUnknownEvaluatorIsAnError(t *testing.T) {
	cfg := shipped("")
	cfg.Evaluator = "interpreted"
	_, err := bundles.Load(context.Background(), cfg)
	assert.ErrorContains(t, err, `"interpreted" is none of [compiled topdown both]`)
}

// What decides is topdown until the policy is compiled, and with many evaluations it is.
func TestAPolicyIsCompiledWhenItDecidesOften(t *testing.T) {
	cfg := shipped("")
	cfg.Evaluator, cfg.Programs = bundles.Compiled, nil
	s, err := bundles.Load(context.Background(), cfg)
	require.NoError(t, err)
	evaluator, _ := s.Evaluated()
	assert.Equal(t, "topdown", evaluator)
	facts := factsOf(t, toolCall("coder", "read"))
	for n := 0; evaluator == "topdown"; n++ {
		facts.Sender.ID = fmt.Sprint(n)
		assert.Equal(t, gavel.Allow, s.Decide(context.Background(), facts, false).Effect)
		evaluator, _ = s.Evaluated()
		require.Less(t, n, 1_000_000)
	}
	assert.Equal(t, "compiled", evaluator)
	facts.Sender.ID = "another"
	assert.Equal(t, gavel.Allow, s.Decide(context.Background(), facts, false).Effect)
}

func TestAStoreCompilesBesideDecisions(t *testing.T) {
	cfg := shipped("")
	cfg.Evaluator = bundles.Compiled
	store, err := bundles.Open(context.Background(), cfg)
	require.NoError(t, err)
	assert.Eventually(t, func() bool { return store.Status().Evaluator == "compiled" }, time.Minute, time.Millisecond)
	assert.Empty(t, store.Status().Uncompiled)
}

// The planner of OPA and topdown disagree about such names, so topdown decides.
func TestAPolicyThatCannotBeCompiledIsToldAndDecidedByTopdown(t *testing.T) {
	for name, rule := range map[string]string{
		"a number in a name": "table[1][x] := true if x := input.tool.name\ndeny contains \"no\" if table[1].read",
		"an open set":        "seen contains {\"a\", x} if x := input.tool.name\ndeny contains \"no\" if count(seen) == 1",
		"a function that is replaced before the input": "deny contains \"no\" if startswith(input.tool.name, \"x\") with upper as \"u\" with input.tool.name as \"xy\"",
		"keys that may be equal":                       "deny contains \"no\" if count({input.tool.name: 1, \"read\": 2}) == 1",
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			cfg := shipped(policyDir(t, "config.yaml", plainConfig, "own.rego", "package custom\n\n"+rule+"\n"))
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			s, err := bundles.Load(context.Background(), cfg)
			require.NoError(t, err)
			_, left := s.Evaluated()
			require.NotEmpty(t, left)
			assert.Equal(t, "data.gavel.decision.result", left[0].Query)
			assert.Contains(t, left[0].Why, "own.rego:3")
			assert.Contains(t, log.String(), "a query of the policy is not compiled")
			assert.Equal(t, gavel.Deny, s.Decide(context.Background(), factsOf(t, toolCall("main", "read")), false).Effect)
		})
	}
}

func TestAnErrorOfTheCompiledPolicyDenies(t *testing.T) {
	s := load(t, policyDir(t, "config.yaml", plainConfig, "own.rego", "package custom\n\ndeny contains \"no\" if to_number(input.tool.name) > 3\n"))
	got := s.Decide(context.Background(), factsOf(t, toolCall("main", "read")), false)
	assert.Equal(t, gavel.Deny, got.Effect)
	assert.Equal(t, gavel.CodePolicyError, got.Reasons[0].Code)
	assert.Contains(t, got.Reasons[0].Message, "own.rego:3")
}

// OPA's index of rules takes a variable of which a rule asks whether it is in a collection for that
// collection, so that topdown loses the rule. What evaluates the policy, and whether somebody asks
// for an explanation, must make no difference.
func TestARuleThatOPAsIndexMissesDenies(t *testing.T) {
	facts := factsOf(t, toolCall("main", "read"))
	require.Equal(t, gavel.Allow, load(t, policyDir(t, "config.yaml", plainConfig)).Decide(context.Background(), facts, true).Effect)
	for name, body := range map[string]string{
		"a part of a member":           "some one in input.resources\n\tone in input.resources\n\tone.access == \"read\"",
		"a member that is a constant":  "some one in data.company.tools\n\tone in data.company.tools\n\tone == \"read\"",
		"a function with a collection": "of(input.resources[0])\n}\n\nof(one) if {\n\tone in input.resources\n\tone.access == \"read\"",
	} {
		dir := policyDir(t, "config.yaml", plainConfig, "data.yaml", "company:\n  tools: [read, write]\n", "own.rego", "package custom\n\ndeny contains \"no\" if {\n\t"+body+"\n}\n")
		for _, evaluator := range bundles.Evaluators() {
			cfg := shipped(dir)
			cfg.Evaluator = evaluator
			s, err := bundles.Load(context.Background(), cfg)
			require.NoError(t, err)
			for _, explain := range []bool{false, true} {
				got := s.Decide(context.Background(), facts, explain)
				assert.Equal(t, gavel.Deny, got.Effect, "%s, %s, explained: %v", name, evaluator, explain)
				assert.Equal(t, "no", got.Reasons[0].Message, "%s, %s, explained: %v", name, evaluator, explain)
			}
		}
	}
}

// That the plan of its tests cannot be made either is not a fault of the tests.
func TestAPolicyWithTestsThatThePlannerRefusesIsDecidedByTopdown(t *testing.T) {
	dir := policyDir(t, "config.yaml", plainConfig, "own.rego", unplanned, "own_test.rego", "package custom_test\n\nimport data.custom\n\ntest_x if count(custom.deny) == 1 with input.tool.name as \"read\"\n")
	s := load(t, dir)
	_, left := s.Evaluated()
	require.NotEmpty(t, left)
	assert.Contains(t, left[0].Why, "OPA made no plan")
	assert.Equal(t, gavel.Deny, s.Decide(context.Background(), factsOf(t, toolCall("main", "read")), false).Effect)
	report, err := bundles.Test(context.Background(), shipped(dir))
	require.NoError(t, err)
	require.Len(t, report.Tests, 1)
	assert.True(t, report.Tests[0].Pass, report.Tests[0].Error)
}

func TestTestsOfAPolicyRunOnBothEvaluators(t *testing.T) {
	report, err := bundles.Test(context.Background(), shipped(policyDir(t, "config.yaml", plainConfig,
		"own.rego", "package custom\n\ndeny contains \"no\" if input.tool.name == \"x\"\n",
		"own_test.rego", "package custom_test\n\nimport data.custom\n\ntest_x if custom.deny == {\"no\"} with input as {\"tool\": {\"name\": \"x\"}}\n\ntest_wrong if custom.deny == {\"no\"} with input as {}\n")))
	require.NoError(t, err)
	require.Len(t, report.Tests, 2)
	assert.False(t, report.Tests[0].Pass)
	assert.Empty(t, report.Tests[0].Error)
	assert.True(t, report.Tests[1].Pass)
}

const unplanned = `package custom

parts[x].b := 1 if x := input.tool.name

known if parts.read.b

parts[x].c := 2 if {
	x := input.tool.name
	known with upper as "x"
}

deny contains "no" if parts[_].c == 2
`
