package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// scoped finds the locals of a function whose values are read only where they were written, in
// the same block or in one inside of it. What such a local holds is known at all statements that
// read it: if it is a constant, or what another local holds, no register is needed for it.
func scoped(f *ir.Func, s *shapes) map[ir.Local]bool {
	r := &scopeReader{shapes: s, known: map[ir.Local]int{}, outside: map[ir.Local]bool{f.Return: true}, seen: map[ir.Local]bool{}}
	for _, b := range f.Blocks {
		r.block(b)
	}
	for l := range r.outside {
		delete(r.seen, l)
	}
	return r.seen
}

type scopeReader struct {
	shapes  *shapes
	known   map[ir.Local]int  // how often a local was written in the blocks around a statement, and before it
	outside map[ir.Local]bool // locals that are no scoped ones
	seen    map[ir.Local]bool
}

func (r *scopeReader) block(b *ir.Block) {
	here := map[ir.Local]int{}
	for _, s := range b.Stmts {
		reread := map[ir.Local]bool{}
		uses(s, func(l ir.Local, how use) {
			r.seen[l] = true
			if how != writes {
				reread[l] = true
			}
			if how != writes && r.known[l] == 0 || how == changes && r.shapes.part[s] == nil {
				r.outside[l] = true
			}
		})
		uses(s, func(l ir.Local, how use) {
			if how != writes {
				return
			}
			if reread[l] || r.known[l] > here[l] {
				r.outside[l] = true
			}
			r.known[l]++
			here[l]++
		})
		for _, n := range nested(s) {
			r.block(n)
		}
	}
	for l, n := range here {
		r.known[l] -= n
	}
}

// rewritten reports whether statements write or change a local.
func rewritten(stmts []ir.Stmt, l ir.Local) bool {
	found := false
	written(stmts, func(other ir.Local) { found = found || other == l })
	return found
}

// isRead reports whether statements read a local.
func isRead(stmts []ir.Stmt, l ir.Local) bool {
	found := false
	each(stmts, func(s ir.Stmt) {
		uses(s, func(other ir.Local, how use) { found = found || other == l && how != writes })
	})
	return found
}
