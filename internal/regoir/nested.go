package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// A rule such as a.b[x][y] is planned as an object that grows at every level: an inner object
// is looked up in the outer one, changed, and inserted again. family finds the statements that
// do so, which use a [tree] instead of an object.
func (s *constructions) markNested(f *ir.Func) {
	for _, b := range f.Blocks {
		members := nestedLocals(f, b)
		walkStmts(b.Stmts, func(x ir.Stmt) {
			if l, k, ok := makeTarget(x); ok && members[l] {
				s.makes[x] = &construction{local: l, kind: k, mode: buildNested}
			}
			visitUses(x, func(l ir.Local, how use) {
				if members[l] && how == useMutate {
					delete(s.finishes, x)
					s.adds[x] = &construction{local: l, mode: buildNested}
				}
			})
			if dot, ok := x.(*ir.DotStmt); ok {
				if l, ok := dot.Source.Value.(ir.Local); ok && members[l] {
					s.nestedLookups[x] = true
				}
			}
		})
	}
}

// membersOf are the locals of a rule that hold the rule's value, or a part of it that grows.
func nestedLocals(f *ir.Func, b *ir.Block) map[ir.Local]bool {
	members := map[ir.Local]bool{f.Return: true}
	for n := 0; n != len(members); {
		n = len(members)
		walkStmts(b.Stmts, func(x ir.Stmt) {
			if dot, ok := x.(*ir.DotStmt); ok {
				if l, ok := dot.Source.Value.(ir.Local); ok && members[l] {
					members[dot.Target] = true
				}
			}
		})
	}
	return members
}

// nestedUses refuses a rule in which a part that grows is used in a way that is not known.
func checkNestedUses(f *function) error {
	s := &constructions{makes: map[ir.Stmt]*construction{}, adds: map[ir.Stmt]*construction{}}
	if !s.findResult(f.source) {
		return nil
	}
	for _, b := range f.source.Blocks {
		members := nestedLocals(f.source, b)
		unknown := false
		walkStmts(b.Stmts, func(x ir.Stmt) {
			visitUses(x, func(l ir.Local, how use) {
				if members[l] && !isPlannedNestedUse(x, l, how) {
					unknown = true
				}
			})
		})
		if unknown {
			return &UnsupportedError{What: "an unknown use of a nested value", Rule: f.name}
		}
	}
	return nil
}

// growsBy reports whether a statement uses a part that grows as the planner does.
func isPlannedNestedUse(s ir.Stmt, l ir.Local, how use) bool {
	switch s := s.(type) {
	case *ir.DotStmt:
		return how == useWrite || s.Source.Value == ir.Val(l) && s.Key.Value != ir.Val(l)
	case *ir.ObjectInsertStmt:
		return how == useMutate || s.Value.Value == ir.Val(l) && s.Key.Value != ir.Val(l)
	case *ir.MakeObjectStmt, *ir.MakeSetStmt, *ir.ReturnLocalStmt:
		return true
	}
	return how == useMutate
}
