package analyzer

import (
	"cmp"
	"strings"

	"gavel"
)

// caller returns the credential behind a call; its lists are never nil. A call without a credential
// comes from the process that runs Gavel. A call that names no agent has no credential.
func (a *Analyzer) caller(call *gavel.Call) gavel.CallerFacts {
	c := call.Caller
	switch {
	case gavel.Fold(call.Agent.ID) == "":
		return gavel.CallerFacts{}
	case c == nil:
		c = &a.trusted
	}
	facts := *c
	facts.Agents, facts.Sessions, facts.Claims = nonNil(c.Agents), nonNil(c.Sessions), nonNil(c.Claims)
	facts.SessionAgent = sessionAgent(gavel.Fold(call.Session.Key))
	facts.InSession = facts.Covers(call.Session.Key)
	return facts
}

// nonNil returns an empty list instead of nil, as facts never hold null.
func nonNil(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// stated reports which facts the call states. A session key also states the group and the depth if
// a gateway sends it or if the credential is bound to it. Any other caller can choose its key
// freely.
func stated(call *gavel.Call, facts *gavel.Facts) gavel.StatedFacts {
	c := &facts.Caller
	reliable := facts.Session.Key != "" && c.InSession && (c.Kind == gavel.CallerGateway || len(c.Sessions) > 0)
	s := &facts.Sender
	return gavel.StatedFacts{
		Model:     facts.Model.Provider != "",
		Group:     gavel.Fold(call.Group.ID) != "" || reliable,
		Depth:     call.Agent.Depth != nil || len(call.Agent.Parents) > 0 || reliable,
		Sandboxed: call.Agent.Sandboxed != nil,
		Sender:    s.ID != "" || s.E164 != "" || s.Username != "" || s.Name != "" || s.Tag != "" || s.From != "",
		ByGateway: c.Kind == gavel.CallerGateway,
	}
}

// sessionAgent returns the id from a folded session key agent:<id>:….
func sessionAgent(key string) string {
	kind, rest, _ := strings.Cut(key, ":")
	if strings.TrimSpace(kind) != "agent" {
		return ""
	}
	id, _, _ := strings.Cut(rest, ":")
	return cmp.Or(strings.TrimSpace(id), "?")
}
