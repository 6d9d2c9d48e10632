package bundles

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Directives implements gavel.DirectiveJudge. A policy whose own root has no rules about
// directives judges none.
func (s *Snapshot) Directives(ctx context.Context, facts gavel.Facts) ([]gavel.DirectiveVerdict, error) {
	frozen, err := s.complete(ctx, &facts)
	if err != nil {
		return nil, err
	}
	input, err := s.input(&facts, frozen)
	if err != nil {
		return nil, err
	}
	term, err := s.eval(ctx, queryDirectives, input)
	if err != nil || term == nil {
		return nil, err
	}
	var list []gavel.DirectiveVerdict
	var failed error
	err = each(term, func(element *ast.Term) {
		verdict, err := s.directive(element)
		if err != nil {
			failed = err
		}
		list = append(list, verdict)
	})
	if err == nil {
		err = failed
	}
	return list, err
}

// directive reads one verdict.
func (s *Snapshot) directive(term *ast.Term) (gavel.DirectiveVerdict, error) {
	values := get(term, "values")
	v := gavel.DirectiveVerdict{Action: getText(term, "action"), TimeoutMs: int64(getNumber(term, "timeoutMs")), ID: getText(term, "id"), Answer: getText(term, "answer"), Person: getText(term, "person"),
		Values: gavel.StoredValues{Security: getText(values, "security"), Ask: getText(values, "ask"), Host: getText(values, "host"),
			Node: getText(values, "node"), Elevated: getText(values, "elevated")}}
	var err error
	switch v.Action {
	case gavel.DirectiveRefuse:
		v.Reasons, err = s.reasons(get(term, "reasons"))
	case gavel.DirectiveShow:
		err = each(get(term, "current"), func(one *ast.Term) {
			v.Current = append(v.Current, gavel.DirectiveSetting{Key: getText(one, "key"), Value: getText(one, "value"), Source: s.locate(getText(one, "path"), getText(one, "from"))})
		})
	}
	return v, err
}
