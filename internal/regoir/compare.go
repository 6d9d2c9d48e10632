package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// test translates statements that only compare.
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
		a := t.operand(ir.Operand{Value: s.Source})
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(a.load(r) != nil) }
	case *ir.IsUndefinedStmt:
		a := t.operand(ir.Operand{Value: s.Source})
		if t.isUndefined(s.Source) {
			return nil
		}
		return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(a.load(r) == nil) }
	}
	panic("regoir: a comparison that statement knows is not translated")
}

// holds is how a comparison ends.
func outcomeOf(is bool) outcome {
	if is {
		return defined
	}
	return undefined
}

// equal compares what are mostly a register and a constant.
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

func kindStep(a operand, is func(*ast.Term) bool) step {
	return func(_ *machine, r []*ast.Term) outcome { return outcomeOf(is(a.load(r))) }
}
