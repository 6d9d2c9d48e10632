package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// assumption finds out what an iteration does for one member, without an input: whether it does
// nothing if one rule has no value. It computes what depends on the member and on the data, and gives
// up where more is needed.
type assumption struct {
	machine *machine
	program *Program
	data    *ast.Term
	guards  []guard // all hold if the rule has a value; nil if no rule was needed
	work    *work
}

// found is a value that is known; without a term it is known that there is none.
type found struct {
	term    *ast.Term
	base    bool // it was looked up in the data
	unknown bool
}

// locals are the values of locals of the iteration or of a function. Of an iteration, others are not
// known.
type locals struct {
	known    map[ir.Local]found
	function bool
}

// member reports whether the iteration does nothing for a member unless the guards hold.
func (a *assumption) member(s *ir.ScanStmt, n int, value *ast.Term) bool {
	l := &locals{known: map[ir.Local]found{s.Key: {term: ast.InternedTerm(n)}, s.Value: {term: value}}}
	e, _ := a.block(s.Block.Stmts, l)
	return e == defined || e == undefined
}

// block computes statements; the end is failed where it gives up.
func (a *assumption) block(stmts []ir.Stmt, l *locals) (end, found) {
	for n := 0; n < len(stmts); n++ {
		s := stmts[n]
		if !a.goesOn() {
			return failed, found{}
		}
		if set, ok := s.(*ir.MakeSetStmt); ok && l.function {
			l.known[set.Target] = found{unknown: true}
			n += a.work.additions(set, stmts[n+1:])
			continue
		}
		if ret, ok := s.(*ir.ReturnLocalStmt); ok {
			value, known := a.read(ir.Operand{Value: ret.Source}, l)
			if !known || !l.function {
				return failed, found{}
			}
			return returned, value
		}
		if e, value := a.statement(s, l); e != defined {
			return e, value
		}
	}
	return defined, found{}
}

func (a *assumption) statement(s ir.Stmt, l *locals) (end, found) {
	switch s := s.(type) {
	case *ir.NopStmt:
		return defined, found{}
	case *ir.BreakStmt:
		return undefined + end(s.Index), found{}
	case *ir.BlockStmt:
		for _, n := range a.blocks(s, l) {
			if e, value := a.block(s.Blocks[n].Stmts, l); e > undefined {
				return e.leave(), value
			}
		}
		return defined, found{}
	case *ir.NotStmt:
		e, value := a.block(s.Block.Stmts, l)
		switch e {
		case defined:
			return undefined, found{}
		case undefined:
			return defined, found{}
		}
		return e, value
	case *ir.ScanStmt:
		return a.scan(s, l)
	case *ir.ResetLocalStmt:
		l.known[s.Target] = found{}
		return defined, found{}
	case *ir.AssignVarOnceStmt:
		return a.once(s, l), found{}
	}
	if e, ok := a.test(s, l); ok {
		return e, found{}
	}
	return a.value(s, l), found{}
}

func (a *assumption) scan(s *ir.ScanStmt, l *locals) (end, found) {
	v, known := a.read(ir.Operand{Value: s.Source}, l)
	if !known || v.term != nil && (!composite(v.term) || isDeferred(v.term)) {
		return failed, found{}
	}
	ended, value := defined, found{}
	one := func(k, x *ast.Term) bool {
		l.known[s.Key], l.known[s.Value] = found{term: k}, found{term: x, base: v.base}
		var e end
		if e, value = a.block(s.Block.Stmts, l); e > undefined {
			ended = e
		}
		return ended != defined
	}
	if v.term == nil {
		return defined, found{}
	}
	switch c := v.term.Value.(type) {
	case ast.Object:
		c.Until(one)
	case ast.Set:
		c.Until(func(x *ast.Term) bool { return one(x, x) })
	case *ast.Array:
		for i := range c.Len() {
			if one(ast.InternedTerm(i), c.Elem(i)) {
				break
			}
		}
	}
	return ended, value
}

// once keeps a value of a function. In an iteration that would be an effect.
func (a *assumption) once(s *ir.AssignVarOnceStmt, l *locals) end {
	value, known := a.read(s.Source, l)
	before := l.known[s.Target]
	if !known || !l.function || value.term == nil || before.term != nil && !same(before.term, value.term) {
		return failed
	}
	l.known[s.Target] = value
	return defined
}

// test computes statements that only compare. It reports whether s is one.
func (a *assumption) test(s ir.Stmt, l *locals) (end, bool) {
	var one, other ir.Operand
	var holds func(x, y *ast.Term) bool
	switch s := s.(type) {
	case *ir.EqualStmt:
		one, other, holds = s.A, s.B, same
	case *ir.NotEqualStmt:
		one, other, holds = s.A, s.B, func(x, y *ast.Term) bool { return !same(x, y) }
	case *ir.IsArrayStmt:
		one, holds = s.Source, func(x, _ *ast.Term) bool { return isArray(x) }
	case *ir.IsObjectStmt:
		one, holds = s.Source, func(x, _ *ast.Term) bool { return isObject(x) }
	case *ir.IsSetStmt:
		one, holds = s.Source, func(x, _ *ast.Term) bool { return isSet(x) }
	case *ir.IsDefinedStmt:
		one, holds = ir.Operand{Value: s.Source}, func(x, _ *ast.Term) bool { return x != nil }
	case *ir.IsUndefinedStmt:
		one, holds = ir.Operand{Value: s.Source}, func(x, _ *ast.Term) bool { return x == nil }
	default:
		return 0, false
	}
	if other.Value == nil {
		other = one
	}
	x, knownX := a.read(one, l)
	y, knownY := a.read(other, l)
	switch {
	case !knownX || !knownY:
		return failed, true
	case holds(x.term, y.term):
		return defined, true
	}
	return undefined, true
}

// value computes statements that give a local a value.
func (a *assumption) value(s ir.Stmt, l *locals) end {
	var to ir.Local
	var value found
	e := defined
	switch s := s.(type) {
	case *ir.AssignIntStmt:
		to, value.term = s.Target, integer(s.Value)
	case *ir.MakeNumberIntStmt:
		to, value.term = s.Target, integer(s.Value)
	case *ir.MakeNumberRefStmt:
		text, _ := a.program.strings[s.Index].Value.(ast.String)
		to, value.term = s.Target, number(string(text))
	case *ir.MakeNullStmt:
		to, value.term = s.Target, ast.InternedNullTerm
	case *ir.AssignVarStmt:
		var known bool
		if value, known = a.read(s.Source, l); !known {
			return failed
		}
		l.known[s.Target] = value
		return defined
	case *ir.LenStmt:
		from, known := a.read(s.Source, l)
		if !known {
			return failed
		}
		if from.term != nil {
			value.term = ast.InternedTerm(length(from.term))
		}
		to = s.Target
	case *ir.DotStmt:
		to = s.Target
		value, e = a.dot(s, l)
	case *ir.CallStmt:
		to = s.Result
		value, e = a.call(s, l)
	case *ir.CallDynamicStmt:
		to = s.Result
		value, e = a.dynamic(s, l)
	default:
		return failed
	}
	switch {
	case e != defined:
		return e
	case value.term == nil:
		return undefined
	}
	l.known[to] = value
	return defined
}

func (a *assumption) dot(s *ir.DotStmt, l *locals) (found, end) {
	from, known := a.read(s.Source, l)
	key, knownKey := a.read(s.Key, l)
	if !known || !knownKey {
		return found{}, failed
	}
	find := look
	if from.base {
		find = lookInData
	}
	return found{term: find(from.term, key.term), base: from.base}, defined
}

// read returns what an operand holds, and whether that is known.
func (a *assumption) read(o ir.Operand, l *locals) (found, bool) {
	switch v := o.Value.(type) {
	case ir.Bool:
		return found{term: ast.InternedTerm(bool(v))}, true
	case ir.StringIndex:
		return found{term: a.program.strings[v]}, true
	case ir.Local:
		switch v {
		case ir.Input:
			return found{}, false
		case ir.Data:
			return found{term: a.data, base: true}, true
		}
		value, known := l.known[v]
		return value, !value.unknown && (known || l.function)
	}
	return found{}, false
}

func composite(t *ast.Term) bool { return isArray(t) || isSet(t) || isObject(t) }
