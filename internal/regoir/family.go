package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// A rule such as a.b[x][y] is planned as an object that grows at every level: an inner object
// is looked up in the outer one, changed, and inserted again. family finds the statements that
// do so, which use a [tree] instead of an object.
func (s *shapes) family(f *ir.Func) {
	for _, b := range f.Blocks {
		members := membersOf(f, b)
		each(b.Stmts, func(x ir.Stmt) {
			if l, k, ok := makes(x); ok && members[l] {
				s.made[x] = &making{local: l, kind: k, mode: nestedIn}
			}
			uses(x, func(l ir.Local, how use) {
				if members[l] && how == changes {
					delete(s.ends, x)
					s.part[x] = &making{local: l, mode: nestedIn}
				}
			})
			if dot, ok := x.(*ir.DotStmt); ok {
				if l, ok := dot.Source.Value.(ir.Local); ok && members[l] {
					s.tree[x] = true
				}
			}
		})
	}
}

// membersOf are the locals of a rule that hold the rule's value, or a part of it that grows.
func membersOf(f *ir.Func, b *ir.Block) map[ir.Local]bool {
	members := map[ir.Local]bool{f.Return: true}
	for n := 0; n != len(members); {
		n = len(members)
		each(b.Stmts, func(x ir.Stmt) {
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
func nestedUses(f *function) error {
	s := &shapes{made: map[ir.Stmt]*making{}, part: map[ir.Stmt]*making{}}
	if !s.result(f.source) {
		return nil
	}
	for _, b := range f.source.Blocks {
		members := membersOf(f.source, b)
		unknown := false
		each(b.Stmts, func(x ir.Stmt) {
			uses(x, func(l ir.Local, how use) {
				if members[l] && !growsBy(x, l, how) {
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
func growsBy(s ir.Stmt, l ir.Local, how use) bool {
	switch s := s.(type) {
	case *ir.DotStmt:
		return how == writes || s.Source.Value == ir.Val(l) && s.Key.Value != ir.Val(l)
	case *ir.ObjectInsertStmt:
		return how == changes || s.Value.Value == ir.Val(l) && s.Key.Value != ir.Val(l)
	case *ir.MakeObjectStmt, *ir.MakeSetStmt, *ir.ReturnLocalStmt:
		return true
	}
	return how == changes
}
