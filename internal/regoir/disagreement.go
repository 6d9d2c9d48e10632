package regoir

import (
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Unlike says why the plan of a policy may have other values than topdown, with the place of the
// first such rule; "" if it has not. OPA's planner and topdown disagree about
//
//   - rules whose name has a constant part that is no text, such as p[1][x],
//   - members of partial sets that a rule's head describes as sets with variables,
//   - expressions in which "with" replaces a function first and a part of input or data afterwards:
//     the plan replaces that part in the wrong one of the two,
//   - a variable in a reference that chooses between rules, such as data.p[x] where p.a and p.b are
//     rules, in an expression behind "not" or in "every": the plan loses one of the choices,
//   - objects such as {x: 1, y: 2} whose keys turn out to be equal: topdown may find the member more
//     than once, and the first value or the last.
//
// Such a policy is for topdown.
func PlannerDisagreement(compiler *ast.Compiler) string {
	for _, name := range slices.Sorted(maps.Keys(compiler.Modules)) {
		module := compiler.Modules[name]
		for _, rule := range module.Rules {
			for _, part := range rule.Head.Ref()[1:] {
				if _, text := part.Value.(ast.String); !text && part.IsGround() {
					return fmt.Sprintf("%s: the name %s has a part that is no text", rule.Location, rule.Head.Ref())
				}
			}
			if rule.Head.RuleKind() == ast.MultiValue && hasNonGroundSet(rule.Head.Key) {
				return fmt.Sprintf("%s: a member of %s is a set of variables", rule.Location, rule.Head.Ref())
			}
		}
		if why := bodyDisagreement(compiler, module); why != "" {
			return why
		}
	}
	return ""
}

func hasNonGroundSet(t *ast.Term) bool {
	found := false
	ast.WalkTerms(t, func(x *ast.Term) bool {
		if set, ok := x.Value.(ast.Set); ok && !set.IsGround() {
			found = true
		}
		return found
	})
	return found
}

// unlikeBelow looks at what the rules of a module contain.
func bodyDisagreement(compiler *ast.Compiler, module *ast.Module) (why string) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if replacesFunctionFirst(compiler, x.With) {
				why = fmt.Sprintf("%s: a function is replaced before a part of input or data; write it last", x.Location)
			}
			if _, every := x.Terms.(*ast.Every); (every || x.Negated) && selectsRuleByVariable(compiler, x) {
				why = fmt.Sprintf("%s: a variable chooses between rules, behind not or in every", x.Location)
			}
		case *ast.Term:
			if o, ok := x.Value.(ast.Object); ok && o.Len() > 1 && o.Until(func(k, _ *ast.Term) bool { return !k.IsGround() }) {
				why = fmt.Sprintf("%s: keys of one object may be equal", x.Location)
			}
		}
		return why != ""
	}).Walk(module)
	return why
}

// choosesRules reports whether a reference in an expression has a variable where rules, or packages
// with rules, have different names. What a comprehension refers to does no harm.
func selectsRuleByVariable(compiler *ast.Compiler, expr *ast.Expr) (found bool) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.ArrayComprehension, *ast.SetComprehension, *ast.ObjectComprehension:
			return true
		case ast.Ref:
			found = found || refSelectsRule(compiler, x)
		}
		return found
	}).Walk(expr)
	return found
}

func refSelectsRule(compiler *ast.Compiler, ref ast.Ref) bool {
	if !ref.HasPrefix(ast.DefaultRootRef) {
		return false
	}
	node := compiler.RuleTree.Child(ref[0].Value)
	for _, part := range ref[1:] {
		switch {
		case node == nil:
			return false
		case !part.IsGround():
			return len(node.Children) > 0
		}
		node = node.Child(part.Value)
	}
	return false
}

// functionFirst reports whether a function is replaced before a part of input or data. A function
// below data does no harm to what follows below data.
func replacesFunctionFirst(compiler *ast.Compiler, with []*ast.With) bool {
	for i, w := range with {
		for _, later := range with[i+1:] {
			if isDocument(later.Target) && !root(later.Target).Equal(root(w.Target)) && isFunction(compiler, w.Target) {
				return true
			}
		}
	}
	return false
}

func root(target *ast.Term) *ast.Term { return target.Value.(ast.Ref)[0] } //nolint:forcetypeassert // the compiler admits only references

func isDocument(target *ast.Term) bool {
	return root(target).Equal(ast.InputRootDocument) || root(target).Equal(ast.DefaultRootDocument)
}

func isFunction(compiler *ast.Compiler, target *ast.Term) bool {
	ref, _ := target.Value.(ast.Ref)
	return !isDocument(target) || slices.ContainsFunc(compiler.GetRulesExact(ref), func(r *ast.Rule) bool { return len(r.Head.Args) > 0 })
}
