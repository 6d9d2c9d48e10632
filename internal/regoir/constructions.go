package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// How an array, set or object comes about. What is being built must not be seen before it is
// finished, and a finished value never changes.
type buildMode int

const (
	buildLiteral  buildMode = iota // made at once, where its last member is known
	buildStepwise                  // its members are collected, and it is made after the last one
	buildNested                    // a part of the value of a rule such as a.b[x][y]
)

// kind of a composite.
type kind int

const (
	kindArray kind = iota
	kindObject
	kindSet
)

// making is a composite, from the statement that makes it to the last one that adds to it.
// Statements that add to something else copy it.
type construction struct {
	local  ir.Local
	kind   kind
	mode   buildMode
	last   ir.Stmt   // that adds a member; nil if none does
	keys   []operand // members so far, of a literal
	values []operand
}

// shapes says for the statements of a function what they build.
type constructions struct {
	makes         map[ir.Stmt]*construction
	adds          map[ir.Stmt]*construction   // statements that add a member
	finishes      map[ir.Stmt][]*construction // what is finished after a statement
	nestedLookups map[ir.Stmt]bool            // lookups in a value that is being built
}

func newConstructions() *constructions {
	return &constructions{makes: map[ir.Stmt]*construction{}, adds: map[ir.Stmt]*construction{}, finishes: map[ir.Stmt][]*construction{}, nestedLookups: map[ir.Stmt]bool{}}
}

func findConstructions(f *ir.Func) *constructions {
	s := newConstructions()
	whole := s.findResult(f)
	for _, b := range f.Blocks {
		exposed := map[ir.Local]bool{f.Return: true}
		markUpwardExposed(b, map[ir.Local]int{}, exposed)
		s.findInBlock(b, exposed)
	}
	if whole {
		s.markNested(f)
	}
	return s
}

func makeTarget(s ir.Stmt) (ir.Local, kind, bool) {
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

// exposedReads finds the locals that are read where no statement before, in the same block or
// one around it, has written them.
func markUpwardExposed(b *ir.Block, known map[ir.Local]int, exposed map[ir.Local]bool) {
	var here []ir.Local
	for _, s := range b.Stmts {
		visitUses(s, func(l ir.Local, how use) {
			if how != useWrite && known[l] == 0 {
				exposed[l] = true
			}
		})
		var own []ir.Local
		visitUses(s, func(l ir.Local, how use) {
			if how == useWrite {
				own = append(own, l)
				known[l]++
			}
		})
		for _, n := range subBlocks(s) {
			markUpwardExposed(n, known, exposed)
		}
		here = append(here, own...)
	}
	for _, l := range here {
		known[l]--
	}
}

// event is how a statement of a block uses a local, with all that is inside the statement.
type localUse struct {
	at                  int
	read, write, mutate bool
	nestedMutate        bool // a change by a statement inside
}

func usesByLocal(b *ir.Block) map[ir.Local][]localUse {
	events := map[ir.Local][]localUse{}
	note := func(l ir.Local, how use, at int, inside bool) {
		list := events[l]
		if n := len(list); n == 0 || list[n-1].at != at {
			list = append(list, localUse{at: at})
		}
		e := &list[len(list)-1]
		e.read, e.write, e.mutate = e.read || how == useRead, e.write || how == useWrite, e.mutate || how == useMutate
		e.nestedMutate = e.nestedMutate || inside && how == useMutate
		events[l] = list
	}
	for i, s := range b.Stmts {
		visitUses(s, func(l ir.Local, how use) { note(l, how, i, false) })
		for _, n := range subBlocks(s) {
			walkStmts(n.Stmts, func(x ir.Stmt) { visitUses(x, func(l ir.Local, how use) { note(l, how, i, true) }) })
		}
	}
	return events
}

// block finds what the statements of a block make.
func (s *constructions) findInBlock(b *ir.Block, exposed map[ir.Local]bool) {
	var events map[ir.Local][]localUse
	for i, stmt := range b.Stmts {
		for _, n := range subBlocks(stmt) {
			s.findInBlock(n, exposed)
		}
		l, k, ok := makeTarget(stmt)
		if !ok || exposed[l] {
			continue
		}
		if events == nil {
			events = usesByLocal(b)
		}
		if m := s.classify(b, i, l, k, events[l]); m != nil {
			s.makes[stmt] = m
		}
	}
}

// making describes what statement i makes, or returns nil if it is not known to be unseen
// while it grows.
func (s *constructions) classify(b *ir.Block, i int, l ir.Local, k kind, events []localUse) *construction {
	m := &construction{local: l, kind: k}
	last, mixed := i, false
	for _, e := range events {
		if e.at <= i {
			continue
		}
		if e.write && !e.mutate {
			break
		}
		if e.mutate {
			if mixed || e.read || e.write {
				return nil
			}
			last, m.last = e.at, b.Stmts[e.at]
			if e.nestedMutate {
				m.mode = buildStepwise
			}
			continue
		}
		mixed = true // it is read: nothing may be added any more
	}
	if m.mode == buildLiteral && !areStable(b.Stmts[i+1:last+1], l) {
		m.mode = buildStepwise
	}
	walkStmts(b.Stmts[i+1:last+1], func(x ir.Stmt) {
		visitUses(x, func(other ir.Local, how use) {
			if other == l && how == useMutate {
				s.adds[x] = m
			}
		})
	})
	if m.mode == buildStepwise {
		s.finishes[m.last] = append(s.finishes[m.last], m)
	}
	return m
}

// steady reports whether the members that statements add to a local still have their values
// after the last of the statements.
func areStable(stmts []ir.Stmt, l ir.Local) bool {
	members := map[ir.Local]bool{}
	for _, s := range stmts {
		adds := false
		visitUses(s, func(other ir.Local, how use) { adds = adds || other == l && how == useMutate })
		again := false
		visitWrites([]ir.Stmt{s}, func(other ir.Local) { again = again || other != l && members[other] })
		if again {
			return false
		}
		if _, once := s.(*ir.ObjectInsertOnceStmt); adds && once {
			return false // conflicts are found where members are collected
		}
		if adds {
			visitUses(s, func(other ir.Local, how use) {
				if how == useRead {
					members[other] = true
				}
			})
		}
	}
	return true
}

// result finds how the value of a partial rule is built: it is made once, and only read by the
// statement that returns it. It reports whether parts of it are looked up while it grows.
func (s *constructions) findResult(f *ir.Func) bool {
	m := &construction{local: f.Return, mode: buildStepwise}
	var made ir.Stmt
	whole, lookedUp := true, false
	var parts []ir.Stmt
	walkBlocks(f.Blocks, func(x ir.Stmt) {
		visitUses(x, func(l ir.Local, how use) {
			if l != f.Return {
				return
			}
			_, k, isMake := makeTarget(x)
			dot, isDot := x.(*ir.DotStmt)
			_, isReturn := x.(*ir.ReturnLocalStmt)
			switch {
			case how == useMutate:
				parts = append(parts, x)
			case isMake && made == nil:
				made, m.kind = x, k
			case isDot && how == useRead && dot.Source.Value == ir.Val(f.Return):
				lookedUp = true
			case !isReturn:
				whole = false
			}
		})
	})
	if made == nil || !whole {
		return false
	}
	if lookedUp {
		m.mode = buildNested
	}
	s.makes[made] = m
	for _, x := range parts {
		s.adds[x] = m
	}
	return lookedUp
}
