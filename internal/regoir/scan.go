package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// scan translates an iteration. It asks whether the evaluation has to end for every member.
func (t *translator) scan(s *ir.ScanStmt) step {
	source := ir.Operand{Value: s.Source}
	from, base := t.operand(source), t.isBase(source)
	key, value := t.target(s.Key), t.target(s.Value)
	t.base[s.Value] = base
	sieved, number := t.sieved(s), t.elementNumbers(s)
	t.loops++
	body := t.inside(s.Block).step
	t.loops--
	one := func(m *machine, r []*ast.Term, k, v *ast.Term) end {
		if m.stopped() {
			return failed
		}
		r[key], r[value] = k, v
		return body(m, r)
	}
	return func(m *machine, r []*ast.Term) end {
		source := from.of(r)
		if source == nil {
			return defined
		}
		switch v := scanned(source).(type) {
		case *Array:
			for i, x := range v.elements {
				if e := one(m, r, number(i), x); e > undefined {
					return e
				}
			}
		case *ast.Array:
			if sieved != nil {
				sieve, ok := sieved.of(m, r, v)
				if !ok {
					return failed
				}
				if sieve != nil {
					return sieve.each(sieved, r, func(n int) end { return one(m, r, number(n), v.Elem(n)) })
				}
			}
			for i := range v.Len() {
				if e := one(m, r, number(i), v.Elem(i)); e > undefined {
					return e
				}
			}
		case *Set:
			for _, x := range v.sorted() {
				if e := one(m, r, x, x); e > undefined {
					return e
				}
			}
		case ast.Set:
			for _, x := range v.Slice() {
				if e := one(m, r, x, x); e > undefined {
					return e
				}
			}
		case ast.Object:
			ended := defined
			v.Until(func(k, x *ast.Term) bool {
				if e := one(m, r, k, x); e > undefined {
					ended = e
				}
				return ended != defined
			})
			return ended
		}
		return defined
	}
}

// elementNumbers makes the numbers of the elements that an iteration of an array goes through; nil if
// nothing reads them.
func (t *translator) elementNumbers(s *ir.ScanStmt) func(n int) *ast.Term {
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
	if left > 0 {
		return func(n int) *ast.Term { return ast.InternedTerm(n) }
	}
	return func(int) *ast.Term { return nil }
}
