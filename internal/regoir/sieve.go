package regoir

import (
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// An iteration of a list may choose a rule by each member, as in
//
//	some name in input.names
//	some value in data.packages[name].deny
//
// If the list is long and the same for many evaluations, most of its members are passed over: those
// whose rules ask for a value that is not there, as rules of an [index] do.

// leastSieved is how long a list must be before a sieve pays, and mostSieves how many lists are looked at
// for one iteration of an instance.
const (
	leastSieved = 16
	mostSieves  = 8
)

// sieve says which members of a list an iteration may pass over.
type sieve struct {
	list    *ast.Array
	numbers []int // of the members by unit; others are always passed over
	index   *index
	at      place
}

// sieves are those of one iteration.
type sieves struct {
	last  atomic.Pointer[sieve]
	built atomic.Int32
}

// sieved is an iteration that may pass over members of lists.
type sieved struct {
	program     *Program
	scan        *ir.ScanStmt
	input, data int // registers
}

// sieved returns what is needed to pass over members, nil if the iteration chooses no rule by them.
func (t *translator) filteredScan(s *ir.ScanStmt) *sieved {
	if t.loopDepth > 0 {
		return nil
	}
	for _, x := range s.Block.Stmts {
		call, ok := x.(*ir.CallStmt)
		if !ok {
			continue
		}
		if f := t.program.byName[call.Func]; f != nil && !f.isRule && f.restored() == nil && choosesRule(f) && t.isIsolated(s) {
			return &sieved{t.program, s, t.register(ir.Input), t.register(ir.Data)}
		}
	}
	return nil
}

// closed reports whether nothing outside reads what an iteration writes.
func (t *translator) isIsolated(s *ir.ScanStmt) bool {
	inside := map[ir.Local]int{} // how often it reads what it writes
	walkStmts([]ir.Stmt{s}, func(x ir.Stmt) {
		visitUses(x, func(l ir.Local, how use) {
			if how == useWrite {
				inside[l] += 0
			}
		})
	})
	count := func(by int) func(ir.Stmt) {
		return func(x ir.Stmt) {
			visitUses(x, func(l ir.Local, how use) {
				if _, ok := inside[l]; ok && how != useWrite {
					inside[l] += by
				}
			})
		}
	}
	walkStmts(s.Block.Stmts, count(1))
	walkBlocks(t.function.source.Blocks, count(-1))
	for _, n := range inside {
		if n != 0 {
			return false
		}
	}
	return true
}

// choosesRule reports whether a function chooses from rules: by their names, or from many one after
// another, because they are not equally deep.
func choosesRule(f *function) bool {
	rules := 0
	walkBlocks(f.source.Blocks, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.CallDynamicStmt:
			rules = leastSieved
		case *ir.CallStmt:
			if called := f.program.byName[s.Func]; called != nil && called.isRule {
				rules++
			}
		}
	})
	return rules >= leastSieved
}

// of returns the sieve for a list, nil if there is none. It reports whether the evaluation goes on.
func (s *sieved) of(m *machine, r []*ast.Term, list *ast.Array) (*sieve, bool) {
	i := m.instance
	if list.Len() < leastSieved || r[s.data] != i.data {
		return nil, true
	}
	kept, _ := i.sieves.LoadOrStore(s.scan, &sieves{})
	of, _ := kept.(*sieves)
	if last := of.last.Load(); last != nil && last.list == list {
		return last, true
	}
	if of.built.Add(1) > mostSieves {
		return nil, true
	}
	made, ok := s.build(m, list)
	if !ok { // it must not take all the time of all evaluations
		of.built.Add(mostSieves / 2)
		return nil, false
	}
	of.last.Store(made)
	return made, true
}

// build looks at each member of a list. It reports whether the evaluation goes on.
func (s *sieved) build(m *machine, list *ast.Array) (*sieve, bool) {
	made := &sieve{list: list, index: &index{}}
	var units []unit
	work := newWork(list.Len())
	for n := range list.Len() {
		if m.Cancelled() {
			return nil, m.fail(m.cancelError()) == defined
		}
		a := assumption{machine: m, program: s.program, data: m.instance.data, work: work}
		nothing := a.member(s.scan, n, list.Elem(n))
		switch {
		case !nothing:
			units = append(units, unit{})
		case a.guards == nil:
			continue
		default:
			units = append(units, unit{guards: a.guards})
		}
		made.numbers = append(made.numbers, n)
	}
	best, ok := bestPlace(units)
	if !ok {
		best = place{root: ir.Input}
	}
	made.at, made.index = best, newIndex(units, best)
	return made, true
}

// each calls f for the numbers of the members that are not passed over, in order, until it ends.
func (v *sieve) each(s *sieved, r []*ast.Term, f func(n int) outcome) outcome {
	root := s.input
	if v.at.root == ir.Data {
		root = s.data
	}
	rest, chosen := v.index.others, v.index.chosen(v.at, r[root])
	for len(rest) > 0 || len(chosen) > 0 {
		var next int
		next, rest, chosen = first(rest, chosen)
		if e := f(v.numbers[next]); e > undefined {
			return e
		}
	}
	return defined
}
