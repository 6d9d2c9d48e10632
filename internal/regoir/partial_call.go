package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

func (p *partialEvaluator) call(s *ir.CallStmt, env *environment) (partialValue, outcome) {
	f := p.program.byName[s.Func]
	var args []partialValue
	for i, o := range s.Args {
		if f != nil && i < 2 { // input and data
			if o.Value != ir.Val([]ir.Local{ir.Input, ir.Data}[i]) {
				return partialValue{}, failed
			}
			continue
		}
		value, known := p.read(o, env)
		if !known || value.term == nil {
			return partialValue{}, failed
		}
		args = append(args, value)
	}
	switch {
	case f == nil:
		return p.intrinsic(s.Func, args)
	case isFunctionMember(s, f):
		return partialValue{}, undefined
	case f.isRule:
		return p.assumeUndefined(f)
	}
	return p.function(f, args)
}

func (p *partialEvaluator) intrinsic(name string, args []partialValue) (partialValue, outcome) {
	if p.program.options.Builtins[name] != nil {
		return partialValue{}, failed
	}
	unary, binary := intrinsic(name)
	var value *ast.Term
	switch {
	case unary != nil && len(args) == 1:
		value = unary(args[0].term)
	case binary != nil && len(args) == 2:
		value = binary(args[0].term, args[1].term)
	}
	if value == nil {
		return partialValue{}, failed
	}
	return partialValue{term: value}, defined
}

// function evaluates a function of the plan for known arguments.
func (p *partialEvaluator) function(f *function, args []partialValue) (partialValue, outcome) {
	if f.decodeBody() != nil {
		return partialValue{}, failed
	}
	env := &environment{values: map[ir.Local]partialValue{}, inFunction: true}
	for i, l := range f.source.Params {
		if i >= 2 {
			env.values[l] = args[i-2]
		}
	}
	for _, b := range f.source.Blocks {
		switch e, value := p.block(b.Stmts, env); {
		case e == returned:
			return value, defined
		case e > undefined:
			return partialValue{}, failed
		}
	}
	return partialValue{}, undefined
}

func (p *partialEvaluator) dynamicCall(s *ir.CallDynamicStmt, env *environment) (partialValue, outcome) {
	if !slices.Equal(s.Args, []ir.Local{ir.Input, ir.Data}) {
		return partialValue{}, failed
	}
	node := p.program.ruleTree
	for _, o := range s.Path {
		key, known := p.read(o, env)
		if !known || key.term == nil {
			return partialValue{}, failed
		}
		name, ok := key.term.Value.(ast.String)
		if !ok || node.children[string(name)] == nil {
			return partialValue{}, undefined
		}
		node = node.children[string(name)]
	}
	if node.function == nil || !node.function.isRule {
		return partialValue{}, undefined
	}
	return p.assumeUndefined(node.function)
}

// assumeUndefined evaluates a rule as if none of its clauses succeeded, and records the guards that
// hold otherwise. It does so for one rule only, and gives up if there are no such guards.
func (p *partialEvaluator) assumeUndefined(f *function) (partialValue, outcome) {
	if p.guards != nil || f.decodeBody() != nil {
		return partialValue{}, failed
	}
	empty, guards := f.necessaryGuards()
	if len(guards) == 0 {
		return partialValue{}, failed
	}
	p.guards = guards
	return partialValue{term: empty}, defined
}

// necessaryGuards returns the guards that hold whenever a clause of a rule succeeds, and the rule's
// value if none does: the empty set or object of a partial rule, or else nil.
func (f *function) necessaryGuards() (empty *ast.Term, necessary []guard) {
	t := newTranslator(f)
	for _, l := range f.source.Params {
		t.define(l)
	}
	clauses := 0
	for _, b := range f.source.Blocks {
		if len(b.Stmts) == 0 || storesResult(b, f.source.Return) || isReturn(b) {
			continue
		}
		if l, k, ok := makeTarget(b.Stmts[0]); ok && len(b.Stmts) == 1 && l == f.source.Return {
			empty = finish(newBuilder(k))
			continue
		}
		guards := slices.DeleteFunc(t.guards(b.Stmts), func(g guard) bool { return g.pattern })
		if clauses++; clauses == 1 {
			necessary = guards
			continue
		}
		necessary = disjoin(necessary, guards)
	}
	return empty, necessary
}

// disjoin returns the guards that hold whenever all of a or all of b hold: for each path that both
// test, the values of both.
func disjoin(a, b []guard) (both []guard) {
	for _, g := range a {
		if other := (clause{guards: b}).guardOn(g.path.key()); other != nil {
			both = append(both, guard{path: g.path, values: slices.Concat(g.values, other.values)})
		}
	}
	return both
}
