package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// statement translates one statement. It returns nil if there is nothing to do at run time.
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
		src := t.operand(ir.Operand{Value: s.Source})
		return func(m *machine, r []*ast.Term) outcome {
			if m.returnValue = src.load(r); m.returnValue != nil {
				m.returnValue = finish(m.returnValue)
			}
			return returned
		}
	case *ir.ResultSetAddStmt:
		src := t.operand(ir.Operand{Value: s.Value})
		return func(m *machine, r []*ast.Term) outcome {
			m.results = append(m.results, Materialize(src.load(r)))
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

// assignment translates statements that assign a value to a local.
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
		dst := t.define(s.Target)
		return func(_ *machine, r []*ast.Term) outcome {
			r[dst] = nil
			return defined
		}
	case *ir.AssignVarStmt:
		src := t.operand(s.Source)
		if src.constant != nil {
			return t.storeConstant(s.Target, src.constant)
		}
		dst, register := t.define(s.Target), src.register
		return func(_ *machine, r []*ast.Term) outcome {
			r[dst] = r[register]
			return defined
		}
	case *ir.AssignVarOnceStmt:
		return t.assignOnce(s)
	case *ir.DotStmt:
		return t.dot(s)
	case *ir.LenStmt:
		return t.length(s)
	case *ir.ObjectMergeStmt:
		return t.merge(s)
	}
	panic("regoir: no translation for a statement that validate accepts")
}

func (t *translator) length(s *ir.LenStmt) step {
	src := t.operand(s.Source)
	dst := t.define(s.Target)
	return func(_ *machine, r []*ast.Term) outcome {
		v := src.load(r)
		if v == nil {
			return undefined
		}
		r[dst] = ast.InternedTerm(length(v))
		return defined
	}
}

// merge translates the union of a base document with the rules below the same reference.
func (t *translator) merge(s *ir.ObjectMergeStmt) step {
	base, virtual := t.operand(ir.Operand{Value: s.A}), t.operand(ir.Operand{Value: s.B})
	dst := t.define(s.Target)
	return func(_ *machine, r []*ast.Term) outcome {
		a, b := base.load(r), virtual.load(r)
		if a == nil || b == nil {
			return undefined
		}
		r[dst] = merge(a, b)
		return defined
	}
}

// assignOnce translates the assignment of a clause's value, which must not differ from a value that
// was assigned before.
func (t *translator) assignOnce(s *ir.AssignVarOnceStmt) step {
	src := t.operand(s.Source)
	switch {
	case t.earlyValue != nil && s.Target == t.resultLocal:
		value := t.earlyValue
		return func(m *machine, _ []*ast.Term) outcome {
			m.returnValue = value
			return returned
		}
	case t.finalAssigns[s]:
		return func(m *machine, r []*ast.Term) outcome {
			value := src.load(r)
			if value == nil {
				return undefined
			}
			m.returnValue = finish(value)
			return returned
		}
	}
	dst := t.define(s.Target)
	message, at := "rule "+t.function.name+" produced conflicting values", t.program.location(s)
	if !t.function.isRule {
		message = "function " + t.function.name + " produced conflicting values for the same inputs"
	}
	return func(m *machine, r []*ast.Term) outcome {
		value := src.load(r)
		if old := r[dst]; old != nil && !equal(old, value) {
			return m.fail(conflictError(message, at))
		}
		r[dst] = value
		return defined
	}
}

// dot translates the lookup of a member.
func (t *translator) dot(s *ir.DotStmt) step {
	src, key, find := t.operand(s.Source), t.operand(s.Key), t.lookupFunc(s.Source)
	dst := t.define(s.Target)
	t.baseLocals[s.Target] = t.isBase(s.Source)
	if t.constructions.nestedLookups[s] {
		return func(_ *machine, r []*ast.Term) outcome {
			nested, ok := r[src.register].Value.(*nestedBuilder)
			if !ok {
				return undefined
			}
			v := nested.get(Materialize(key.load(r)))
			if v == nil {
				return undefined
			}
			r[dst] = v
			return defined
		}
	}
	if key.constant != nil {
		site := &lookupSite{key: key.constant}
		return func(_ *machine, r []*ast.Term) outcome {
			v := site.lookup(src.load(r), find)
			if v == nil {
				return undefined
			}
			r[dst] = v
			return defined
		}
	}
	return func(_ *machine, r []*ast.Term) outcome {
		v := find(src.load(r), key.load(r))
		if v == nil {
			return undefined
		}
		r[dst] = v
		return defined
	}
}
