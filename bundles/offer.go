package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// offer reads what allow-always could cover; nil if the policy has no offer.
func (s *Snapshot) offer(term *ast.Term) (*gavel.Offer, error) {
	if term == nil {
		return nil, nil
	}
	o := &gavel.Offer{Exact: getFlag(term, "exact"), Patterns: []gavel.OfferedPattern{}, Templates: []gavel.Template{}, Refused: []gavel.Reason{}}
	err := each(get(term, "patterns"), func(e *ast.Term) {
		o.Patterns = append(o.Patterns, entry(e))
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

// entry reads an entry of the allowlist with its limits.
func entry(term *ast.Term) gavel.OfferedPattern {
	e := gavel.OfferedPattern{Pattern: getText(term, "pattern"), Args: getTexts(term, "args")}
	if only := get(term, "only"); only != nil {
		e.Only = &gavel.Only{Form: getText(only, "form"), Argv: getTexts(only, "argv"), Cwd: getText(only, "cwd"),
			Targets: getTexts(only, "targets"), SubCommand: getText(only, "subCommand"), Options: getTexts(only, "options"),
			Words: getTexts(only, "words"), SHA256: getText(only, "sha256")}
	}
	return e
}
