package analyzer

import (
	"strings"

	"gavel"
)

// agent fills the gaps of what a call says about its agent.
func agent(a gavel.Agent, sessionKey string) gavel.AgentFacts {
	facts := gavel.AgentFacts{
		ID:      fold(a.ID),
		Parents: make([]gavel.ParentFacts, len(a.Parents)),
		Depth:   max(len(a.Parents), spawns(sessionKey)),
	}
	if a.Depth != nil {
		facts.Depth = max(facts.Depth, *a.Depth)
	}
	if a.MaxDepth != nil {
		facts.MaxDepth = max(0, *a.MaxDepth)
	}
	if a.Sandboxed != nil {
		facts.Sandboxed = *a.Sandboxed
	}
	for i, parent := range a.Parents {
		facts.Parents[i] = gavel.ParentFacts{ID: fold(parent.ID), Depth: max(0, facts.Depth-1-i)}
	}
	return facts
}

// spawns counts the subagent markers of a session key, such as the one of
// agent:main:subagent:7. The last part is an id and never a marker.
func spawns(sessionKey string) int {
	parts := strings.Split(fold(sessionKey), ":")
	count := 0
	for _, part := range parts[:len(parts)-1] {
		if part == "subagent" {
			count++
		}
	}
	return count
}

// session returns the settings of the session and of its current message.
func session(s gavel.Session, message gavel.Message) gavel.SessionFacts {
	return gavel.SessionFacts{
		Key: fold(s.Key),
		Exec: gavel.SessionExecFacts{
			Security: fold(s.Exec.Security),
			Ask:      fold(s.Exec.Ask),
			Host:     fold(s.Exec.Host),
			Node:     fold(s.Exec.Node),
		},
		Elevated: fold(s.Elevated),
		Inline:   fold(message.Inline.Elevated),
	}
}

// model returns the model under one spelling: a provider that stands in the id, or
// an id that stands in the provider, is taken apart at the first slash.
func model(m gavel.Model) gavel.ModelFacts {
	facts := gavel.ModelFacts{Provider: fold(m.Provider), ID: fold(m.ID)}
	if provider, rest, ok := strings.Cut(facts.Provider, "/"); ok {
		facts.Provider = provider
		if facts.ID == "" {
			facts.ID = rest
		}
	}
	if provider, _, ok := strings.Cut(facts.ID, "/"); ok && facts.Provider == "" {
		facts.Provider = provider
	}
	return facts
}
