package bundles

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// SearchFirst implements gavel.Snapshot. Nothing is evaluated for agents whose
// configuration puts no directory before PATH.
func (s *Snapshot) SearchFirst(ctx context.Context, facts *gavel.Facts) []string {
	nowhere := []string{""} // an empty entry ends every search
	frozen, err := s.frozen(ctx, facts)
	if err != nil {
		return nowhere
	}
	if !frozen.prepends {
		return nil
	}
	term, err := s.eval(ctx, queryFirst, factsInput(facts, frozen, nil))
	if err != nil || term == nil {
		return nowhere
	}
	list := []string{}
	if err := each(term, func(element *ast.Term) {
		dir, _ := element.Value.(ast.String) // what is no text ends a search, as "" does
		list = append(list, string(dir))
	}); err != nil {
		return nowhere
	}
	return list
}
