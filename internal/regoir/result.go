package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// The planner turns each clause of a rule or function into a block that assigns its value to a
// result local, and appends a block that stores it:
//
//	{ body...; assignOnce result := value }
//	{ isDefined result; assignOnce return := result }
//
// A clause with "else" is one block with a chain of blocks in it, the last of which stores the result.
// This file finds where such a function may return at once, without the stores and their check for
// conflicts.

// findFinalAssigns finds the assignments to the result after which the function has its final value,
// because nothing that follows can assign another one. Only a function of a single clause has them: one,
// or, with "else", one in each part.
func findFinalAssigns(f *ir.Func) map[ir.Stmt]bool {
	clause, result := soleClause(f)
	if clause == nil {
		return nil
	}
	final := map[ir.Stmt]bool{}
	add := func(b *ir.Block) {
		if list := resultAssigns(b, result, false); len(list) == 1 && !list[0].repeated {
			final[list[0].stmt] = true
		}
	}
	chain, ok := clause.Stmts[0].(*ir.BlockStmt)
	if !ok || len(clause.Stmts) > 1 {
		add(clause)
		return final
	}
	for i, b := range chain.Blocks {
		if i > 0 && !testsFirst(b, result) {
			return nil
		}
	}
	for _, b := range chain.Blocks {
		add(b)
	}
	return final
}

// soleClause returns the block of a function's only clause, and its result local. The block is nil
// if there are more clauses.
func soleClause(f *ir.Func) (clause *ir.Block, result ir.Local) {
	for _, b := range f.Blocks {
		switch {
		case len(b.Stmts) == 0:
		case storesResult(b, f.Return):
			test, _ := b.Stmts[0].(*ir.IsDefinedStmt)
			result = test.Source
		case isReturn(b), isDefault(b, f.Return):
		case clause != nil:
			return nil, 0
		default:
			clause = b
		}
	}
	if clause == nil {
		return nil, 0
	}
	if chain, ok := clause.Stmts[0].(*ir.BlockStmt); ok && len(clause.Stmts) == 1 {
		last := chain.Blocks[len(chain.Blocks)-1]
		if result != 0 || !storesResult(last, f.Return) {
			return nil, 0
		}
		test, _ := last.Stmts[0].(*ir.IsDefinedStmt)
		result = test.Source
	}
	if result == 0 {
		return nil, 0
	}
	return clause, result
}

// storesResult reports whether a block does nothing but store a result in the return local.
func storesResult(b *ir.Block, returnLocal ir.Local) bool {
	if len(b.Stmts) != 2 {
		return false
	}
	test, isTest := b.Stmts[0].(*ir.IsDefinedStmt)
	assign, isAssign := b.Stmts[1].(*ir.AssignVarOnceStmt)
	return isTest && isAssign && assign.Target == returnLocal && assign.Source.Value == ir.Val(test.Source)
}

func isReturn(b *ir.Block) bool {
	_, ok := b.Stmts[0].(*ir.ReturnLocalStmt)
	return ok && len(b.Stmts) == 1
}

// isDefault reports whether a block runs only if a local is undefined, as a default value does.
func isDefault(b *ir.Block, l ir.Local) bool {
	test, ok := b.Stmts[0].(*ir.IsUndefinedStmt)
	return ok && test.Source == l
}

// testsFirst reports whether a block does nothing before it tests whether a local is defined, or
// undefined.
func testsFirst(b *ir.Block, l ir.Local) bool {
	if len(b.Stmts) == 0 {
		return true
	}
	test, ok := b.Stmts[0].(*ir.IsDefinedStmt)
	return isDefault(b, l) || ok && test.Source == l
}

// resultAssign is an assignment to the result. It is repeated if it may run several times, or if
// what follows may not see that it ran: in an iteration, a negation or a "with".
type resultAssign struct {
	stmt     ir.Stmt
	repeated bool
}

func resultAssigns(b *ir.Block, result ir.Local, repeated bool) (list []resultAssign) {
	for _, s := range b.Stmts {
		if assign, ok := s.(*ir.AssignVarOnceStmt); ok && assign.Target == result {
			list = append(list, resultAssign{s, repeated})
		}
		_, isBlock := s.(*ir.BlockStmt)
		for _, sub := range subBlocks(s) {
			list = append(list, resultAssigns(sub, result, repeated || !isBlock)...)
		}
	}
	return list
}

// findConstantResult returns the constant that all clauses of a function assign, and their result
// local. When one clause succeeds, the others need not be evaluated. That does not hold for "else",
// whose parts topdown evaluates in order. The value is nil if there is no such constant.
func findConstantResult(f *ir.Func) (ir.Val, ir.Local) {
	const none = ir.Local(-1)
	result, value, ok := none, ir.Val(nil), true
	walkBlocks(f.Blocks, func(s ir.Stmt) {
		assign, isAssign := s.(*ir.AssignVarOnceStmt)
		if !isAssign {
			return
		}
		source, isLocal := assign.Source.Value.(ir.Local)
		switch {
		case assign.Target == f.Return && isLocal:
			ok = ok && (result == none || result == source)
			result = source
		case assign.Target == f.Return: // the default
		case value == nil || value == assign.Source.Value:
			value = assign.Source.Value
		default:
			ok = false
		}
	})
	for _, b := range f.Blocks {
		for _, s := range b.Stmts {
			if assign, isAssign := s.(*ir.AssignVarOnceStmt); isAssign && assign.Target == result {
				continue
			}
			if chain, isBlock := s.(*ir.BlockStmt); isBlock && assignsOnce(chain, result) && len(b.Stmts) == 1 {
				ok = false
			}
		}
	}
	if !ok || result == none {
		return nil, none
	}
	switch value.(type) {
	case ir.Bool, ir.StringIndex:
		return value, result
	}
	return nil, none
}

// assignsOnce reports whether a statement, or one that it contains, assigns a local once.
func assignsOnce(s ir.Stmt, l ir.Local) bool {
	found := false
	walkStmts([]ir.Stmt{s}, func(s ir.Stmt) {
		if assign, ok := s.(*ir.AssignVarOnceStmt); ok && assign.Target == l {
			found = true
		}
	})
	return found
}
