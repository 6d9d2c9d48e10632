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
		return t.dynamic(s)
	case *ir.ReturnLocalStmt:
		from := t.operand(ir.Operand{Value: s.Source})
		return func(m *machine, r []*ast.Term) outcome {
			if m.returnValue = from.of(r); m.returnValue != nil {
				m.returnValue = finished(m.returnValue)
			}
			return returned
		}
	case *ir.ResultSetAddStmt:
		from := t.operand(ir.Operand{Value: s.Value})
		return func(m *machine, r []*ast.Term) outcome {
			m.results = append(m.results, Materialize(from.of(r)))
			return defined
		}
	case *ir.MakeArrayStmt, *ir.MakeObjectStmt, *ir.MakeSetStmt:
		return t.make(s)
	case *ir.ArrayAppendStmt, *ir.SetAddStmt, *ir.ObjectInsertStmt, *ir.ObjectInsertOnceStmt:
		return t.add(s)
	case *ir.EqualStmt, *ir.NotEqualStmt, *ir.IsArrayStmt, *ir.IsObjectStmt, *ir.IsSetStmt, *ir.IsDefinedStmt, *ir.IsUndefinedStmt:
		return t.test(s)
	}
	return t.assignment(s)
}

// assignment translates statements that give a local a value.
func (t *translator) assignment(s ir.Stmt) step {
	switch s := s.(type) {
	case *ir.AssignIntStmt:
		return t.store(s.Target, intTerm(s.Value))
	case *ir.MakeNumberIntStmt:
		return t.store(s.Target, intTerm(s.Value))
	case *ir.MakeNumberRefStmt:
		text, _ := t.program.strings[s.Index].Value.(ast.String)
		return t.store(s.Target, numberTerm(string(text)))
	case *ir.MakeNullStmt:
		return t.store(s.Target, ast.InternedNullTerm)
	case *ir.ResetLocalStmt:
		t.unknown(s.Target)
		if t.nothing(s.Target) {
			return nil
		}
		to := t.target(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = nil
			return defined
		}
	case *ir.AssignVarStmt:
		from := t.operand(s.Source)
		if from.constant != nil {
			return t.store(s.Target, from.constant)
		}
		to, register := t.target(s.Target), from.register
		return func(_ *machine, r []*ast.Term) outcome {
			r[to] = r[register]
			return defined
		}
	case *ir.AssignVarOnceStmt:
		return t.once(s)
	case *ir.DotStmt:
		return t.dot(s)
	case *ir.LenStmt:
		from := t.operand(s.Source)
		to := t.target(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			v := from.of(r)
			if v == nil {
				return undefined
			}
			r[to] = ast.InternedTerm(length(v))
			return defined
		}
	case *ir.ObjectMergeStmt:
		base, virtual := t.operand(ir.Operand{Value: s.A}), t.operand(ir.Operand{Value: s.B})
		to := t.target(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			a, b := base.of(r), virtual.of(r)
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
func (t *translator) once(s *ir.AssignVarOnceStmt) step {
	from := t.operand(s.Source)
	switch {
	case t.early != nil && s.Target == t.result:
		value := t.early
		return func(m *machine, _ []*ast.Term) outcome {
			m.returnValue = value
			return returned
		}
	case t.direct[s]:
		return func(m *machine, r []*ast.Term) outcome {
			value := from.of(r)
			if value == nil {
				return undefined
			}
			m.returnValue = finished(value)
			return returned
		}
	}
	to := t.target(s.Target)
	message, at := "rule "+t.function.name+" produced conflicting values", t.program.location(s)
	if !t.function.isRule {
		message = "function " + t.function.name + " produced conflicting values for the same inputs"
	}
	return func(m *machine, r []*ast.Term) outcome {
		value := from.of(r)
		if before := r[to]; before != nil && !equal(before, value) {
			return m.fail(conflict(message, at))
		}
		r[to] = value
		return defined
	}
}

func (t *translator) dot(s *ir.DotStmt) step {
	from, key, find := t.operand(s.Source), t.operand(s.Key), t.finder(s.Source)
	to := t.target(s.Target)
	t.base[s.Target] = t.isBase(s.Source)
	if t.shapes.tree[s] {
		return func(_ *machine, r []*ast.Term) outcome {
			grown, ok := r[from.register].Value.(*tree)
			if !ok {
				return undefined
			}
			v := grown.get(Materialize(key.of(r)))
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
			v := k.lookup(from.of(r), find)
			if v == nil {
				return undefined
			}
			r[to] = v
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		v := find(from.of(r), key.of(r))
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
