package approvals_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// halted says of each agent whether it is paused.
type halted struct {
	mu     sync.Mutex
	states map[string]string
}

func (h *halted) Observe(agent *gavel.AgentFacts) gavel.PauseFacts {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range append([]gavel.ParentFacts{{ID: agent.ID}}, agent.Parents...) {
		if state := h.states[id.ID]; state != "" {
			return gavel.PauseFacts{State: state, Agent: id.ID}
		}
	}
	return gavel.PauseFacts{}
}

func (h *halted) set(agent, state string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.states[agent] = state
}

// spawned makes a question one of an agent that others have spawned.
func spawned(agent string, parents ...string) func(*gavel.Facts, *gavel.Decision) {
	return func(f *gavel.Facts, _ *gavel.Decision) {
		f.Agent.ID = agent
		for _, id := range parents {
			f.Agent.Parents = append(f.Agent.Parents, gavel.ParentFacts{ID: id})
		}
	}
}

func TestQuestionsOfAPausedAgentAreWithdrawn(t *testing.T) {
	for name, q := range map[string]gavel.Question{
		"its own":                  question(spawned("coder")),
		"of an agent it spawned":   question(spawned("helper", "coder")),
		"of one that this spawned": question(spawned("helper", "main", "coder")),
	} {
		t.Run(name, func(t *testing.T) {
			log, agents := &recorder{}, &halted{states: map[string]string{}}
			d := newDesk(t, func(c *approvals.Config) { c.Audit, c.Pauses = log, agents })
			q.Fallback = func() gavel.Outcome { return gavel.Outcome{Effect: gavel.Allow} }
			theirs, others := d.opened(t, q), d.opened(t, question(spawned("support", "main")))
			require.NoError(t, d.Sweep(t.Context()))
			require.Equal(t, gavel.ApprovalPending, stored(t, d, theirs.ID).State)

			agents.set("coder", gavel.PausePaused)
			_, err := d.Resolve(t.Context(), approvals.Resolution{ID: theirs.ID, Answer: "allow-always", By: "approve"})
			assert.Equal(t, gavel.CodeApprovalExpired, code(err), "nobody answers it any longer")
			assert.Empty(t, d.patterns.added)
			require.NoError(t, d.Sweep(t.Context()))
			gone := stored(t, d, theirs.ID)
			assert.Equal(t, gavel.ApprovalExpired, gone.State)
			assert.Equal(t, gavel.ExpiredPaused, gone.Expired)
			assert.Equal(t, gavel.Deny, gone.Fallback.Effect, "whoever waits gets no fallback that allows")
			assert.Equal(t, gavel.ExpiredPaused, log.events[len(log.events)-1].Detail["why"])
			assert.Equal(t, gavel.ApprovalPending, stored(t, d, others.ID).State, "what other agents have asked stays open")
		})
	}
}

func TestTheFallbackOfAPausedAgentDenies(t *testing.T) {
	for _, state := range []string{gavel.PausePaused, gavel.PauseUnknown} {
		agents := &halted{states: map[string]string{}}
		d := newDesk(t, func(c *approvals.Config) { c.Pauses = agents })
		q := question(spawned("coder"))
		q.Fallback = func() gavel.Outcome { return gavel.Outcome{Effect: gavel.Allow} }
		open := d.opened(t, q)
		agents.set("coder", state)
		d.clock.step(time.Hour) // it was paused in its last moment
		assert.Equal(t, gavel.Deny, stored(t, d, open.ID).Fallback.Effect, state)
	}
}

// As long as nobody knows who is paused, nobody answers; the questions stay, since the file may be repaired.
func TestQuestionsWaitWhileItIsUnknownWhoIsPaused(t *testing.T) {
	agents := &halted{states: map[string]string{"main": gavel.PauseUnknown}}
	d := newDesk(t, func(c *approvals.Config) { c.Pauses = agents })
	open := d.opened(t, question())
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: open.ID, Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeApprovalExpired, code(err))
	require.NoError(t, d.Sweep(t.Context()))
	agents.set("main", "")
	d.answered(t, open.ID, "approve")
}
