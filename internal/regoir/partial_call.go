package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

func (a *partialEvaluator) call(s *ir.CallStmt, l *environment) (partialValue, outcome) {
	f := a.program.byName[s.Func]
	var args []partialValue
	for i, o := range s.Args {
		if f != nil && i < 2 { // input and data
			if o.Value != ir.Val([]ir.Local{ir.Input, ir.Data}[i]) {
				return partialValue{}, failed
			}
			continue
		}
		value, known := a.read(o, l)
		if !known || value.term == nil {
			return partialValue{}, failed
		}
		args = append(args, value)
	}
	switch {
	case f == nil:
		return a.intrinsic(s.Func, args)
	case isFunctionMember(s, f):
		return partialValue{}, undefined
	case f.isRule:
		return a.assumeUndefined(f)
	}
	return a.function(f, args)
}

func (a *partialEvaluator) intrinsic(name string, args []partialValue) (partialValue, outcome) {
	if a.program.options.Builtins[name] != nil {
		return partialValue{}, failed
	}
	one, two := intrinsic(name)
	var value *ast.Term
	switch {
	case one != nil && len(args) == 1:
		value = one(args[0].term)
	case two != nil && len(args) == 2:
		value = two(args[0].term, args[1].term)
	}
	if value == nil {
		return partialValue{}, failed
	}
	return partialValue{term: value}, defined
}

// function computes the value of a function for arguments that are known.
func (a *partialEvaluator) function(f *function, args []partialValue) (partialValue, outcome) {
	if f.decodeBody() != nil {
		return partialValue{}, failed
	}
	l := &environment{values: map[ir.Local]partialValue{}, inFunction: true}
	for i, p := range f.source.Params {
		if i >= 2 {
			l.values[p] = args[i-2]
		}
	}
	for _, b := range f.source.Blocks {
		switch e, value := a.block(b.Stmts, l); {
		case e == returned:
			return value, defined
		case e > undefined:
			return partialValue{}, failed
		}
	}
	return partialValue{}, undefined
}

func (a *partialEvaluator) dynamicCall(s *ir.CallDynamicStmt, l *environment) (partialValue, outcome) {
	if !slices.Equal(s.Args, []ir.Local{ir.Input, ir.Data}) {
		return partialValue{}, failed
	}
	at := a.program.ruleTree
	for _, o := range s.Path {
		name, known := a.read(o, l)
		if !known || name.term == nil {
			return partialValue{}, failed
		}
		text, ok := name.term.Value.(ast.String)
		if !ok || at.children[string(text)] == nil {
			return partialValue{}, undefined
		}
		at = at.children[string(text)]
	}
	if at.function == nil || !at.function.isRule {
		return partialValue{}, undefined
	}
	return a.assumeUndefined(at.function)
}

// rule assumes that a rule has no value, or an empty one, if it is known when that is so.
func (a *partialEvaluator) assumeUndefined(f *function) (partialValue, outcome) {
	if a.guards != nil || f.decodeBody() != nil {
		return partialValue{}, failed
	}
	empty, guards := f.necessaryGuards()
	if len(guards) == 0 {
		return partialValue{}, failed
	}
	a.guards = guards
	return partialValue{term: empty}, defined
}

// silent returns what holds whenever any part of a rule applies, and the rule's value if none
// does, nil if it has none then.
func (f *function) necessaryGuards() (empty *ast.Term, all []guard) {
	t := newTranslator(f)
	for _, l := range f.source.Params {
		t.define(l)
	}
	units := 0
	for _, b := range f.source.Blocks {
		if len(b.Stmts) == 0 || storesResult(b, f.source.Return) || isReturn(b) {
			continue
		}
		if l, k, ok := makeTarget(b.Stmts[0]); ok && len(b.Stmts) == 1 && l == f.source.Return {
			empty = finish(newBuilder(k))
			continue
		}
		guards := slices.DeleteFunc(t.guards(b.Stmts), func(g guard) bool { return g.pattern })
		if units++; units == 1 {
			all = guards
			continue
		}
		all = anyOfGuards(all, guards)
	}
	return empty, all
}

// common are the places for which both ask, with the values of both.
func anyOfGuards(a, b []guard) (both []guard) {
	for _, g := range a {
		if other := (clause{guards: b}).guardOn(g.path.key()); other != nil {
			both = append(both, guard{path: g.path, values: slices.Concat(g.values, other.values)})
		}
	}
	return both
}
