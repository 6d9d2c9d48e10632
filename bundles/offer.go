package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// offer reads what an allow-always could cover; nil where the policy says nothing.
func (s *Snapshot) offer(term *ast.Term) (*gavel.Offer, error) {
	if term == nil {
		return nil, nil
	}
	o := &gavel.Offer{Patterns: []gavel.OfferedPattern{}, Templates: []gavel.Template{}, Refused: []gavel.Reason{}}
	err := each(get(term, "patterns"), func(e *ast.Term) {
		o.Patterns = append(o.Patterns, gavel.OfferedPattern{Pattern: getText(e, "pattern"), Args: getTexts(e, "args")})
	})
	if err != nil {
		return nil, err
	}
	err = each(get(term, "templates"), func(e *ast.Term) {
		o.Templates = append(o.Templates, gavel.Template{Pattern: getText(e, "pattern"), Argv: getTexts(e, "argv"),
			Flags: getTexts(e, "flags"), Args: getTexts(e, "args"), Admits: getText(e, "admits")})
	})
	if err != nil {
		return nil, err
	}
	err = each(get(term, "refused"), func(e *ast.Term) { o.Refused = append(o.Refused, s.reason(e)) })
	return o, err
}
