package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// findBlockLocals finds the locals of a function that are read only after they were written, in the
// same block or in one that it contains. The translator knows at each read what such a local holds.
// If that is a constant or the value of another local, it needs no register.
func findBlockLocals(f *ir.Func, c *constructions) map[ir.Local]bool {
	b := &blockLocalFinder{constructions: c, inScope: map[ir.Local]int{}, excluded: map[ir.Local]bool{f.Return: true}, seen: map[ir.Local]bool{}}
	for _, block := range f.Blocks {
		b.block(block)
	}
	for l := range b.excluded {
		delete(b.seen, l)
	}
	return b.seen
}

type blockLocalFinder struct {
	constructions *constructions
	inScope       map[ir.Local]int // how often a local was written before the statement, in its block or in one around it
	excluded      map[ir.Local]bool
	seen          map[ir.Local]bool
}

func (b *blockLocalFinder) block(block *ir.Block) {
	inBlock := map[ir.Local]int{}
	for _, s := range block.Stmts {
		read := map[ir.Local]bool{}
		visitUses(s, func(l ir.Local, how use) {
			b.seen[l] = true
			if how != useWrite {
				read[l] = true
			}
			if how != useWrite && b.inScope[l] == 0 || how == useMutate && b.constructions.adds[s] == nil {
				b.excluded[l] = true
			}
		})
		visitUses(s, func(l ir.Local, how use) {
			if how != useWrite {
				return
			}
			if read[l] || b.inScope[l] > inBlock[l] {
				b.excluded[l] = true
			}
			b.inScope[l]++
			inBlock[l]++
		})
		for _, sub := range subBlocks(s) {
			b.block(sub)
		}
	}
	for l, n := range inBlock {
		b.inScope[l] -= n
	}
}

// isWritten reports whether statements write or mutate a local.
func isWritten(stmts []ir.Stmt, l ir.Local) bool {
	found := false
	visitWrites(stmts, func(other ir.Local) { found = found || other == l })
	return found
}
