package regoir

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// leastIndexed is how many rules must ask for a value at one place before an index pays.
const leastIndexed = 4

// unit is a rule of a function: its block, and the one after it that keeps its value.
type unit struct {
	steps  []step
	guards []guard
}

// guard is a condition that a rule's body begins with: that the value at a place is one of
// some constants, or an array or object that matches a pattern.
type guard struct {
	place   place
	values  []*ast.Term
	pattern bool
	kind    kind // of a pattern
}

// place is a path of constants below a parameter of the function. A nil in it stands for every
// member: there is a value for each.
type place struct {
	root ir.Local
	keys []*ast.Term
}

// below is the place of a member.
func (p place) below(key *ast.Term) place {
	return place{p.root, append(p.keys[:len(p.keys):len(p.keys)], key)}
}

func (p place) name() string {
	keys := make([]*lookupSite, len(p.keys))
	for i, k := range p.keys {
		keys[i] = &lookupSite{key: k}
	}
	return pathKey(p.root, keys)
}

// find returns the value at a place below a value, nil if there is none. If the place stands for
// several values, it returns the value whose members they are below, and the place below those.
func (p place) find(v *ast.Term) (*ast.Term, *place) {
	find := lookup
	if p.root == ir.Data {
		find = lookupBase
	}
	for i, k := range p.keys {
		if k == nil {
			return v, &place{p.root, p.keys[i+1:]}
		}
		if v = find(v, k); v == nil {
			return nil, nil
		}
	}
	return v, nil
}

// indexed is the body of a function with many rules that ask for a value at the same place.
// Only rules that ask for the value that is there are evaluated, and those that do not ask.
// Nothing before a guard can fail, so a skipped rule could only have been undefined.
func (t *translator) indexed(blocks []*ir.Block, steps []step) step {
	if len(blocks) < leastIndexed {
		return nil
	}
	units := t.units(blocks, steps)
	best, ok := bestPlace(units)
	if !ok {
		return nil
	}
	x, root := newIndex(units, best), t.register(best.root)
	return func(m *machine, r []*ast.Term) outcome {
		rest, chosen := x.others, x.chosen(best, r[root])
		for len(rest) > 0 || len(chosen) > 0 {
			var next int
			next, rest, chosen = first(rest, chosen)
			for _, s := range units[next].steps {
				if e := s(m, r); e >= returned {
					return e
				}
			}
		}
		return undefined
	}
}

// first takes the least number of two lists in order.
func first(a, b []int) (least int, restA, restB []int) {
	if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
		return a[0], a[1:], b
	}
	return b[0], a, b[1:]
}

// bestPlace is where an index skips the most: many rules ask for a value there, and for
// different ones.
func bestPlace(units []unit) (best place, ok bool) {
	type asked struct {
		rules  int
		values map[string]bool
	}
	places, most := map[string]*asked{}, 0
	for _, u := range units {
		for _, g := range u.guards {
			name := g.place.name()
			p := places[name]
			if p == nil {
				p = &asked{values: map[string]bool{}}
				places[name] = p
			}
			p.rules++
			p.values[g.text()] = true
			if skipped := p.rules - p.rules/len(p.values); p.rules >= leastIndexed && skipped > most {
				best, most, ok = g.place, skipped, true
			}
		}
	}
	return best, ok
}

// text says what a guard asks for.
func (g guard) text() string {
	if g.pattern {
		return fmt.Sprint("pattern", g.kind)
	}
	return fmt.Sprint(g.values)
}

// index lists the numbers of units by the value that they ask for, in order.
type index struct {
	others  []int // that ask for no value
	arrays  []int // that ask for an array, whichever
	objects []int
	texts   map[ast.String][]int
	values  map[int][]entry // by hash
}

type entry struct {
	value *ast.Term
	units []int
}

func newIndex(units []unit, at place) *index {
	x := &index{texts: map[ast.String][]int{}, values: map[int][]entry{}}
	for n, u := range units {
		switch g := u.asksFor(at.name()); {
		case g == nil:
			x.others = append(x.others, n)
		case g.pattern && g.kind == kindArray:
			x.arrays = append(x.arrays, n)
		case g.pattern:
			x.objects = append(x.objects, n)
		default:
			for _, v := range g.values {
				x.add(v, n)
			}
		}
	}
	for _, list := range x.values { // whoever has this value also matches patterns
		for i, e := range list {
			list[i].units = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.units), x.anyOf(e.value)...))))
		}
	}
	return x
}

// asksFor returns the unit's first guard of a place, nil if it has none.
func (u unit) asksFor(name string) *guard {
	for i, g := range u.guards {
		if g.place.name() == name {
			return &u.guards[i]
		}
	}
	return nil
}

// anyOf are the units whose pattern a value may match.
func (x *index) anyOf(v *ast.Term) []int {
	switch v.Value.(type) {
	case *ast.Array, *LazyArray:
		return x.arrays
	case ast.Object, *LazyObject:
		return x.objects
	}
	return nil
}

func (x *index) add(v *ast.Term, n int) {
	if text, ok := v.Value.(ast.String); ok {
		if list := x.texts[text]; len(list) == 0 || list[len(list)-1] != n {
			x.texts[text] = append(list, n)
		}
		return
	}
	hash := v.Hash()
	for i, e := range x.values[hash] {
		if equal(e.value, v) {
			if e.units[len(e.units)-1] != n {
				x.values[hash][i].units = append(e.units, n)
			}
			return
		}
	}
	x.values[hash] = append(x.values[hash], entry{v, []int{n}})
}

// chosen are the units that ask for a value that is at a place below a value, in order.
func (x *index) chosen(at place, below *ast.Term) []int {
	v, each := at.find(below)
	if each == nil {
		return x.lookup(v)
	}
	var all []int
	several := false
	eachMember(v, func(member *ast.Term) {
		switch found := x.chosen(*each, member); {
		case len(all) == 0:
			all = found
		case len(found) > 0:
			all, several = append(all[:len(all):len(all)], found...), true
		}
	})
	if several {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

func (x *index) lookup(v *ast.Term) []int {
	if v == nil {
		return nil
	}
	if text, ok := v.Value.(ast.String); ok {
		return x.texts[text]
	}
	if len(x.values) == 0 {
		return x.anyOf(v)
	}
	v = Materialize(v)
	for _, e := range x.values[v.Hash()] {
		if equal(e.value, v) {
			return e.units
		}
	}
	return x.anyOf(v)
}

// units joins a rule's block with the one that keeps its value: "is defined, assign".
func (t *translator) units(blocks []*ir.Block, steps []step) []unit {
	var list []unit
	for i, b := range blocks {
		if storesResult(b, t.function.source.Return) && len(list) > 0 {
			last := &list[len(list)-1]
			last.steps = append(last.steps, steps[i])
			continue
		}
		list = append(list, unit{steps: []step{steps[i]}, guards: t.guards(b.Stmts)})
	}
	return list
}

func storesResult(b *ir.Block, result ir.Local) bool {
	if len(b.Stmts) != 2 {
		return false
	}
	test, ok := b.Stmts[0].(*ir.IsDefinedStmt)
	once, also := b.Stmts[1].(*ir.AssignVarOnceStmt)
	return ok && also && once.Target == result && once.Source.Value == ir.Val(test.Source)
}
