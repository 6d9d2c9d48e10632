package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// scoped finds the locals of a function whose values are read only where they were written, in
// the same block or in one inside of it. What such a local holds is known at all statements that
// read it: if it is a constant, or what another local holds, no register is needed for it.
func findBlockLocals(f *ir.Func, s *constructions) map[ir.Local]bool {
	r := &blockLocalFinder{constructions: s, inScope: map[ir.Local]int{}, excluded: map[ir.Local]bool{f.Return: true}, seen: map[ir.Local]bool{}}
	for _, b := range f.Blocks {
		r.block(b)
	}
	for l := range r.excluded {
		delete(r.seen, l)
	}
	return r.seen
}

type blockLocalFinder struct {
	constructions *constructions
	inScope       map[ir.Local]int  // how often a local was written in the blocks around a statement, and before it
	excluded      map[ir.Local]bool // locals that are no scoped ones
	seen          map[ir.Local]bool
}

func (r *blockLocalFinder) block(b *ir.Block) {
	here := map[ir.Local]int{}
	for _, s := range b.Stmts {
		reread := map[ir.Local]bool{}
		visitUses(s, func(l ir.Local, how use) {
			r.seen[l] = true
			if how != useWrite {
				reread[l] = true
			}
			if how != useWrite && r.inScope[l] == 0 || how == useMutate && r.constructions.adds[s] == nil {
				r.excluded[l] = true
			}
		})
		visitUses(s, func(l ir.Local, how use) {
			if how != useWrite {
				return
			}
			if reread[l] || r.inScope[l] > here[l] {
				r.excluded[l] = true
			}
			r.inScope[l]++
			here[l]++
		})
		for _, n := range subBlocks(s) {
			r.block(n)
		}
	}
	for l, n := range here {
		r.inScope[l] -= n
	}
}

// rewritten reports whether statements write or change a local.
func isWritten(stmts []ir.Stmt, l ir.Local) bool {
	found := false
	visitWrites(stmts, func(other ir.Local) { found = found || other == l })
	return found
}

// isRead reports whether statements read a local.
func isRead(stmts []ir.Stmt, l ir.Local) bool {
	found := false
	walkStmts(stmts, func(s ir.Stmt) {
		visitUses(s, func(other ir.Local, how use) { found = found || other == l && how != useWrite })
	})
	return found
}
