package approvals

import (
	"fmt"
	"slices"
	"strings"

	"gavel"
)

// paused returns the pause that keeps the agent of a question from making its call, or the zero
// value. Edits of the allowlist are not an agent's.
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

// pausing is paused for many questions; it checks each agent once.
func (m *Manager) pausing() func(*gavel.Approval) bool {
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

// suspended says in words that an agent is paused, or that this is unknown.
func suspended(p gavel.PauseFacts) string {
	if p.State == gavel.PauseUnknown {
		return "it is unknown which agents are paused"
	}
	return fmt.Sprintf("agent %q is paused", p.Agent)
}

// ancestors returns the ids of those that spawned an agent.
func ancestors(agent *gavel.AgentFacts) []string {
	var ids []string
	for i := range agent.Parents {
		ids = append(ids, agent.Parents[i].ID)
	}
	return ids
}
