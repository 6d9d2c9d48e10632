package bundles

import (
	"context"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Standing returns the approval terms for an agent, whatever the call; * means all agents,
// and "" tools other than exec. Approvers must be on each list that the policy names; if
// nobody is, the only name is [gavel.Nobody]. A policy's own root may not define them; then
// known is false.
func (s *Snapshot) Standing(ctx context.Context, agent string) (found gavel.Terms, known bool, err error) {
	input := ast.NewObject(ast.Item(ast.InternedTerm("agent"), ast.NewTerm(ast.NewObject(ast.Item(ast.InternedTerm("id"), ast.StringTerm(agent))))))
	term, err := s.eval(ctx, queryStanding, input)
	if err != nil || term == nil {
		return gavel.Terms{}, false, err
	}
	found = *terms(term)
	found.Answers = nil
	lists := get(term, "approverLists")
	if lists == nil {
		return gavel.Terms{}, false, errors.New("the policy's approvers do not have the expected shape")
	}
	first := true
	err = each(lists, func(list *ast.Term) {
		names := []string{}
		_ = each(list, func(name *ast.Term) { // what is not a list names nobody
			if text, ok := name.Value.(ast.String); ok {
				names = append(names, string(text))
			}
		})
		if !first {
			names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(found.Approvers, name) })
		}
		if first = false; len(names) == 0 {
			names = []string{gavel.Nobody}
		}
		found.Approvers = names
	})
	return found, true, err
}
