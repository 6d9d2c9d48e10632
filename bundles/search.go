package bundles

import (
	"context"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// SearchFirst implements gavel.Snapshot. Nothing is evaluated for agents whose
// configuration puts no directory before PATH, and nothing looked up where no agent's does.
func (s *Snapshot) SearchFirst(ctx context.Context, facts *gavel.Facts) []string {
	if !s.prepends {
		return nil
	}
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

// mentions reports whether a configuration has a key somewhere.
func mentions(node any, key string) bool {
	switch node := node.(type) {
	case map[string]any:
		for name, child := range node {
			if name == key || mentions(child, key) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(node, func(child any) bool { return mentions(child, key) })
	}
	return false
}
