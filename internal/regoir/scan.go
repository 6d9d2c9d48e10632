package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// scan translates an iteration.
func (t *translator) scan(s *ir.ScanStmt) step {
	source := ir.Operand{Value: s.Source}
	from, base := t.operand(source), t.isBase(source)
	i := &loop{key: t.define(s.Key), value: t.define(s.Value)}
	t.baseLocals[s.Value] = base
	i.filter, i.needsIndex = t.filteredScan(s), t.readsIndex(s)
	t.loopDepth++
	i.body = t.nestedBlock(s.Block).step()
	t.loopDepth--
	return func(m *machine, r []*ast.Term) outcome {
		source := from.load(r)
		if source == nil {
			return defined
		}
		switch v := scanTarget(source).(type) {
		case *LazyArray:
			return i.overSlice(m, r, v.elements)
		case *ast.Array:
			return i.overArray(m, r, v)
		case *LazySet:
			return i.overSet(m, r, v.sortedElements())
		case ast.Set:
			if v.Len() == 0 {
				return defined
			}
			return i.overSet(m, r, v.Slice())
		case ast.Object:
			return i.overObject(m, r, v)
		}
		return defined
	}
}

// iteration is what is done for every member of a collection. Whether the evaluation has to end is
// asked for each.
type loop struct {
	key, value int // registers
	body       step
	filter     *filteredScan // nil if no rule is chosen by members
	needsIndex bool          // the numbers of elements are read
}

func (i *loop) visit(m *machine, r []*ast.Term, k, v *ast.Term) outcome {
	if m.interrupted() {
		return failed
	}
	r[i.key], r[i.value] = k, v
	return i.body(m, r)
}

// element is one for an element of an array.
func (i *loop) visitElement(m *machine, r []*ast.Term, n int, v *ast.Term) outcome {
	if !i.needsIndex {
		return i.visit(m, r, nil, v)
	}
	return i.visit(m, r, ast.InternedTerm(n), v)
}

func (i *loop) overSlice(m *machine, r []*ast.Term, list []*ast.Term) outcome {
	for n, x := range list {
		if e := i.visitElement(m, r, n, x); e > undefined {
			return e
		}
	}
	return defined
}

func (i *loop) overArray(m *machine, r []*ast.Term, list *ast.Array) outcome {
	if i.filter != nil {
		sieve, ok := i.filter.prefilterFor(m, r, list)
		if !ok {
			return failed
		}
		if sieve != nil {
			return sieve.each(i.filter, r, func(n int) outcome { return i.visitElement(m, r, n, list.Elem(n)) })
		}
	}
	for n := range list.Len() {
		if e := i.visitElement(m, r, n, list.Elem(n)); e > undefined {
			return e
		}
	}
	return defined
}

// members goes through those of a set.
func (i *loop) overSet(m *machine, r []*ast.Term, list []*ast.Term) outcome {
	for _, x := range list {
		if e := i.visit(m, r, x, x); e > undefined {
			return e
		}
	}
	return defined
}

func (i *loop) overObject(m *machine, r []*ast.Term, o ast.Object) outcome {
	ended := defined
	o.Until(func(k, x *ast.Term) bool {
		if e := i.visit(m, r, k, x); e > undefined {
			ended = e
		}
		return ended != defined
	})
	return ended
}

// needsNumbers reports whether anything reads the numbers of the elements that an iteration of an
// array goes through.
func (t *translator) readsIndex(s *ir.ScanStmt) bool {
	if t.readCounts == nil {
		t.readCounts = map[ir.Local]int{}
		walkBlocks(t.function.source.Blocks, func(x ir.Stmt) {
			visitUses(x, func(l ir.Local, how use) {
				if how != useWrite {
					t.readCounts[l]++
				}
			})
		})
	}
	left := t.readCounts[s.Key]
	for _, x := range s.Block.Stmts {
		if assign, ok := x.(*ir.AssignVarStmt); ok && assign.Source.Value == ir.Val(s.Key) && t.readCounts[assign.Target] == 0 {
			left--
		}
	}
	return left > 0
}
