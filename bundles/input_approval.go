package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Most calls are about no approval, and most machines have no allowlist file: the
// terms that say so are made once for each context.

func approvalField(a *gavel.ApprovalFacts, known *remembered) [2]*ast.Term {
	if *a == (gavel.ApprovalFacts{}) {
		return known.unasked
	}
	return field("approval", approvalTerm(a))
}

func approvalTerm(a *gavel.ApprovalFacts) *ast.Term {
	return ast.ObjectTerm(
		field("looked", flag(a.Looked)), field("bound", text(a.Bound)), field("found", flag(a.Found)),
		field("id", text(a.ID)), field("state", text(a.State)), field("decision", text(a.Decision)),
		field("binding", text(a.Binding)), field("expired", text(a.Expired)), field("seen", text(a.Seen)),
		field("trusted", text(a.Trusted)))
}

func fileField(f *gavel.ApprovalsFileFacts, known *remembered) [2]*ast.Term {
	if f.State == "" && len(f.Settings) == 0 {
		return known.fileless
	}
	return field("approvalsFile", fileTerm(f))
}

func fileTerm(f *gavel.ApprovalsFileFacts) *ast.Term {
	settings := make([]*ast.Term, len(f.Settings))
	for i, s := range f.Settings {
		settings[i] = ast.ObjectTerm(field("path", text(s.Path)), field("security", text(s.Security)),
			field("ask", text(s.Ask)), field("askFallback", text(s.AskFallback)))
	}
	return ast.ObjectTerm(field("state", text(f.State)), field("settings", ast.ArrayTerm(settings...)))
}

// quiet are the fields of a call that nobody was asked about, without a file.
func (r *remembered) quiet() *remembered {
	r.unasked = field("approval", approvalTerm(&gavel.ApprovalFacts{}))
	r.fileless = field("approvalsFile", fileTerm(&gavel.ApprovalsFileFacts{}))
	return r
}
