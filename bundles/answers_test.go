package bundles_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/bundles"
)

// Every kind of call that the twins have is decided by a snapshot that remembers, and
// by one that never saw it.
func TestCachedAnswersAreThePolicysAnswers(t *testing.T) {
	t.Parallel()
	configs, calls := twins()
	for name, config := range configs {
		dir := policyDir(t, "config.yaml", config)
		s, fresh := load(t, dir), load(t, dir)
		for call, text := range calls {
			first := decide(t, s, text)
			assert.Equal(t, first, decide(t, s, text), "%s, %s: remembered", name, call)
			assert.Equal(t, first, decide(t, fresh, text), "%s, %s: evaluated", name, call)
		}
	}
}

func TestDecisionsShareNothing(t *testing.T) {
	t.Parallel()
	s := load(t, "")
	for _, call := range []string{execCall("coder", "rm -rf x"), execCall("coder", "wc -l src")} {
		want := decide(t, s, call)
		spoilt := decide(t, s, call)
		spoilt.Reasons[0].Message = "spoilt"
		if spoilt.Reasons[0].Span != nil {
			spoilt.Reasons[0].Span.End = -1
		}
		if spoilt.Terms != nil {
			spoilt.Terms.Quorum, spoilt.Terms.Answers[0] = -1, "spoilt"
		}
		spoilt.Exec.Segments[0].Argv[0] = "spoilt"
		assert.Equal(t, want, decide(t, s, call))
	}
}

// The values of variables are not facts, so two calls that differ in them have one
// answer; each runs under its own.
func TestTheEnvironmentIsNeverRemembered(t *testing.T) {
	t.Parallel()
	s := load(t, "")
	for _, value := range []string{"one", "two"} {
		facts := factsOf(t, execCall("coder", "wc -l src"))
		facts.Tool.Params["env"], facts.Exec.Env = map[string]any{"COLOUR": value}, []string{"COLOUR"}
		d := s.Decide(context.Background(), facts, false)
		require.NotNil(t, d.Exec, "%+v", d.Reasons)
		assert.Equal(t, map[string]string{"COLOUR": value}, d.Exec.Env)
	}
}

// An answer is only given to calls that the rules cannot tell apart from the one it was made
// for, in whatever way a rule gets at the facts.
func TestARememberedAnswerIsForCallsThatTheRulesCannotTellApart(t *testing.T) {
	t.Parallel()
	const listed = "tools: {exec: {host: gateway, ask: \"off\", allowlist: [/usr/bin/wc]}}\nagents: {main: {}}\n"
	for name, c := range map[string]struct {
		rule  string
		apart bool // the rule tells the calls apart
	}{
		"nothing about the words":    {`deny contains "no" if input.agent.id == "nobody"`, false},
		"the number of segments":     {`deny contains "no" if count(input.exec.segments) > 1`, false},
		"a word":                     {`deny contains "no" if { some s in input.exec.segments; "lib" in s.argv }`, true},
		"a word, missing":            {`deny contains "no" if not "src" in input.exec.segments[0].argv`, true},
		"segments in a set":          {`deny contains "no" if { some s in {x | some x in input.exec.segments}; "lib" in s.argv }`, true},
		"a function of a segment":    {"deny contains \"no\" if f(input.exec.segments[0])\n\nf(s) if s.argv[2] == \"lib\"", true},
		"the parameters":             {`deny contains "no" if endswith(input.tool.params.command, "lib")`, true},
		"the input, walked":          {`deny contains "no" if { walk(input, [_, "lib"]) }`, true},
		"a with":                     {"deny contains \"no\" if f with input.agent.id as input.exec.command\n\nf if endswith(input.agent.id, \"lib\")", true},
		"a rule of the shipped Rego": {`deny contains "no" if { some s in input.exec.segments; data.gavel.exec.shown.command(s) == "wc -l lib" }`, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := shipped(policyDir(t, "config.yaml", listed, "custom/rule.rego", "package custom.rule\n\n"+c.rule+"\n"))
			cfg.Evaluator = bundles.Compiled
			store, err := bundles.Open(context.Background(), cfg)
			require.NoError(t, err)
			s := store.Current().(*bundles.Snapshot)
			s.Compile()
			one, other := execCall("main", "wc -l src"), execCall("main", "wc -l lib")
			assert.NotContains(t, codes(decide(t, s, one)), "custom.rule.objection")
			evaluated := store.Status().Evaluated
			objection := codes(decide(t, s, other))
			assert.NotContains(t, codes(decide(t, s, one)), "custom.rule.objection")
			if c.apart {
				assert.Contains(t, objection, "custom.rule.objection")
			} else {
				assert.NotContains(t, objection, "custom.rule.objection")
				assert.Equal(t, evaluated, store.Status().Evaluated, "both calls have one answer")
			}
		})
	}
}

func TestAnExpiredContextDeniesEvenACachedAnswer(t *testing.T) {
	t.Parallel()
	s := load(t, "")
	facts := factsOf(t, toolCall("coder", "read"))
	allowed := s.Decide(context.Background(), facts, false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	assert.NotEqual(t, allowed.Effect, s.Decide(ctx, facts, false).Effect)
}

func TestTheStatusCountsAnswers(t *testing.T) {
	t.Parallel()
	store, err := bundles.Open(context.Background(), shipped(""))
	require.NoError(t, err)
	facts := factsOf(t, toolCall("coder", "read"))
	for range 3 {
		store.Current().Decide(context.Background(), facts, false)
	}
	assert.Equal(t, []uint64{2, 1}, []uint64{store.Status().Remembered, store.Status().Evaluated})
}

// How a filter of the configuration reads its arguments is found by the snapshot, from words
// that no rule looks at.
func TestArgumentsOfAConfiguredFilterAreNotForgotten(t *testing.T) {
	t.Parallel()
	s := load(t, policyDir(t, "config.yaml", `
tools: {exec: {host: gateway, ask: "off", safeBins: [mine], safeBinProfiles: {mine: {allowedValueFlags: ["-n"]}}}}
agents: {main: {}}
`))
	call := func(command string) string {
		return `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"` + command + `"}},"environment":{"cwd":"/srv",
			"home":"/home/u","path":["/usr/bin"],"executables":{"mine":"/usr/bin/mine"}}}`
	}
	assert.Equal(t, "allow", decide(t, s, call("mine -n 5")).Effect.String())
	assert.Equal(t, "deny", decide(t, s, call("mine -x")).Effect.String())
	assert.Equal(t, "deny", decide(t, s, call("mine /etc/passwd")).Effect.String())
	assert.Equal(t, "allow", decide(t, s, call("mine -n 7")).Effect.String())
}
