package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// scan translates an iteration over a collection.
func (t *translator) scan(s *ir.ScanStmt) step {
	source := ir.Operand{Value: s.Source}
	src, isBase := t.operand(source), t.isBase(source)
	l := &loop{key: t.define(s.Key), value: t.define(s.Value)}
	t.baseLocals[s.Value] = isBase
	l.filter, l.needsIndex = t.newFilteredScan(s), t.readsIndex(s)
	t.loopDepth++
	l.body = t.nestedBlock(s.Block).step()
	t.loopDepth--
	return func(m *machine, r []*ast.Term) outcome {
		source := src.load(r)
		if source == nil {
			return defined
		}
		switch v := scanTarget(source).(type) {
		case *LazyArray:
			return l.overSlice(m, r, v.elements)
		case *ast.Array:
			return l.overArray(m, r, v)
		case *LazySet:
			return l.overSet(m, r, v.sortedElements())
		case ast.Set:
			if v.Len() == 0 {
				return defined
			}
			return l.overSet(m, r, v.Slice())
		case ast.Object:
			return l.overObject(m, r, v)
		}
		return defined
	}
}

// loop is a translated iteration. Its body ends with an outcome above undefined to leave the
// iteration.
type loop struct {
	key, value int // registers
	body       step
	filter     *filteredScan // nil if there is nothing to skip
	needsIndex bool          // something reads the index of an array's element
}

func (l *loop) overSlice(m *machine, r []*ast.Term, elements []*ast.Term) outcome {
	for i, x := range elements {
		if e := l.visitElement(m, r, i, x); e > undefined {
			return e
		}
	}
	return defined
}

func (l *loop) overArray(m *machine, r []*ast.Term, array *ast.Array) outcome {
	if l.filter != nil {
		prefilter, ok := l.filter.prefilterFor(m, r, array)
		if !ok {
			return failed
		}
		if prefilter != nil {
			return prefilter.each(l.filter, r, func(i int) outcome { return l.visitElement(m, r, i, array.Elem(i)) })
		}
	}
	for i := range array.Len() {
		if e := l.visitElement(m, r, i, array.Elem(i)); e > undefined {
			return e
		}
	}
	return defined
}

func (l *loop) overSet(m *machine, r []*ast.Term, elements []*ast.Term) outcome {
	for _, x := range elements {
		if e := l.visit(m, r, x, x); e > undefined {
			return e
		}
	}
	return defined
}

func (l *loop) overObject(m *machine, r []*ast.Term, object ast.Object) outcome {
	result := defined
	object.Until(func(k, v *ast.Term) bool {
		if e := l.visit(m, r, k, v); e > undefined {
			result = e
		}
		return result != defined
	})
	return result
}

// visitElement runs the body for an element of an array.
func (l *loop) visitElement(m *machine, r []*ast.Term, index int, v *ast.Term) outcome {
	if !l.needsIndex {
		return l.visit(m, r, nil, v)
	}
	return l.visit(m, r, ast.InternedTerm(index), v)
}

// visit runs the body for one key and value.
func (l *loop) visit(m *machine, r []*ast.Term, k, v *ast.Term) outcome {
	if m.interrupted() {
		return failed
	}
	r[l.key], r[l.value] = k, v
	return l.body(m, r)
}

// readsIndex reports whether anything reads the key of an iteration. Copies of it that are never
// read do not count.
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
	reads := t.readCounts[s.Key]
	for _, x := range s.Block.Stmts {
		if assign, ok := x.(*ir.AssignVarStmt); ok && assign.Source.Value == ir.Val(s.Key) && t.readCounts[assign.Target] == 0 {
			reads--
		}
	}
	return reads > 0
}
