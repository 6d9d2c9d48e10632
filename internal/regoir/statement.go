package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// statement translates one statement; nil if nothing is to be done.
func (t *translator) statement(s ir.Stmt) step {
	switch s := s.(type) {
	case *ir.NopStmt:
		return nil
	case *ir.BlockStmt:
		return t.blocks(s)
	case *ir.ScanStmt:
		return t.scan(s)
	case *ir.NotStmt:
		return t.not(s)
	case *ir.WithStmt:
		return t.with(s)
	case *ir.BreakStmt:
		e := undefined + outcome(s.Index)
		return func(*machine, []*ast.Term) outcome { return e }
	case *ir.CallStmt:
		return t.call(s)
	case *ir.CallDynamicStmt:
		return t.dynamicCall(s)
	case *ir.ReturnLocalStmt:
		from := t.operand(ir.Operand{Value: s.Source})
		return func(m *machine, r []*ast.Term) outcome {
			if m.returnValue = from.load(r); m.returnValue != nil {
				m.returnValue = finish(m.returnValue)
			}
			return returned
		}
	case *ir.ResultSetAddStmt:
		from := t.operand(ir.Operand{Value: s.Value})
		return func(m *machine, r []*ast.Term) outcome {
			m.results = append(m.results, Materialize(from.load(r)))
			return defined
		}
	case *ir.MakeArrayStmt, *ir.MakeObjectStmt, *ir.MakeSetStmt:
		return t.makeComposite(s)
	case *ir.ArrayAppendStmt, *ir.SetAddStmt, *ir.ObjectInsertStmt, *ir.ObjectInsertOnceStmt:
		return t.add(s)
	case *ir.EqualStmt, *ir.NotEqualStmt, *ir.IsArrayStmt, *ir.IsObjectStmt, *ir.IsSetStmt, *ir.IsDefinedStmt, *ir.IsUndefinedStmt:
		return t.comparison(s)
	}
	return t.assignment(s)
}

// assignment translates statements that give a local a value.
func (t *translator) assignment(s ir.Stmt) step {
	switch s := s.(type) {
	case *ir.AssignIntStmt:
		return t.storeConstant(s.Target, intTerm(s.Value))
	case *ir.MakeNumberIntStmt:
		return t.storeConstant(s.Target, intTerm(s.Value))
	case *ir.MakeNumberRefStmt:
		text, _ := t.program.strings[s.Index].Value.(ast.String)
		return t.storeConstant(s.Target, numberTerm(string(text)))
	case *ir.MakeNullStmt:
		return t.storeConstant(s.Target, ast.InternedNullTerm)
	case *ir.ResetLocalStmt:
		t.kill(s.Target)
		if t.isUndefined(s.Target) {
			return nil
		}
		to := t.define(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = nil
			return defined
		}
	case *ir.AssignVarStmt:
		from := t.operand(s.Source)
		if from.constant != nil {
			return t.storeConstant(s.Target, from.constant)
		}
		to, register := t.define(s.Target), from.register
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = r[register]
			return defined
		}
	case *ir.AssignVarOnceStmt:
		return t.assignOnce(s)
	case *ir.DotStmt:
		return t.dot(s)
	case *ir.LenStmt:
		from := t.operand(s.Source)
		to := t.define(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			v := from.load(r)
			if v == nil {
				return undefined
			}
			r[to] = ast.InternedTerm(length(v))
			return defined
		}
	case *ir.ObjectMergeStmt:
		base, virtual := t.operand(ir.Operand{Value: s.A}), t.operand(ir.Operand{Value: s.B})
		to := t.define(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			a, b := base.load(r), virtual.load(r)
			if a == nil || b == nil {
				return undefined
			}
			r[to] = merge(a, b)
			return defined
		}
	}
	panic("regoir: a statement that validate accepts is not translated")
}

// once translates the assignment of a rule's value.
func (t *translator) assignOnce(s *ir.AssignVarOnceStmt) step {
	from := t.operand(s.Source)
	switch {
	case t.earlyValue != nil && s.Target == t.resultLocal:
		value := t.earlyValue
		return func(m *machine, _ []*ast.Term) outcome {
			m.returnValue = value
			return returned
		}
	case t.finalAssigns[s]:
		return func(m *machine, r []*ast.Term) outcome {
			value := from.load(r)
			if value == nil {
				return undefined
			}
			m.returnValue = finish(value)
			return returned
		}
	}
	to := t.define(s.Target)
	message, at := "rule "+t.function.name+" produced conflicting values", t.program.location(s)
	if !t.function.isRule {
		message = "function " + t.function.name + " produced conflicting values for the same inputs"
	}
	return func(m *machine, r []*ast.Term) outcome {
		value := from.load(r)
		if before := r[to]; before != nil && !equal(before, value) {
			return m.fail(conflictError(message, at))
		}
		r[to] = value
		return defined
	}
}

func (t *translator) dot(s *ir.DotStmt) step {
	from, key, find := t.operand(s.Source), t.operand(s.Key), t.lookupFunc(s.Source)
	to := t.define(s.Target)
	t.baseLocals[s.Target] = t.isBase(s.Source)
	if t.constructions.nestedLookups[s] {
		return func(_ *machine, r []*ast.Term) outcome {
			grown, ok := r[from.register].Value.(*nestedBuilder)
			if !ok {
				return undefined
			}
			v := grown.get(Materialize(key.load(r)))
			if v == nil {
				return undefined
			}
			r[to] = v
			return defined
		}
	}
	if key.constant != nil {
		k := &lookupSite{key: key.constant}
		return func(_ *machine, r []*ast.Term) outcome {
			v := k.lookup(from.load(r), find)
			if v == nil {
				return undefined
			}
			r[to] = v
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		v := find(from.load(r), key.load(r))
		if v == nil {
			return undefined
		}
		r[to] = v
		return defined
	}
}

func isA[T ast.Value](t *ast.Term) bool {
	if t == nil {
		return false
	}
	_, ok := t.Value.(T)
	return ok
}
