package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// partialEvaluator evaluates the body of an iteration for one element, without an input, to find out
// whether it has no effect as long as a certain rule is undefined. It computes what depends only on
// the element and on data. Where it needs more, it gives up: the outcome is then failed.
type partialEvaluator struct {
	machine *machine
	program *Program
	data    *ast.Term
	guards  []guard // all of them hold if the rule is defined after all; nil if no rule was needed
	budget  *workBudget
}

// partialValue is the value of a local. Unless the value is unknown, a nil term means that the local
// is undefined.
type partialValue struct {
	term    *ast.Term
	isBase  bool // it is a part of data
	unknown bool
}

// environment holds the values of the locals of an iteration or of a function. What an iteration has
// not assigned itself is unknown; in a function, it is undefined.
type environment struct {
	values     map[ir.Local]partialValue
	inFunction bool
}

// hasNoEffect reports whether an iteration does nothing for an element unless p.guards hold.
func (p *partialEvaluator) hasNoEffect(s *ir.ScanStmt, index int, element *ast.Term) bool {
	env := &environment{values: map[ir.Local]partialValue{s.Key: {term: ast.InternedTerm(index)}, s.Value: {term: element}}}
	e, _ := p.block(s.Block.Stmts, env)
	return e == defined || e == undefined
}

// block evaluates statements. If the outcome is returned, the value is that of the function.
func (p *partialEvaluator) block(stmts []ir.Stmt, env *environment) (outcome, partialValue) {
	for i := 0; i < len(stmts); i++ {
		s := stmts[i]
		if !p.spend() {
			return failed, partialValue{}
		}
		if set, ok := s.(*ir.MakeSetStmt); ok && env.inFunction {
			env.values[set.Target] = partialValue{unknown: true}
			i += p.budget.countAdditions(set, stmts[i+1:])
			continue
		}
		if ret, ok := s.(*ir.ReturnLocalStmt); ok {
			value, known := p.read(ir.Operand{Value: ret.Source}, env)
			if !known || !env.inFunction {
				return failed, partialValue{}
			}
			return returned, value
		}
		if e, value := p.statement(s, env); e != defined {
			return e, value
		}
	}
	return defined, partialValue{}
}

func (p *partialEvaluator) statement(s ir.Stmt, env *environment) (outcome, partialValue) {
	switch s := s.(type) {
	case *ir.NopStmt:
		return defined, partialValue{}
	case *ir.BreakStmt:
		return undefined + outcome(s.Index), partialValue{}
	case *ir.BlockStmt:
		for _, i := range p.candidateBlocks(s, env) {
			if e, value := p.block(s.Blocks[i].Stmts, env); e > undefined {
				return e.exitBlock(), value
			}
		}
		return defined, partialValue{}
	case *ir.NotStmt:
		e, value := p.block(s.Block.Stmts, env)
		switch e {
		case defined:
			return undefined, partialValue{}
		case undefined:
			return defined, partialValue{}
		}
		return e, value
	case *ir.ScanStmt:
		return p.scan(s, env)
	case *ir.ResetLocalStmt:
		env.values[s.Target] = partialValue{}
		return defined, partialValue{}
	case *ir.AssignVarOnceStmt:
		return p.assignOnce(s, env), partialValue{}
	}
	if e, ok := p.comparison(s, env); ok {
		return e, partialValue{}
	}
	return p.assignment(s, env), partialValue{}
}

func (p *partialEvaluator) scan(s *ir.ScanStmt, env *environment) (outcome, partialValue) {
	source, known := p.read(ir.Operand{Value: s.Source}, env)
	if !known || source.term != nil && (!isComposite(source.term) || isLazy(source.term)) {
		return failed, partialValue{}
	}
	result, value := defined, partialValue{}
	visit := func(k, v *ast.Term) bool {
		env.values[s.Key], env.values[s.Value] = partialValue{term: k}, partialValue{term: v, isBase: source.isBase}
		var e outcome
		if e, value = p.block(s.Block.Stmts, env); e > undefined {
			result = e
		}
		return result != defined
	}
	if source.term == nil {
		return defined, partialValue{}
	}
	switch c := source.term.Value.(type) {
	case ast.Object:
		c.Until(visit)
	case ast.Set:
		c.Until(func(x *ast.Term) bool { return visit(x, x) })
	case *ast.Array:
		for i := range c.Len() {
			if visit(ast.InternedTerm(i), c.Elem(i)) {
				break
			}
		}
	}
	return result, value
}

// assignOnce evaluates an assignment to the result of a function. In an iteration, it would be an
// effect.
func (p *partialEvaluator) assignOnce(s *ir.AssignVarOnceStmt, env *environment) outcome {
	value, known := p.read(s.Source, env)
	old := env.values[s.Target]
	if !known || !env.inFunction || value.term == nil || old.term != nil && !equal(old.term, value.term) {
		return failed
	}
	env.values[s.Target] = value
	return defined
}

// comparison evaluates statements that only test values. It reports whether s is one.
func (p *partialEvaluator) comparison(s ir.Stmt, env *environment) (outcome, bool) {
	var a, b ir.Operand
	var holds func(x, y *ast.Term) bool
	switch s := s.(type) {
	case *ir.EqualStmt:
		a, b, holds = s.A, s.B, equal
	case *ir.NotEqualStmt:
		a, b, holds = s.A, s.B, func(x, y *ast.Term) bool { return !equal(x, y) }
	case *ir.IsArrayStmt:
		a, holds = s.Source, func(x, _ *ast.Term) bool { return isArray(x) }
	case *ir.IsObjectStmt:
		a, holds = s.Source, func(x, _ *ast.Term) bool { return isObject(x) }
	case *ir.IsSetStmt:
		a, holds = s.Source, func(x, _ *ast.Term) bool { return isSet(x) }
	case *ir.IsDefinedStmt:
		a, holds = ir.Operand{Value: s.Source}, func(x, _ *ast.Term) bool { return x != nil }
	case *ir.IsUndefinedStmt:
		a, holds = ir.Operand{Value: s.Source}, func(x, _ *ast.Term) bool { return x == nil }
	default:
		return 0, false
	}
	if b.Value == nil {
		b = a
	}
	x, knownX := p.read(a, env)
	y, knownY := p.read(b, env)
	switch {
	case !knownX || !knownY:
		return failed, true
	case holds(x.term, y.term):
		return defined, true
	}
	return undefined, true
}

// assignment evaluates statements that assign a value to a local.
func (p *partialEvaluator) assignment(s ir.Stmt, env *environment) outcome {
	var target ir.Local
	var value partialValue
	e := defined
	switch s := s.(type) {
	case *ir.AssignIntStmt:
		target, value.term = s.Target, intTerm(s.Value)
	case *ir.MakeNumberIntStmt:
		target, value.term = s.Target, intTerm(s.Value)
	case *ir.MakeNumberRefStmt:
		text, _ := p.program.strings[s.Index].Value.(ast.String)
		target, value.term = s.Target, numberTerm(string(text))
	case *ir.MakeNullStmt:
		target, value.term = s.Target, ast.InternedNullTerm
	case *ir.AssignVarStmt:
		var known bool
		if value, known = p.read(s.Source, env); !known {
			return failed
		}
		env.values[s.Target] = value
		return defined
	case *ir.LenStmt:
		source, known := p.read(s.Source, env)
		if !known {
			return failed
		}
		if source.term != nil {
			value.term = ast.InternedTerm(length(source.term))
		}
		target = s.Target
	case *ir.DotStmt:
		target = s.Target
		value, e = p.dot(s, env)
	case *ir.CallStmt:
		target = s.Result
		value, e = p.call(s, env)
	case *ir.CallDynamicStmt:
		target = s.Result
		value, e = p.dynamicCall(s, env)
	default:
		return failed
	}
	switch {
	case e != defined:
		return e
	case value.term == nil:
		return undefined
	}
	env.values[target] = value
	return defined
}

func (p *partialEvaluator) dot(s *ir.DotStmt, env *environment) (partialValue, outcome) {
	source, known := p.read(s.Source, env)
	key, knownKey := p.read(s.Key, env)
	if !known || !knownKey {
		return partialValue{}, failed
	}
	find := lookup
	if source.isBase {
		find = lookupBase
	}
	return partialValue{term: find(source.term, key.term), isBase: source.isBase}, defined
}

// read returns the value of an operand, and whether it is known.
func (p *partialEvaluator) read(o ir.Operand, env *environment) (partialValue, bool) {
	switch v := o.Value.(type) {
	case ir.Bool:
		return partialValue{term: ast.InternedTerm(bool(v))}, true
	case ir.StringIndex:
		return partialValue{term: p.program.strings[v]}, true
	case ir.Local:
		switch v {
		case ir.Input:
			return partialValue{}, false
		case ir.Data:
			return partialValue{term: p.data, isBase: true}, true
		}
		value, assigned := env.values[v]
		return value, !value.unknown && (assigned || env.inFunction)
	}
	return partialValue{}, false
}
