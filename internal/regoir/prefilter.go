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
	minPrefilterLen    = 16
	maxPrefilterBuilds = 8
)

// sieve says which members of a list an iteration may pass over.
type prefilter struct {
	list     *ast.Array
	elements []int // of the members by unit; others are always passed over
	index    *ruleIndex
	path     accessPath
}

// sieves are those of one iteration.
type prefilterCache struct {
	last   atomic.Pointer[prefilter]
	builds atomic.Int32
}

// sieved is an iteration that may pass over members of lists.
type filteredScan struct {
	program     *Program
	scan        *ir.ScanStmt
	input, data int // registers
}

// sieved returns what is needed to pass over members, nil if the iteration chooses no rule by them.
func (t *translator) filteredScan(s *ir.ScanStmt) *filteredScan {
	if t.loopDepth > 0 {
		return nil
	}
	for _, x := range s.Block.Stmts {
		call, ok := x.(*ir.CallStmt)
		if !ok {
			continue
		}
		if f := t.program.byName[call.Func]; f != nil && !f.isRule && f.decodeBody() == nil && selectsRules(f) && t.isIsolated(s) {
			return &filteredScan{t.program, s, t.register(ir.Input), t.register(ir.Data)}
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
func selectsRules(f *function) bool {
	rules := 0
	walkBlocks(f.source.Blocks, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.CallDynamicStmt:
			rules = minPrefilterLen
		case *ir.CallStmt:
			if called := f.program.byName[s.Func]; called != nil && called.isRule {
				rules++
			}
		}
	})
	return rules >= minPrefilterLen
}

// of returns the sieve for a list, nil if there is none. It reports whether the evaluation goes on.
func (s *filteredScan) prefilterFor(m *machine, r []*ast.Term, list *ast.Array) (*prefilter, bool) {
	i := m.instance
	if list.Len() < minPrefilterLen || r[s.data] != i.data {
		return nil, true
	}
	kept, _ := i.prefilters.LoadOrStore(s.scan, &prefilterCache{})
	of, _ := kept.(*prefilterCache)
	if last := of.last.Load(); last != nil && last.list == list {
		return last, true
	}
	if of.builds.Add(1) > maxPrefilterBuilds {
		return nil, true
	}
	made, ok := s.build(m, list)
	if !ok { // it must not take all the time of all evaluations
		of.builds.Add(maxPrefilterBuilds / 2)
		return nil, false
	}
	of.last.Store(made)
	return made, true
}

// build looks at each member of a list. It reports whether the evaluation goes on.
func (s *filteredScan) build(m *machine, list *ast.Array) (*prefilter, bool) {
	made := &prefilter{list: list, index: &ruleIndex{}}
	var units []clause
	work := newWorkBudget(list.Len())
	for n := range list.Len() {
		if m.Cancelled() {
			return nil, m.fail(m.cancelError()) == defined
		}
		a := partialEvaluator{machine: m, program: s.program, data: m.instance.data, budget: work}
		nothing := a.evalMember(s.scan, n, list.Elem(n))
		switch {
		case !nothing:
			units = append(units, clause{})
		case a.guards == nil:
			continue
		default:
			units = append(units, clause{guards: a.guards})
		}
		made.elements = append(made.elements, n)
	}
	best, ok := bestPath(units)
	if !ok {
		best = accessPath{root: ir.Input}
	}
	made.path, made.index = best, newIndex(units, best)
	return made, true
}

// each calls f for the numbers of the members that are not passed over, in order, until it ends.
func (v *prefilter) each(s *filteredScan, r []*ast.Term, f func(n int) outcome) outcome {
	root := s.input
	if v.path.root == ir.Data {
		root = s.data
	}
	rest, chosen := v.index.unguarded, v.index.candidates(v.path, r[root])
	for len(rest) > 0 || len(chosen) > 0 {
		var next int
		next, rest, chosen = nextInOrder(rest, chosen)
		if e := f(v.elements[next]); e > undefined {
			return e
		}
	}
	return defined
}
