package bundles

import (
	"context"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// ApprovalTerms returns who may approve calls of an agent, and how, whatever the call. The agent *
// stands for all agents, and "" for tools other than exec.
//
// An approver must be on every list that the policy names. If nobody is, the only approver is
// [gavel.Nobody]. A policy that replaces the gavel root may define no terms; then known is false.
func (s *Snapshot) ApprovalTerms(ctx context.Context, agent string) (found gavel.Terms, known bool, err error) {
	input := ast.NewObject(field("agent", ast.ObjectTerm(field("id", ast.StringTerm(agent)))))
	term, err := s.eval(ctx, queryApprovalTerms, input)
	if err != nil || term == nil {
		return gavel.Terms{}, false, err
	}
	found = *readTerms(term)
	found.Answers = nil
	lists := get(term, "approverLists")
	if lists == nil {
		return gavel.Terms{}, false, errors.New("the policy's approvers do not have the expected shape")
	}
	first := true
	err = each(lists, func(list *ast.Term) {
		names := []string{}
		_ = each(list, func(name *ast.Term) { // anything but a list names nobody
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
