package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// minIndexed is the least number of clauses, or of named blocks in a dispatch table, for which a lookup
// pays.
const minIndexed = 4

// clause is one of the definitions of a rule or function: the step for its block, and the one for the
// block that stores its result.
type clause struct {
	steps  []step
	guards []guard
}

// guardOn returns the first guard on the path with a key, or nil if there is none.
func (c clause) guardOn(pathKey string) *guard {
	for i, g := range c.guards {
		if g.path.key() == pathKey {
			return &c.guards[i]
		}
	}
	return nil
}

// clauses groups the blocks of the function into clauses.
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

// indexedBody translates a function many of whose clauses have a guard on the same path. Clauses
// whose guard does not hold are skipped: they would be undefined. It returns nil if there is no such
// path.
func (t *translator) indexedBody(blocks []*ir.Block, steps []step) step {
	if len(blocks) < minIndexed {
		return nil
	}
	clauses := t.clauses(blocks, steps)
	path, ok := bestPath(clauses)
	if !ok {
		return nil
	}
	x, root := newRuleIndex(clauses, path), t.register(path.root)
	return func(m *machine, r []*ast.Term) outcome {
		unguarded, candidates := x.unguarded, x.candidates(path, r[root])
		for len(unguarded) > 0 || len(candidates) > 0 {
			var n int
			n, unguarded, candidates = popLeast(unguarded, candidates)
			for _, s := range clauses[n].steps {
				if e := s(m, r); e >= returned {
					return e
				}
			}
		}
		return undefined
	}
}

// bestPath returns the path whose index skips the most clauses: many have a guard on it, and they
// test for different values.
func bestPath(clauses []clause) (best accessPath, ok bool) {
	type stats struct {
		clauses int
		values  map[string]bool
	}
	byPath, most := map[string]*stats{}, 0
	for _, c := range clauses {
		for _, g := range c.guards {
			key := g.path.key()
			s := byPath[key]
			if s == nil {
				s = &stats{values: map[string]bool{}}
				byPath[key] = s
			}
			s.clauses++
			s.values[g.valueKey()] = true
			if skipped := s.clauses - s.clauses/len(s.values); s.clauses >= minIndexed && skipped > most {
				best, most, ok = g.path, skipped, true
			}
		}
	}
	return best, ok
}

// ruleIndex finds clauses by the value for which they test. It lists them by number, in order.
type ruleIndex struct {
	unguarded []int // clauses without a guard on the path
	arrays    []int // clauses with an array pattern
	objects   []int // clauses with an object pattern
	byString  map[ast.String][]int
	byHash    map[int][]indexEntry // for other values
}

type indexEntry struct {
	value   *ast.Term
	clauses []int
}

func newRuleIndex(clauses []clause, path accessPath) *ruleIndex {
	x := &ruleIndex{byString: map[ast.String][]int{}, byHash: map[int][]indexEntry{}}
	for n, c := range clauses {
		switch g := c.guardOn(path.key()); {
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
	for _, entries := range x.byHash { // a constant may match patterns, too
		for i, e := range entries {
			entries[i].clauses = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.clauses), x.byPattern(e.value)...))))
		}
	}
	return x
}

func (x *ruleIndex) add(v *ast.Term, n int) {
	if s, ok := v.Value.(ast.String); ok {
		if list := x.byString[s]; len(list) == 0 || list[len(list)-1] != n {
			x.byString[s] = append(list, n)
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

// candidates returns the clauses whose guard holds, for the value of the path's root.
func (x *ruleIndex) candidates(path accessPath, root *ast.Term) []int {
	v, rest := path.resolve(root)
	if rest == nil {
		return x.lookup(v)
	}
	var all []int
	merged := false
	eachMember(v, func(member *ast.Term) {
		switch list := x.candidates(*rest, member); {
		case len(all) == 0:
			all = list
		case len(list) > 0:
			all, merged = append(all[:len(all):len(all)], list...), true
		}
	})
	if merged {
		slices.Sort(all)
		all = slices.Compact(all)
	}
	return all
}

// lookup returns the clauses whose guard holds for a value at the path.
func (x *ruleIndex) lookup(v *ast.Term) []int {
	if v == nil {
		return nil
	}
	if s, ok := v.Value.(ast.String); ok {
		return x.byString[s]
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

// byPattern returns the clauses with a pattern that a value may match.
func (x *ruleIndex) byPattern(v *ast.Term) []int {
	switch v.Value.(type) {
	case *ast.Array, *LazyArray:
		return x.arrays
	case ast.Object, *LazyObject:
		return x.objects
	}
	return nil
}
