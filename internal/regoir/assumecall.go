package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

func (a *assumption) call(s *ir.CallStmt, l *locals) (knownValue, outcome) {
	f := a.program.byName[s.Func]
	var args []knownValue
	for i, o := range s.Args {
		if f != nil && i < 2 { // input and data
			if o.Value != ir.Val([]ir.Local{ir.Input, ir.Data}[i]) {
				return knownValue{}, failed
			}
			continue
		}
		value, known := a.read(o, l)
		if !known || value.term == nil {
			return knownValue{}, failed
		}
		args = append(args, value)
	}
	switch {
	case f == nil:
		return a.native(s.Func, args)
	case isFunctionMember(s, f):
		return knownValue{}, undefined
	case f.isRule:
		return a.rule(f)
	}
	return a.function(f, args)
}

func (a *assumption) native(name string, args []knownValue) (knownValue, outcome) {
	if a.program.options.Builtins[name] != nil {
		return knownValue{}, failed
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
		return knownValue{}, failed
	}
	return knownValue{term: value}, defined
}

// function computes the value of a function for arguments that are known.
func (a *assumption) function(f *function, args []knownValue) (knownValue, outcome) {
	if f.restored() != nil {
		return knownValue{}, failed
	}
	l := &locals{known: map[ir.Local]knownValue{}, function: true}
	for i, p := range f.source.Params {
		if i >= 2 {
			l.known[p] = args[i-2]
		}
	}
	for _, b := range f.source.Blocks {
		switch e, value := a.block(b.Stmts, l); {
		case e == returned:
			return value, defined
		case e > undefined:
			return knownValue{}, failed
		}
	}
	return knownValue{}, undefined
}

func (a *assumption) dynamic(s *ir.CallDynamicStmt, l *locals) (knownValue, outcome) {
	if !slices.Equal(s.Args, []ir.Local{ir.Input, ir.Data}) {
		return knownValue{}, failed
	}
	at := a.program.ruleTree
	for _, o := range s.Path {
		name, known := a.read(o, l)
		if !known || name.term == nil {
			return knownValue{}, failed
		}
		text, ok := name.term.Value.(ast.String)
		if !ok || at.children[string(text)] == nil {
			return knownValue{}, undefined
		}
		at = at.children[string(text)]
	}
	if at.function == nil || !at.function.isRule {
		return knownValue{}, undefined
	}
	return a.rule(at.function)
}

// rule assumes that a rule has no value, or an empty one, if it is known when that is so.
func (a *assumption) rule(f *function) (knownValue, outcome) {
	if a.guards != nil || f.restored() != nil {
		return knownValue{}, failed
	}
	empty, guards := f.silent()
	if len(guards) == 0 {
		return knownValue{}, failed
	}
	a.guards = guards
	return knownValue{term: empty}, defined
}

// silent returns what holds whenever any part of a rule applies, and the rule's value if none
// does, nil if it has none then.
func (f *function) silent() (empty *ast.Term, all []guard) {
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
		all = common(all, guards)
	}
	return empty, all
}

// common are the places for which both ask, with the values of both.
func common(a, b []guard) (both []guard) {
	for _, g := range a {
		if other := (unit{guards: b}).asksFor(g.place.name()); other != nil {
			both = append(both, guard{place: g.place, values: slices.Concat(g.values, other.values)})
		}
	}
	return both
}
