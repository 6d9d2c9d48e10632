package approvals

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// paused returns the pause that keeps the agent of a question from making its call, or the zero
// value. An edit of the allowlist has no agent.
func (m *Manager) paused(a *gavel.Approval) gavel.PauseFacts {
	if m.cfg.Pauses == nil || a.Edit != nil {
		return gavel.PauseFacts{}
	}
	agent := gavel.AgentFacts{ID: a.Request.Agent}
	for _, id := range a.Parents {
		agent.Parents = append(agent.Parents, gavel.ParentFacts{ID: id})
	}
	return m.cfg.Pauses.Observe(&agent)
}

// pausedCached returns a function that reports whether the agent of a question is paused, and
// checks each agent once.
func (m *Manager) pausedCached() func(*gavel.Approval) bool {
	known := map[string]bool{}
	return func(a *gavel.Approval) bool {
		who := strings.Join(slices.Concat([]string{a.Request.Agent}, a.Parents), "\x00")
		paused, ok := known[who]
		if !ok {
			paused = m.paused(a).State == gavel.PausePaused
			known[who] = paused
		}
		return paused
	}
}

// describePause returns a message: that the agent is paused, or that this is unknown.
func describePause(p gavel.PauseFacts) string {
	if p.State == gavel.PauseUnknown {
		return "it is unknown which agents are paused"
	}
	return fmt.Sprintf("agent %q is paused", p.Agent)
}

// ancestors returns the ids of the agents that spawned an agent.
func ancestors(agent *gavel.AgentFacts) []string {
	var ids []string
	for i := range agent.Parents {
		ids = append(ids, agent.Parents[i].ID)
	}
	return ids
}
