package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// The planner builds the value of a rule such as a.b[x][y] as nested objects. For each member it
// looks up the inner object in the outer one, inserts into it, and inserts it into the outer one
// again. With immutable terms that would copy the inner object each time, so these statements use a
// [nestedBuilder].

// markNested finds the statements that build a nested value.
func (cs *constructions) markNested(f *ir.Func) {
	for _, b := range f.Blocks {
		nested := nestedLocals(f, b)
		walkStmts(b.Stmts, func(s ir.Stmt) {
			if l, k, ok := makeTarget(s); ok && nested[l] {
				cs.makes[s] = &construction{local: l, kind: k, mode: buildNested}
			}
			visitUses(s, func(l ir.Local, how use) {
				if nested[l] && how == useMutate {
					delete(cs.finishes, s)
					cs.adds[s] = &construction{local: l, mode: buildNested}
				}
			})
			if dot, ok := s.(*ir.DotStmt); ok {
				if l, ok := dot.Source.Value.(ir.Local); ok && nested[l] {
					cs.nestedLookups[s] = true
				}
			}
		})
	}
}

// nestedLocals finds the locals that hold the nested value or a part of it.
func nestedLocals(f *ir.Func, b *ir.Block) map[ir.Local]bool {
	nested := map[ir.Local]bool{f.Return: true}
	for n := 0; n != len(nested); {
		n = len(nested)
		walkStmts(b.Stmts, func(s ir.Stmt) {
			if dot, ok := s.(*ir.DotStmt); ok {
				if l, ok := dot.Source.Value.(ir.Local); ok && nested[l] {
					nested[dot.Target] = true
				}
			}
		})
	}
	return nested
}

// checkNestedUses refuses a function that uses a nested value in a way in which the planner does
// not: a builder must never be taken for a value.
func checkNestedUses(f *function) error {
	cs := &constructions{makes: map[ir.Stmt]*construction{}, adds: map[ir.Stmt]*construction{}}
	if !cs.findPartialResult(f.source) {
		return nil
	}
	for _, b := range f.source.Blocks {
		nested := nestedLocals(f.source, b)
		unknown := false
		walkStmts(b.Stmts, func(s ir.Stmt) {
			visitUses(s, func(l ir.Local, how use) {
				if nested[l] && !isPlannedNestedUse(s, l, how) {
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

// isPlannedNestedUse reports whether the planner uses a local with a nested value like this.
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
