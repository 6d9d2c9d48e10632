package regoir

import (
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// An iteration over a list may select rules by each element, as in
//
//	some name in input.names
//	some value in data.packages[name].deny
//
// Mostly, few of these rules apply to an input, because the others begin with a guard on a value that
// the input does not have. If the list is long and many evaluations use the same one, a prefilter
// finds the elements to visit with an index of these guards.

// A prefilter is built for lists of at least minPrefilterLen elements. For each scan in an instance,
// at most maxPrefilterBuilds are built.
const (
	minPrefilterLen    = 16
	maxPrefilterBuilds = 8
)

// prefilter finds the elements of a list for which an iteration may have an effect.
type prefilter struct {
	list     *ast.Array
	elements []int // indexes in the list, by clause of the index; elements without a clause never have an effect
	index    *ruleIndex
	path     accessPath // of the index
}

// prefilterCache holds the last prefilter of a scan.
type prefilterCache struct {
	last   atomic.Pointer[prefilter]
	builds atomic.Int32
}

// filteredScan is a scan that may use prefilters.
type filteredScan struct {
	program     *Program
	scan        *ir.ScanStmt
	input, data int // registers
}

// newFilteredScan returns nil for a scan that selects no rules by its elements, for one that is inside
// another, and for one whose locals are read elsewhere.
func (t *translator) newFilteredScan(s *ir.ScanStmt) *filteredScan {
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

// selectsRules reports whether a function selects rules by a name: with a dynamic call, or, where
// the rules are at different depths, with a call to each of them.
func selectsRules(f *function) bool {
	rules := 0
	walkBlocks(f.source.Blocks, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.CallDynamicStmt:
			rules = minPrefilterLen
		case *ir.CallStmt:
			if callee := f.program.byName[s.Func]; callee != nil && callee.isRule {
				rules++
			}
		}
	})
	return rules >= minPrefilterLen
}

// isIsolated reports whether nothing outside a scan reads a local that it writes.
func (t *translator) isIsolated(s *ir.ScanStmt) bool {
	reads := map[ir.Local]int{} // of the locals that it writes: reads inside minus all reads
	walkStmts([]ir.Stmt{s}, func(x ir.Stmt) {
		visitUses(x, func(l ir.Local, how use) {
			if how == useWrite {
				reads[l] += 0
			}
		})
	})
	count := func(by int) func(ir.Stmt) {
		return func(x ir.Stmt) {
			visitUses(x, func(l ir.Local, how use) {
				if _, ok := reads[l]; ok && how != useWrite {
					reads[l] += by
				}
			})
		}
	}
	walkStmts(s.Block.Stmts, count(1))
	walkBlocks(t.function.source.Blocks, count(-1))
	for _, n := range reads {
		if n != 0 {
			return false
		}
	}
	return true
}

// prefilterFor returns the prefilter for a list, or nil if there is none. It reports false if the
// evaluation must stop.
func (s *filteredScan) prefilterFor(m *machine, r []*ast.Term, list *ast.Array) (*prefilter, bool) {
	i := m.instance
	if list.Len() < minPrefilterLen || r[s.data] != i.data {
		return nil, true
	}
	v, _ := i.prefilters.LoadOrStore(s.scan, &prefilterCache{})
	cache, _ := v.(*prefilterCache)
	if last := cache.last.Load(); last != nil && last.list == list {
		return last, true
	}
	if cache.builds.Add(1) > maxPrefilterBuilds {
		return nil, true
	}
	built, ok := s.build(m, list)
	if !ok { // counts more, so that evaluations with too little time soon stop trying
		cache.builds.Add(maxPrefilterBuilds / 2)
		return nil, false
	}
	cache.last.Store(built)
	return built, true
}

// build builds the prefilter for a list. It reports false if the evaluation must stop.
func (s *filteredScan) build(m *machine, list *ast.Array) (*prefilter, bool) {
	f := &prefilter{list: list, index: &ruleIndex{}}
	var clauses []clause
	budget := newWorkBudget(list.Len())
	for i := range list.Len() {
		if m.Cancelled() {
			return nil, m.fail(m.cancelError()) == defined
		}
		p := partialEvaluator{machine: m, program: s.program, data: m.instance.data, budget: budget}
		noEffect := p.hasNoEffect(s.scan, i, list.Elem(i))
		switch {
		case !noEffect:
			clauses = append(clauses, clause{})
		case p.guards == nil:
			continue
		default:
			clauses = append(clauses, clause{guards: p.guards})
		}
		f.elements = append(f.elements, i)
	}
	path, ok := bestPath(clauses)
	if !ok {
		path = accessPath{root: ir.Input}
	}
	f.path, f.index = path, newRuleIndex(clauses, path)
	return f, true
}

// each calls visit for the indexes of the elements to visit, in order, until one ends with an outcome
// above undefined.
func (f *prefilter) each(s *filteredScan, r []*ast.Term, visit func(index int) outcome) outcome {
	root := s.input
	if f.path.root == ir.Data {
		root = s.data
	}
	unguarded, candidates := f.index.unguarded, f.index.candidates(f.path, r[root])
	for len(unguarded) > 0 || len(candidates) > 0 {
		var n int
		n, unguarded, candidates = popLeast(unguarded, candidates)
		if e := visit(f.elements[n]); e > undefined {
			return e
		}
	}
	return defined
}
