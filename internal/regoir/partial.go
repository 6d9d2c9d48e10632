package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// assumption finds out what an iteration does for one member, without an input: whether it does
// nothing if one rule has no value. It computes what depends on the member and on the data, and gives
// up where more is needed.
type partialEvaluator struct {
	machine *machine
	program *Program
	data    *ast.Term
	guards  []guard // all hold if the rule has a value; nil if no rule was needed
	budget  *workBudget
}

// knownValue is a value that is known; without a term it is known that there is none.
type partialValue struct {
	term    *ast.Term
	base    bool // it was looked up in the data
	unknown bool
}

// locals are the values of locals of the iteration or of a function. Of an iteration, others are not
// known.
type environment struct {
	values     map[ir.Local]partialValue
	inFunction bool
}

// member reports whether the iteration does nothing for a member unless the guards hold.
func (a *partialEvaluator) evalMember(s *ir.ScanStmt, n int, value *ast.Term) bool {
	l := &environment{values: map[ir.Local]partialValue{s.Key: {term: ast.InternedTerm(n)}, s.Value: {term: value}}}
	e, _ := a.block(s.Block.Stmts, l)
	return e == defined || e == undefined
}

// block computes statements; the end is failed where it gives up.
func (a *partialEvaluator) block(stmts []ir.Stmt, l *environment) (outcome, partialValue) {
	for n := 0; n < len(stmts); n++ {
		s := stmts[n]
		if !a.spend() {
			return failed, partialValue{}
		}
		if set, ok := s.(*ir.MakeSetStmt); ok && l.inFunction {
			l.values[set.Target] = partialValue{unknown: true}
			n += a.budget.countAdditions(set, stmts[n+1:])
			continue
		}
		if ret, ok := s.(*ir.ReturnLocalStmt); ok {
			value, known := a.read(ir.Operand{Value: ret.Source}, l)
			if !known || !l.inFunction {
				return failed, partialValue{}
			}
			return returned, value
		}
		if e, value := a.statement(s, l); e != defined {
			return e, value
		}
	}
	return defined, partialValue{}
}

func (a *partialEvaluator) statement(s ir.Stmt, l *environment) (outcome, partialValue) {
	switch s := s.(type) {
	case *ir.NopStmt:
		return defined, partialValue{}
	case *ir.BreakStmt:
		return undefined + outcome(s.Index), partialValue{}
	case *ir.BlockStmt:
		for _, n := range a.candidateBlocks(s, l) {
			if e, value := a.block(s.Blocks[n].Stmts, l); e > undefined {
				return e.exitBlock(), value
			}
		}
		return defined, partialValue{}
	case *ir.NotStmt:
		e, value := a.block(s.Block.Stmts, l)
		switch e {
		case defined:
			return undefined, partialValue{}
		case undefined:
			return defined, partialValue{}
		}
		return e, value
	case *ir.ScanStmt:
		return a.scan(s, l)
	case *ir.ResetLocalStmt:
		l.values[s.Target] = partialValue{}
		return defined, partialValue{}
	case *ir.AssignVarOnceStmt:
		return a.assignOnce(s, l), partialValue{}
	}
	if e, ok := a.comparison(s, l); ok {
		return e, partialValue{}
	}
	return a.assignment(s, l), partialValue{}
}

func (a *partialEvaluator) scan(s *ir.ScanStmt, l *environment) (outcome, partialValue) {
	v, known := a.read(ir.Operand{Value: s.Source}, l)
	if !known || v.term != nil && (!isComposite(v.term) || isLazy(v.term)) {
		return failed, partialValue{}
	}
	ended, value := defined, partialValue{}
	one := func(k, x *ast.Term) bool {
		l.values[s.Key], l.values[s.Value] = partialValue{term: k}, partialValue{term: x, base: v.base}
		var e outcome
		if e, value = a.block(s.Block.Stmts, l); e > undefined {
			ended = e
		}
		return ended != defined
	}
	if v.term == nil {
		return defined, partialValue{}
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
func (a *partialEvaluator) assignOnce(s *ir.AssignVarOnceStmt, l *environment) outcome {
	value, known := a.read(s.Source, l)
	before := l.values[s.Target]
	if !known || !l.inFunction || value.term == nil || before.term != nil && !equal(before.term, value.term) {
		return failed
	}
	l.values[s.Target] = value
	return defined
}

// test computes statements that only compare. It reports whether s is one.
func (a *partialEvaluator) comparison(s ir.Stmt, l *environment) (outcome, bool) {
	var one, other ir.Operand
	var holds func(x, y *ast.Term) bool
	switch s := s.(type) {
	case *ir.EqualStmt:
		one, other, holds = s.A, s.B, equal
	case *ir.NotEqualStmt:
		one, other, holds = s.A, s.B, func(x, y *ast.Term) bool { return !equal(x, y) }
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
func (a *partialEvaluator) assignment(s ir.Stmt, l *environment) outcome {
	var to ir.Local
	var value partialValue
	e := defined
	switch s := s.(type) {
	case *ir.AssignIntStmt:
		to, value.term = s.Target, intTerm(s.Value)
	case *ir.MakeNumberIntStmt:
		to, value.term = s.Target, intTerm(s.Value)
	case *ir.MakeNumberRefStmt:
		text, _ := a.program.strings[s.Index].Value.(ast.String)
		to, value.term = s.Target, numberTerm(string(text))
	case *ir.MakeNullStmt:
		to, value.term = s.Target, ast.InternedNullTerm
	case *ir.AssignVarStmt:
		var known bool
		if value, known = a.read(s.Source, l); !known {
			return failed
		}
		l.values[s.Target] = value
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
		value, e = a.dynamicCall(s, l)
	default:
		return failed
	}
	switch {
	case e != defined:
		return e
	case value.term == nil:
		return undefined
	}
	l.values[to] = value
	return defined
}

func (a *partialEvaluator) dot(s *ir.DotStmt, l *environment) (partialValue, outcome) {
	from, known := a.read(s.Source, l)
	key, knownKey := a.read(s.Key, l)
	if !known || !knownKey {
		return partialValue{}, failed
	}
	find := lookup
	if from.base {
		find = lookupBase
	}
	return partialValue{term: find(from.term, key.term), base: from.base}, defined
}

// read returns what an operand holds, and whether that is known.
func (a *partialEvaluator) read(o ir.Operand, l *environment) (partialValue, bool) {
	switch v := o.Value.(type) {
	case ir.Bool:
		return partialValue{term: ast.InternedTerm(bool(v))}, true
	case ir.StringIndex:
		return partialValue{term: a.program.strings[v]}, true
	case ir.Local:
		switch v {
		case ir.Input:
			return partialValue{}, false
		case ir.Data:
			return partialValue{term: a.data, base: true}, true
		}
		value, known := l.values[v]
		return value, !value.unknown && (known || l.inFunction)
	}
	return partialValue{}, false
}

func isComposite(t *ast.Term) bool { return isArray(t) || isSet(t) || isObject(t) }
