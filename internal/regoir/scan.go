package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// scan translates an iteration.
func (t *translator) scan(s *ir.ScanStmt) step {
	source := ir.Operand{Value: s.Source}
	from, base := t.operand(source), t.isBase(source)
	i := &iteration{key: t.target(s.Key), value: t.target(s.Value)}
	t.base[s.Value] = base
	i.sieved, i.numbered = t.sieved(s), t.needsNumbers(s)
	t.loops++
	i.body = t.inside(s.Block).step()
	t.loops--
	return func(m *machine, r []*ast.Term) outcome {
		source := from.of(r)
		if source == nil {
			return defined
		}
		switch v := scanTarget(source).(type) {
		case *LazyArray:
			return i.elements(m, r, v.elements)
		case *ast.Array:
			return i.array(m, r, v)
		case *LazySet:
			return i.members(m, r, v.sortedElements())
		case ast.Set:
			if v.Len() == 0 {
				return defined
			}
			return i.members(m, r, v.Slice())
		case ast.Object:
			return i.object(m, r, v)
		}
		return defined
	}
}

// iteration is what is done for every member of a collection. Whether the evaluation has to end is
// asked for each.
type iteration struct {
	key, value int // registers
	body       step
	sieved     *sieved // nil if no rule is chosen by members
	numbered   bool    // the numbers of elements are read
}

func (i *iteration) one(m *machine, r []*ast.Term, k, v *ast.Term) outcome {
	if m.interrupted() {
		return failed
	}
	r[i.key], r[i.value] = k, v
	return i.body(m, r)
}

// element is one for an element of an array.
func (i *iteration) element(m *machine, r []*ast.Term, n int, v *ast.Term) outcome {
	if !i.numbered {
		return i.one(m, r, nil, v)
	}
	return i.one(m, r, ast.InternedTerm(n), v)
}

func (i *iteration) elements(m *machine, r []*ast.Term, list []*ast.Term) outcome {
	for n, x := range list {
		if e := i.element(m, r, n, x); e > undefined {
			return e
		}
	}
	return defined
}

func (i *iteration) array(m *machine, r []*ast.Term, list *ast.Array) outcome {
	if i.sieved != nil {
		sieve, ok := i.sieved.of(m, r, list)
		if !ok {
			return failed
		}
		if sieve != nil {
			return sieve.each(i.sieved, r, func(n int) outcome { return i.element(m, r, n, list.Elem(n)) })
		}
	}
	for n := range list.Len() {
		if e := i.element(m, r, n, list.Elem(n)); e > undefined {
			return e
		}
	}
	return defined
}

// members goes through those of a set.
func (i *iteration) members(m *machine, r []*ast.Term, list []*ast.Term) outcome {
	for _, x := range list {
		if e := i.one(m, r, x, x); e > undefined {
			return e
		}
	}
	return defined
}

func (i *iteration) object(m *machine, r []*ast.Term, o ast.Object) outcome {
	ended := defined
	o.Until(func(k, x *ast.Term) bool {
		if e := i.one(m, r, k, x); e > undefined {
			ended = e
		}
		return ended != defined
	})
	return ended
}

// needsNumbers reports whether anything reads the numbers of the elements that an iteration of an
// array goes through.
func (t *translator) needsNumbers(s *ir.ScanStmt) bool {
	if t.reads == nil {
		t.reads = map[ir.Local]int{}
		eachOf(t.function.source.Blocks, func(x ir.Stmt) {
			uses(x, func(l ir.Local, how use) {
				if how != writes {
					t.reads[l]++
				}
			})
		})
	}
	left := t.reads[s.Key]
	for _, x := range s.Block.Stmts {
		if assign, ok := x.(*ir.AssignVarStmt); ok && assign.Source.Value == ir.Val(s.Key) && t.reads[assign.Target] == 0 {
			left--
		}
	}
	return left > 0
}
