package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// indexMayMissRules reports whether OPA's rule index may miss rules of a policy, so that topdown
// must do without the index. If a rule tests whether a variable is in a collection, as in
// "one in input.files", the index takes the variable for the collection. It reads "one.size > 9"
// as a condition on input.files.size, and one == "x" as a condition on input.files. Then it
// excludes a rule that would deny. Shipped rules are not examined, unless the policy replaces
// them: they are tested with both evaluators.
func indexMayMissRules(compiler *ast.Compiler, replaced bool) bool {
	found, shipped := false, ast.MustParseRef("data.gavel")
	for _, module := range compiler.Modules {
		if !replaced && module.Package.Path.HasPrefix(shipped) {
			continue
		}
		ast.WalkRules(module, func(rule *ast.Rule) bool {
			found = found || mayBeMissed(rule.Body)
			return found
		})
	}
	return found
}

// mayBeMissed reports whether a rule tests whether a variable is in a collection, and also uses
// the variable elsewhere than in its assignment.
func mayBeMissed(body ast.Body) bool {
	for i, e := range body {
		if e.Negated || !e.IsCall() || !e.Operator().Equal(ast.Member.Ref()) || e.Operand(1).IsGround() && !isRef(e.Operand(1)) {
			continue
		}
		x, ok := e.Operand(0).Value.(ast.Var)
		if !ok {
			continue
		}
		for j, other := range body {
			if i != j && uses(other, x) {
				return true
			}
		}
	}
	return false
}

// uses reports whether an expression uses a variable, other than to assign a reference to it.
func uses(e *ast.Expr, x ast.Var) bool {
	if e.IsEquality() {
		for i := range 2 {
			if e.Operand(i).Value.Compare(x) == 0 && isRef(e.Operand(1-i)) {
				return false
			}
		}
	}
	found := false
	ast.WalkVars(e, func(v ast.Var) bool {
		found = found || v.Equal(x)
		return found
	})
	return found
}

func isRef(t *ast.Term) bool {
	_, ok := t.Value.(ast.Ref)
	return ok
}
