package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// kind is the type of a composite value.
type kind int

const (
	kindArray kind = iota
	kindObject
	kindSet
)

// buildMode says how a composite value is built. Terms are immutable, and no one may see a value
// before it is complete, so a statement that adds an element cannot modify a term.
type buildMode int

const (
	buildLiteral  buildMode = iota // all at once, where the last element is added
	buildStepwise                  // a builder collects the elements and is finished after the last one
	buildNested                    // as a part of the value of a rule such as a.b[x][y], see nested.go
)

// construction is a composite value together with the statements that build it: from the one that
// makes it empty to the last that adds an element. A statement that adds to a value outside its
// construction copies the value.
type construction struct {
	local  ir.Local
	kind   kind
	mode   buildMode
	last   ir.Stmt   // adds the last element; nil if the value stays empty
	keys   []operand // of a literal; the translator collects them
	values []operand
}

// constructions are the constructions in a function, by statement.
type constructions struct {
	makes         map[ir.Stmt]*construction   // statements that make an empty value
	adds          map[ir.Stmt]*construction   // statements that add an element
	finishes      map[ir.Stmt][]*construction // constructions to finish after a statement
	nestedLookups map[ir.Stmt]bool            // statements that look up a part of a nested value
}

func newConstructions() *constructions {
	return &constructions{makes: map[ir.Stmt]*construction{}, adds: map[ir.Stmt]*construction{}, finishes: map[ir.Stmt][]*construction{}, nestedLookups: map[ir.Stmt]bool{}}
}

func findConstructions(f *ir.Func) *constructions {
	cs := newConstructions()
	nested := cs.findPartialResult(f)
	for _, b := range f.Blocks {
		exposed := map[ir.Local]bool{f.Return: true}
		markUpwardExposed(b, map[ir.Local]int{}, exposed)
		cs.findInBlock(b, exposed)
	}
	if nested {
		cs.markNested(f)
	}
	return cs
}

// makeTarget returns the local and the kind of the value that a statement makes.
func makeTarget(s ir.Stmt) (l ir.Local, k kind, isMake bool) {
	switch s := s.(type) {
	case *ir.MakeArrayStmt:
		return s.Target, kindArray, true
	case *ir.MakeObjectStmt:
		return s.Target, kindObject, true
	case *ir.MakeSetStmt:
		return s.Target, kindSet, true
	}
	return 0, 0, false
}

// findPartialResult finds the construction of a partial rule's value, if that is made once and then
// only added to and returned; returning it finishes it. It reports whether the value is nested,
// because parts of it are looked up meanwhile.
func (cs *constructions) findPartialResult(f *ir.Func) (nested bool) {
	c := &construction{local: f.Return, mode: buildStepwise}
	var maker ir.Stmt
	simple := true
	var adders []ir.Stmt
	walkBlocks(f.Blocks, func(s ir.Stmt) {
		visitUses(s, func(l ir.Local, how use) {
			if l != f.Return {
				return
			}
			_, k, isMake := makeTarget(s)
			dot, isDot := s.(*ir.DotStmt)
			_, isReturn := s.(*ir.ReturnLocalStmt)
			switch {
			case how == useMutate:
				adders = append(adders, s)
			case isMake && maker == nil:
				maker, c.kind = s, k
			case isDot && how == useRead && dot.Source.Value == ir.Val(f.Return):
				nested = true
			case !isReturn:
				simple = false
			}
		})
	})
	if maker == nil || !simple {
		return false
	}
	if nested {
		c.mode = buildNested
	}
	cs.makes[maker] = c
	for _, s := range adders {
		cs.adds[s] = c
	}
	return nested
}

// markUpwardExposed marks the locals with an upward-exposed read: one that no write precedes, in the
// same block or in a block around it. written counts the writes in the blocks around b.
func markUpwardExposed(b *ir.Block, written map[ir.Local]int, exposed map[ir.Local]bool) {
	var inBlock []ir.Local
	for _, s := range b.Stmts {
		visitUses(s, func(l ir.Local, how use) {
			if how != useWrite && written[l] == 0 {
				exposed[l] = true
			}
		})
		var inStmt []ir.Local
		visitUses(s, func(l ir.Local, how use) {
			if how == useWrite {
				inStmt = append(inStmt, l)
				written[l]++
			}
		})
		for _, sub := range subBlocks(s) {
			markUpwardExposed(sub, written, exposed)
		}
		inBlock = append(inBlock, inStmt...)
	}
	for _, l := range inBlock {
		written[l]--
	}
}

// findInBlock finds the constructions in a block and in those that it contains.
func (cs *constructions) findInBlock(b *ir.Block, exposed map[ir.Local]bool) {
	var uses map[ir.Local][]localUse
	for i, s := range b.Stmts {
		for _, sub := range subBlocks(s) {
			cs.findInBlock(sub, exposed)
		}
		l, k, ok := makeTarget(s)
		if !ok || exposed[l] {
			continue
		}
		if uses == nil {
			uses = usesByLocal(b)
		}
		if c := cs.classify(b, i, l, k, uses[l]); c != nil {
			cs.makes[s] = c
		}
	}
}

// localUse summarizes how a statement of a block, including the statements that it contains, uses a
// local.
type localUse struct {
	index               int // of the statement
	read, write, mutate bool
	nestedMutate        bool // a contained statement mutates it
}

func usesByLocal(b *ir.Block) map[ir.Local][]localUse {
	uses := map[ir.Local][]localUse{}
	record := func(l ir.Local, how use, i int, nested bool) {
		list := uses[l]
		if n := len(list); n == 0 || list[n-1].index != i {
			list = append(list, localUse{index: i})
		}
		u := &list[len(list)-1]
		u.read, u.write, u.mutate = u.read || how == useRead, u.write || how == useWrite, u.mutate || how == useMutate
		u.nestedMutate = u.nestedMutate || nested && how == useMutate
		uses[l] = list
	}
	for i, s := range b.Stmts {
		visitUses(s, func(l ir.Local, how use) { record(l, how, i, false) })
		for _, sub := range subBlocks(s) {
			walkStmts(sub.Stmts, func(x ir.Stmt) { visitUses(x, func(l ir.Local, how use) { record(l, how, i, true) }) })
		}
	}
	return uses
}

// classify returns the construction of the value that the statement at index i makes, and adds it
// to cs. It returns nil if something may see the value before it is complete.
func (cs *constructions) classify(b *ir.Block, i int, l ir.Local, k kind, uses []localUse) *construction {
	c := &construction{local: l, kind: k}
	last, seen := i, false
	for _, u := range uses {
		if u.index <= i {
			continue
		}
		if u.write && !u.mutate {
			break
		}
		if u.mutate {
			if seen || u.read || u.write {
				return nil
			}
			last, c.last = u.index, b.Stmts[u.index]
			if u.nestedMutate {
				c.mode = buildStepwise
			}
			continue
		}
		seen = true // from here on, nothing may be added
	}
	if c.mode == buildLiteral && !operandsSurvive(b.Stmts[i+1:last+1], l) {
		c.mode = buildStepwise
	}
	walkStmts(b.Stmts[i+1:last+1], func(s ir.Stmt) {
		visitUses(s, func(other ir.Local, how use) {
			if other == l && how == useMutate {
				cs.adds[s] = c
			}
		})
	})
	if c.mode == buildStepwise {
		cs.finishes[c.last] = append(cs.finishes[c.last], c)
	}
	return c
}

// operandsSurvive reports whether a literal can be built after all of the statements that add to it:
// whether the locals that they add still hold their values then.
func operandsSurvive(stmts []ir.Stmt, literal ir.Local) bool {
	added := map[ir.Local]bool{}
	for _, s := range stmts {
		adds := false
		visitUses(s, func(l ir.Local, how use) { adds = adds || l == literal && how == useMutate })
		overwritten := false
		visitWrites([]ir.Stmt{s}, func(l ir.Local) { overwritten = overwritten || l != literal && added[l] })
		if overwritten {
			return false
		}
		if _, once := s.(*ir.ObjectInsertOnceStmt); adds && once {
			return false // only a builder detects conflicting keys
		}
		if adds {
			visitUses(s, func(l ir.Local, how use) {
				if how == useRead {
					added[l] = true
				}
			})
		}
	}
	return true
}
