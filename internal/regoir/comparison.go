package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// comparison translates statements that only test values.
func (t *translator) comparison(s ir.Stmt) step {
	switch s := s.(type) {
	case *ir.EqualStmt:
		return equalStep(t.operand(s.A), t.operand(s.B))
	case *ir.NotEqualStmt:
		return notEqualStep(t.operand(s.A), t.operand(s.B))
	case *ir.IsArrayStmt:
		return kindStep(t.operand(s.Source), isArray)
	case *ir.IsObjectStmt:
		return kindStep(t.operand(s.Source), isObject)
	case *ir.IsSetStmt:
		return kindStep(t.operand(s.Source), isSet)
	case *ir.IsDefinedStmt:
		src := t.operand(ir.Operand{Value: s.Source})
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(src.load(r) != nil) }
	case *ir.IsUndefinedStmt:
		src := t.operand(ir.Operand{Value: s.Source})
		if t.isUndefined(s.Source) {
			return nil
		}
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(src.load(r) == nil) }
	}
	panic("regoir: no translation for a comparison")
}

// equalStep has code of its own for the usual case, a register and a constant.
func equalStep(a, b operand) step {
	if a.constant != nil {
		a, b = b, a
	}
	if a.constant != nil || b.constant == nil {
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(equal(a.load(r), b.load(r))) }
	}
	register, k := a.register, b.constant
	return func(_ *machine, r []*ast.Term) outcome {
		if v := r[register]; v == k || equal(v, k) {
			return defined
		}
		return undefined
	}
}

func notEqualStep(a, b operand) step {
	if a.constant != nil {
		a, b = b, a
	}
	if a.constant != nil || b.constant == nil {
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(!equal(a.load(r), b.load(r))) }
	}
	register, k := a.register, b.constant
	return func(_ *machine, r []*ast.Term) outcome {
		if v := r[register]; v == k || equal(v, k) {
			return undefined
		}
		return defined
	}
}

func kindStep(a operand, isKind func(*ast.Term) bool) step {
	return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(isKind(a.load(r))) }
}
