package regoir

import (
	"fmt"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// PlannerDisagreement returns a reason why the plan of a policy may yield other values than topdown,
// with the location of the first rule concerned, or "" if there is none. OPA's planner and topdown
// disagree about
//
//   - rules whose name has a constant part that is not a string, such as p[1][x],
//   - partial sets whose head adds a set with variables in it, such as {1, x},
//   - a "with" that replaces a function, followed by one that replaces a part of input or data: the
//     plan replaces that part in the wrong document,
//   - references in which a variable selects a rule, such as data.p[x] where p.a and p.b are rules,
//     inside "not" or "every": the plan loses one of the rules,
//   - objects such as {x: 1, y: 2} whose keys may turn out to be equal: topdown may find the member
//     more than once, with the first value or with the last.
//
// Use topdown for such a policy.
func PlannerDisagreement(compiler *ast.Compiler) string {
	for _, name := range slices.Sorted(maps.Keys(compiler.Modules)) {
		module := compiler.Modules[name]
		for _, rule := range module.Rules {
			for _, part := range rule.Head.Ref()[1:] {
				if _, isString := part.Value.(ast.String); !isString && part.IsGround() {
					return fmt.Sprintf("%s: the name %s has a constant part that is not a string", rule.Location, rule.Head.Ref())
				}
			}
			if rule.Head.RuleKind() == ast.MultiValue && hasNonGroundSet(rule.Head.Key) {
				return fmt.Sprintf("%s: an element of %s is a set with variables", rule.Location, rule.Head.Ref())
			}
		}
		if reason := bodyDisagreement(compiler, module); reason != "" {
			return reason
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

// bodyDisagreement is PlannerDisagreement for the expressions and terms in a module.
func bodyDisagreement(compiler *ast.Compiler, module *ast.Module) (reason string) {
	ast.NewGenericVisitor(func(x any) bool {
		switch x := x.(type) {
		case *ast.Expr:
			if replacesFunctionFirst(compiler, x.With) {
				reason = fmt.Sprintf("%s: with replaces a function before a part of input or data; replace the function last", x.Location)
			}
			if _, isEvery := x.Terms.(*ast.Every); (isEvery || x.Negated) && selectsRuleByVariable(compiler, x) {
				reason = fmt.Sprintf("%s: a variable selects a rule inside not or every", x.Location)
			}
		case *ast.Term:
			if o, ok := x.Value.(ast.Object); ok && o.Len() > 1 && o.Until(func(k, _ *ast.Term) bool { return !k.IsGround() }) {
				reason = fmt.Sprintf("%s: keys of an object may be equal", x.Location)
			}
		}
		return reason != ""
	}).Walk(module)
	return reason
}

// selectsRuleByVariable reports whether a reference in an expression selects a rule, or a package with
// rules, by a variable. References in comprehensions do no harm.
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

// replacesFunctionFirst reports whether a function is replaced before a part of input or data. A
// function below data does no harm to a part of data.
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

// root returns the first term of a reference, such as input or data.
func root(target *ast.Term) *ast.Term { return target.Value.(ast.Ref)[0] } //nolint:forcetypeassert // the compiler admits only references

func isDocument(target *ast.Term) bool {
	return root(target).Equal(ast.InputRootDocument) || root(target).Equal(ast.DefaultRootDocument)
}

func isFunction(compiler *ast.Compiler, target *ast.Term) bool {
	ref, _ := target.Value.(ast.Ref)
	return !isDocument(target) || slices.ContainsFunc(compiler.GetRulesExact(ref), func(r *ast.Rule) bool { return len(r.Head.Args) > 0 })
}
