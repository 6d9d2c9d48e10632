package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// readOffer reads what allow-always could cover. It returns nil if the policy offers nothing.
func (s *Snapshot) readOffer(term *ast.Term) (*gavel.Offer, error) {
	if term == nil {
		return nil, nil
	}
	o := &gavel.Offer{Exact: getBool(term, "exact"), Patterns: []gavel.OfferedPattern{}, Templates: []gavel.Template{}, Refused: []gavel.Reason{}}
	err := each(get(term, "patterns"), func(e *ast.Term) {
		o.Patterns = append(o.Patterns, readPattern(e))
	})
	if err != nil {
		return nil, err
	}
	err = each(get(term, "templates"), func(e *ast.Term) {
		o.Templates = append(o.Templates, gavel.Template{Pattern: getString(e, "pattern"), Argv: getStrings(e, "argv"),
			Flags: getStrings(e, "flags"), Args: getStrings(e, "args"), Admits: getString(e, "admits")})
	})
	if err != nil {
		return nil, err
	}
	err = each(get(term, "refused"), func(e *ast.Term) { o.Refused = append(o.Refused, s.readReason(e)) })
	return o, err
}

// readPattern reads an allowlist entry with its limits.
func readPattern(term *ast.Term) gavel.OfferedPattern {
	p := gavel.OfferedPattern{Pattern: getString(term, "pattern"), Args: getStrings(term, "args")}
	if only := get(term, "only"); only != nil {
		p.Only = &gavel.Only{Form: getString(only, "form"), Argv: getStrings(only, "argv"), Cwd: getString(only, "cwd"),
			Targets: getStrings(only, "targets"), SubCommand: getString(only, "subCommand"), Options: getStrings(only, "options"),
			Words: getStrings(only, "words"), SHA256: getString(only, "sha256")}
	}
	return p
}
