package bundles

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Directives implements gavel.DirectiveJudge. If a policy replaces the gavel root and has no rules
// about directives, there are no verdicts.
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
		verdict, err := s.readDirective(element)
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

// readDirective reads the verdict about one directive.
func (s *Snapshot) readDirective(term *ast.Term) (gavel.DirectiveVerdict, error) {
	values := get(term, "values")
	v := gavel.DirectiveVerdict{Action: getString(term, "action"), TimeoutMs: int64(getInt(term, "timeoutMs")),
		ID: getString(term, "id"), Answer: getString(term, "answer"), Person: getString(term, "person"),
		Values: gavel.StoredValues{Security: getString(values, "security"), Ask: getString(values, "ask"), Host: getString(values, "host"),
			Node: getString(values, "node"), Elevated: getString(values, "elevated")}}
	var err error
	switch v.Action {
	case gavel.DirectiveRefuse:
		v.Reasons, err = s.readReasons(get(term, "reasons"))
	case gavel.DirectiveShow:
		err = each(get(term, "current"), func(setting *ast.Term) {
			v.Current = append(v.Current, gavel.DirectiveSetting{Key: getString(setting, "key"), Value: getString(setting, "value"),
				Source: s.locate(getString(setting, "path"), getString(setting, "from"))})
		})
	}
	return v, err
}
