package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

func callerTerm(c *gavel.CallerFacts) *ast.Term {
	return ast.ObjectTerm(field("kind", text(c.Kind)), field("name", text(c.Name)), field("agents", texts(c.Agents)),
		field("sessions", texts(c.Sessions)), field("inSession", flag(c.InSession)), field("sessionAgent", text(c.SessionAgent)), field("claims", texts(c.Claims)))
}

func statedTerm(s *gavel.StatedFacts) *ast.Term {
	return ast.ObjectTerm(field("model", flag(s.Model)), field("group", flag(s.Group)), field("depth", flag(s.Depth)),
		field("sandboxed", flag(s.Sandboxed)), field("sender", flag(s.Sender)), field("byGateway", flag(s.ByGateway)))
}

func pauseTerm(p *gavel.PauseFacts) *ast.Term {
	return ast.ObjectTerm(field("state", text(p.State)), field("agent", text(p.Agent)), field("until", text(p.Until)), field("why", text(p.Why)))
}
