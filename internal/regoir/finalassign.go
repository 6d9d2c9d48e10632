package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// direct finds the assignments after which a function has its value: no statement that could
// follow assigns another one. A function with one rule ends there, and so does each part of one
// with "else".
func findFinalAssigns(f *ir.Func) map[ir.Stmt]bool {
	only, result := soleClause(f)
	if only == nil {
		return nil
	}
	found := map[ir.Stmt]bool{}
	add := func(b *ir.Block) {
		if list := resultAssigns(b, result, false); len(list) == 1 && !list[0].repeated {
			found[list[0].stmt] = true
		}
	}
	chain, ok := only.Stmts[0].(*ir.BlockStmt)
	if !ok || len(only.Stmts) > 1 {
		add(only)
		return found
	}
	for i, b := range chain.Blocks {
		if i > 0 && !testsFirst(b, result) {
			return nil
		}
	}
	for _, b := range chain.Blocks {
		add(b)
	}
	return found
}

// onlyUnit is the block of a function with one rule, nil if it has several, and the local that
// keeps the rule's value.
func soleClause(f *ir.Func) (only *ir.Block, result ir.Local) {
	for _, b := range f.Blocks {
		switch {
		case len(b.Stmts) == 0:
		case storesResult(b, f.Return):
			test, _ := b.Stmts[0].(*ir.IsDefinedStmt)
			result = test.Source
		case isReturn(b), isDefault(b, f.Return):
		case only != nil:
			return nil, 0
		default:
			only = b
		}
	}
	if only == nil {
		return nil, 0
	}
	if chain, ok := only.Stmts[0].(*ir.BlockStmt); ok && len(only.Stmts) == 1 {
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
	return only, result
}

func isReturn(b *ir.Block) bool {
	_, ok := b.Stmts[0].(*ir.ReturnLocalStmt)
	return ok && len(b.Stmts) == 1
}

// isDefault reports whether a block begins by asking whether there is no value yet.
func isDefault(b *ir.Block, result ir.Local) bool {
	test, ok := b.Stmts[0].(*ir.IsUndefinedStmt)
	return ok && test.Source == result
}

// asks reports whether a block begins by asking for a local.
func testsFirst(b *ir.Block, l ir.Local) bool {
	if len(b.Stmts) == 0 {
		return true
	}
	test, ok := b.Stmts[0].(*ir.IsDefinedStmt)
	return isDefault(b, l) || ok && test.Source == l
}

// assigned is an assignment of a rule's value, which may be repeated.
type resultAssign struct {
	stmt     ir.Stmt
	repeated bool
}

func resultAssigns(b *ir.Block, result ir.Local, repeated bool) (found []resultAssign) {
	for _, s := range b.Stmts {
		if once, ok := s.(*ir.AssignVarOnceStmt); ok && once.Target == result {
			found = append(found, resultAssign{s, repeated})
		}
		_, plain := s.(*ir.BlockStmt)
		for _, n := range subBlocks(s) {
			found = append(found, resultAssigns(n, result, repeated || !plain)...)
		}
	}
	return found
}

// earlyResult is the constant that all rules of a function yield, and the local they assign it
// to: when one rule holds, the others need not be evaluated. That is not so for "else", which
// topdown evaluates in order.
func findConstantResult(f *ir.Func) (ir.Val, ir.Local) {
	const none = ir.Local(-1)
	result, value, good := none, ir.Val(nil), true
	walkBlocks(f.Blocks, func(s ir.Stmt) {
		once, ok := s.(*ir.AssignVarOnceStmt)
		if !ok {
			return
		}
		source, isLocal := once.Source.Value.(ir.Local)
		switch {
		case once.Target == f.Return && isLocal:
			good = good && (result == none || result == source)
			result = source
		case once.Target == f.Return: // the default
		case value == nil || value == once.Source.Value:
			value = once.Source.Value
		default:
			good = false
		}
	})
	for _, b := range f.Blocks {
		for _, s := range b.Stmts {
			if once, ok := s.(*ir.AssignVarOnceStmt); ok && once.Target == result {
				continue
			}
			if orElse, ok := s.(*ir.BlockStmt); ok && assignsOnce(orElse, result) && len(b.Stmts) == 1 {
				good = false
			}
		}
	}
	if !good || result == none {
		return nil, none
	}
	switch value.(type) {
	case ir.Bool, ir.StringIndex:
		return value, result
	}
	return nil, none
}

func assignsOnce(s ir.Stmt, l ir.Local) bool {
	found := false
	walkStmts([]ir.Stmt{s}, func(s ir.Stmt) {
		if once, ok := s.(*ir.AssignVarOnceStmt); ok && once.Target == l {
			found = true
		}
	})
	return found
}
