package bundles

import "github.com/open-policy-agent/opa/v1/ast"

// misindexed reports whether OPA's index may lose rules of a policy, so that topdown has to do
// without it. When a rule asks whether a variable is in a collection ("one in input.files"), the
// index thinks that the variable is the collection: of "one.size > 9" it makes a condition on
// input.files.size, and of one == "x" a condition on input.files. So a rule that would deny is
// never evaluated. Shipped rules are not looked at, unless the policy has replaced them: they are
// tested with both evaluators.
func misindexed(compiler *ast.Compiler, replaced bool) bool {
	found, shipped := false, ast.MustParseRef("data.gavel")
	for _, module := range compiler.Modules {
		if !replaced && module.Package.Path.HasPrefix(shipped) {
			continue
		}
		ast.WalkRules(module, func(rule *ast.Rule) bool {
			found = found || loses(rule.Body)
			return found
		})
	}
	return found
}

// loses reports whether a rule asks whether a variable is in a collection, and uses the variable
// in another expression than the one that gives it its value.
func loses(body ast.Body) bool {
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
