package regoir

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// leastIndexed is how many rules must ask for a value at one place before an index pays.
const minIndexed = 4

// unit is a rule of a function: its block, and the one after it that keeps its value.
type clause struct {
	steps  []step
	guards []guard
}

// guard is a condition that a rule's body begins with: that the value at a place is one of
// some constants, or an array or object that matches a pattern.
type guard struct {
	path    accessPath
	values  []*ast.Term
	pattern bool
	kind    kind // of a pattern
}

// place is a path of constants below a parameter of the function. A nil in it stands for every
// member: there is a value for each.
type accessPath struct {
	root ir.Local
	keys []*ast.Term
}

// below is the place of a member.
func (p accessPath) child(key *ast.Term) accessPath {
	return accessPath{p.root, append(p.keys[:len(p.keys):len(p.keys)], key)}
}

func (p accessPath) key() string {
	keys := make([]*lookupSite, len(p.keys))
	for i, k := range p.keys {
		keys[i] = &lookupSite{key: k}
	}
	return pathKey(p.root, keys)
}

// find returns the value at a place below a value, nil if there is none. If the place stands for
// several values, it returns the value whose members they are below, and the place below those.
func (p accessPath) resolve(v *ast.Term) (*ast.Term, *accessPath) {
	find := lookup
	if p.root == ir.Data {
		find = lookupBase
	}
	for i, k := range p.keys {
		if k == nil {
			return v, &accessPath{p.root, p.keys[i+1:]}
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
func (t *translator) indexedBody(blocks []*ir.Block, steps []step) step {
	if len(blocks) < minIndexed {
		return nil
	}
	units := t.clauses(blocks, steps)
	best, ok := bestPath(units)
	if !ok {
		return nil
	}
	x, root := newIndex(units, best), t.register(best.root)
	return func(m *machine, r []*ast.Term) outcome {
		rest, chosen := x.unguarded, x.candidates(best, r[root])
		for len(rest) > 0 || len(chosen) > 0 {
			var next int
			next, rest, chosen = nextInOrder(rest, chosen)
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
func nextInOrder(a, b []int) (least int, restA, restB []int) {
	if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
		return a[0], a[1:], b
	}
	return b[0], a, b[1:]
}

// bestPlace is where an index skips the most: many rules ask for a value there, and for
// different ones.
func bestPath(units []clause) (best accessPath, ok bool) {
	type asked struct {
		rules  int
		values map[string]bool
	}
	places, most := map[string]*asked{}, 0
	for _, u := range units {
		for _, g := range u.guards {
			name := g.path.key()
			p := places[name]
			if p == nil {
				p = &asked{values: map[string]bool{}}
				places[name] = p
			}
			p.rules++
			p.values[g.valueKey()] = true
			if skipped := p.rules - p.rules/len(p.values); p.rules >= minIndexed && skipped > most {
				best, most, ok = g.path, skipped, true
			}
		}
	}
	return best, ok
}

// text says what a guard asks for.
func (g guard) valueKey() string {
	if g.pattern {
		return fmt.Sprint("pattern", g.kind)
	}
	return fmt.Sprint(g.values)
}

// index lists the numbers of units by the value that they ask for, in order.
type ruleIndex struct {
	unguarded []int // that ask for no value
	arrays    []int // that ask for an array, whichever
	objects   []int
	byString  map[ast.String][]int
	byHash    map[int][]indexEntry // by hash
}

type indexEntry struct {
	value   *ast.Term
	clauses []int
}

func newIndex(units []clause, at accessPath) *ruleIndex {
	x := &ruleIndex{byString: map[ast.String][]int{}, byHash: map[int][]indexEntry{}}
	for n, u := range units {
		switch g := u.guardOn(at.key()); {
		case g == nil:
			x.unguarded = append(x.unguarded, n)
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
	for _, list := range x.byHash { // whoever has this value also matches patterns
		for i, e := range list {
			list[i].clauses = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.clauses), x.byPattern(e.value)...))))
		}
	}
	return x
}

// asksFor returns the unit's first guard of a place, nil if it has none.
func (u clause) guardOn(name string) *guard {
	for i, g := range u.guards {
		if g.path.key() == name {
			return &u.guards[i]
		}
	}
	return nil
}

// anyOf are the units whose pattern a value may match.
func (x *ruleIndex) byPattern(v *ast.Term) []int {
	switch v.Value.(type) {
	case *ast.Array, *LazyArray:
		return x.arrays
	case ast.Object, *LazyObject:
		return x.objects
	}
	return nil
}

func (x *ruleIndex) add(v *ast.Term, n int) {
	if text, ok := v.Value.(ast.String); ok {
		if list := x.byString[text]; len(list) == 0 || list[len(list)-1] != n {
			x.byString[text] = append(list, n)
		}
		return
	}
	hash := v.Hash()
	for i, e := range x.byHash[hash] {
		if equal(e.value, v) {
			if e.clauses[len(e.clauses)-1] != n {
				x.byHash[hash][i].clauses = append(e.clauses, n)
			}
			return
		}
	}
	x.byHash[hash] = append(x.byHash[hash], indexEntry{v, []int{n}})
}

// chosen are the units that ask for a value that is at a place below a value, in order.
func (x *ruleIndex) candidates(at accessPath, below *ast.Term) []int {
	v, each := at.resolve(below)
	if each == nil {
		return x.lookup(v)
	}
	var all []int
	several := false
	eachMember(v, func(member *ast.Term) {
		switch found := x.candidates(*each, member); {
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

func (x *ruleIndex) lookup(v *ast.Term) []int {
	if v == nil {
		return nil
	}
	if text, ok := v.Value.(ast.String); ok {
		return x.byString[text]
	}
	if len(x.byHash) == 0 {
		return x.byPattern(v)
	}
	v = Materialize(v)
	for _, e := range x.byHash[v.Hash()] {
		if equal(e.value, v) {
			return e.clauses
		}
	}
	return x.byPattern(v)
}

// units joins a rule's block with the one that keeps its value: "is defined, assign".
func (t *translator) clauses(blocks []*ir.Block, steps []step) []clause {
	var list []clause
	for i, b := range blocks {
		if storesResult(b, t.function.source.Return) && len(list) > 0 {
			last := &list[len(list)-1]
			last.steps = append(last.steps, steps[i])
			continue
		}
		list = append(list, clause{steps: []step{steps[i]}, guards: t.guards(b.Stmts)})
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
