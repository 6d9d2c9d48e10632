package cases_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

const answered = `Why.

-- calls.jsonl --
{"agent":{"id":"main"},"tool":{"name":"read","params":{"path":"a"}}}
{"agent":{"id":"main"},"tool":{"name":"read","params":{"path":"b"}}}
-- answers.jsonl --
{"webhook":"denied: not today"}
{"webhook":"allowed","telegram":"timeout"}
-- want.jsonl --
{"decision":"deny"}
{"decision":"deny"}
`

func asks(path string, names ...string) (*gavel.Decision, *gavel.Facts) {
	d := &gavel.Decision{Asks: &gavel.Asks{}}
	for _, name := range names {
		d.Asks.Verifiers = append(d.Asks.Verifiers, gavel.AskedVerifier{Name: name})
	}
	return d, &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "read", Params: map[string]any{"path": path}}}
}

func TestVerifiersAnswerAsTheCaseStates(t *testing.T) {
	t.Parallel()
	c, err := cases.Parse("c.txtar", []byte(answered))
	require.NoError(t, err)
	v := c.Verifiers()
	d, facts := asks("b", "telegram", "webhook", "other")
	assert.Equal(t, []gavel.VerifierAnswer{{Verifier: "telegram", Outcome: "timeout"}, {Verifier: "webhook", Outcome: "allowed"}, {Verifier: "other", Outcome: "ended"}}, v.Ask(t.Context(), d, facts))
	require.ErrorContains(t, v.Unasked(), "call 1 (main, read)")
	assert.Equal(t, "ended", v.Ask(t.Context(), d, facts)[0].Outcome, "an answer is for one call")
	d, facts = asks("a", "webhook")
	assert.Equal(t, []gavel.VerifierAnswer{{Verifier: "webhook", Outcome: "denied", Detail: "not today"}}, v.Ask(t.Context(), d, facts))
	require.NoError(t, v.Unasked())
}

func TestACaseWithoutAnswersHasNoVerifiers(t *testing.T) {
	t.Parallel()
	c, err := cases.Parse("deny.txtar", []byte(sound))
	require.NoError(t, err)
	assert.Nil(t, c.Verifiers())
	assert.NoError(t, c.Verifiers().Unasked())
}
