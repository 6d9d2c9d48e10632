package bundles

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	shipped "gavel/rego"
)

// A read is judged by its path, so that the question without words never suffices; a tool
// without words needs no other.
func TestQuestionsInVainAreLeftOut(t *testing.T) {
	t.Parallel()
	s, err := Load(context.Background(), Config{Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
		FactsSchema: shipped.FactsSchema, Default: shipped.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	call := func(tool string, n int) gavel.Facts {
		facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "coder"}, Tool: gavel.ToolFacts{Name: tool}, Touches: []gavel.Touch{}, Resources: []gavel.Resource{},
			Caller: gavel.CallerFacts{Kind: "gateway", Agents: []string{"*"}, InSession: true},
			Stated: gavel.StatedFacts{Model: true, Group: true, Depth: true, Sandboxed: true, Sender: true}}
		facts.Sender.ID = strconv.Itoa(n)
		return facts
	}
	const calls = mostInVain + 20
	for name, c := range map[string]struct{ questions int }{"read": {calls + mostInVain}, "session_status": {calls}} {
		before := s.answers.cache.Len()
		for n := range calls {
			s.Decide(context.Background(), call(name, n), false)
		}
		assert.Equal(t, c.questions, s.answers.cache.Len()-before, "%s: questions for %d calls", name, calls)
	}
	for range 2 * triedAgain {
		s.answers.tries("read")
	}
	s.answers.tried("read", true)
	assert.True(t, s.answers.tries("read"), "one that suffices counts")
	assert.True(t, s.answers.tries("a tool that nobody knows"))
}

// Sooner or later it is tried again: the rules may be others for other contexts.
func TestAQuestionInVainIsTriedAgain(t *testing.T) {
	t.Parallel()
	a, err := newAnswers(map[string]bool{"read": true})
	require.NoError(t, err)
	for range mostInVain {
		require.True(t, a.tries("read"))
		a.tried("read", false)
	}
	again := 0
	for range 10 * triedAgain {
		if a.tries("read") {
			again++
		}
	}
	assert.Equal(t, 10, again)
}
