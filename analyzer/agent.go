package analyzer

import (
	"strings"

	"gavel"
)

// agent returns the facts about the calling agent. Missing ids are filled in from the session
// key.
func agent(a gavel.Agent, sessionKey string) gavel.AgentFacts {
	facts := gavel.AgentFacts{
		ID:      gavel.Fold(a.ID),
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
		facts.Parents[i] = gavel.ParentFacts{ID: gavel.Fold(parent.ID), Depth: max(0, facts.Depth-1-i)}
	}
	return facts
}

// spawns counts the subagent markers in a session key, such as the one in agent:main:subagent:7.
// The last part is an id and is never counted as a marker.
func spawns(sessionKey string) int {
	count := 0
	for part, rest, more := strings.Cut(gavel.Fold(sessionKey), ":"); more; part, rest, more = strings.Cut(rest, ":") {
		if part == "subagent" {
			count++
		}
	}
	return count
}

// session returns the settings of the session and of its current message.
func session(s gavel.Session, message gavel.Message) gavel.SessionFacts {
	return gavel.SessionFacts{
		Key: gavel.Fold(s.Key),
		Exec: gavel.SessionExecFacts{
			Security: gavel.Fold(s.Exec.Security),
			Ask:      gavel.Fold(s.Exec.Ask),
			Host:     gavel.Fold(s.Exec.Host),
			Node:     gavel.Fold(s.Exec.Node),
		},
		Elevated: gavel.Fold(s.Elevated),
		Inline:   gavel.Fold(message.Inline.Elevated),
	}
}

// sessionValues returns what is stored for the session of a call; its list is never nil.
func sessionValues(stored *gavel.SessionValuesFacts) gavel.SessionValuesFacts {
	if stored == nil {
		return gavel.SessionValuesFacts{Others: []gavel.StoredValues{}}
	}
	facts := *stored
	if facts.Others == nil {
		facts.Others = []gavel.StoredValues{}
	}
	return facts
}

// model returns a model in its canonical spelling. A provider that contains a slash is split
// there, and the rest belongs to the id: provider openrouter/openai with id gpt-5.4 becomes
// openrouter with openai/gpt-5.4. Without a provider, the first part of the id is the provider.
func model(m gavel.Model) gavel.ModelFacts {
	facts := gavel.ModelFacts{Provider: gavel.Fold(m.Provider), ID: gavel.Fold(m.ID)}
	if provider, rest, ok := strings.Cut(facts.Provider, "/"); ok {
		if !strings.HasPrefix(facts.ID, rest+"/") {
			facts.ID = strings.TrimSuffix(rest+"/"+facts.ID, "/")
		}
		facts.Provider = provider
	}
	if provider, _, ok := strings.Cut(facts.ID, "/"); ok && facts.Provider == "" {
		facts.Provider = provider
	}
	return facts
}
