package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// subBlocks returns the blocks that a statement contains.
func subBlocks(s ir.Stmt) []*ir.Block {
	switch s := s.(type) {
	case *ir.BlockStmt:
		return s.Blocks
	case *ir.ScanStmt:
		return []*ir.Block{s.Block}
	case *ir.NotStmt:
		return []*ir.Block{s.Block}
	case *ir.WithStmt:
		return []*ir.Block{s.Block}
	}
	return nil
}

// walkStmts calls f for statements and for those they contain, in order.
func walkStmts(stmts []ir.Stmt, f func(ir.Stmt)) {
	for _, s := range stmts {
		f(s)
		for _, b := range subBlocks(s) {
			walkStmts(b.Stmts, f)
		}
	}
}

// walkBlocks calls f for all statements of blocks, in order.
func walkBlocks(blocks []*ir.Block, f func(ir.Stmt)) {
	for _, b := range blocks {
		walkStmts(b.Stmts, f)
	}
}

// use is how a statement uses a local.
type use int

const (
	useRead   use = iota
	useWrite      // gives it a new value
	useMutate     // adds to the array, set or object that it holds
)

// visitUses calls f for each use of a local by a statement itself, without the statements that it
// contains. A local that a statement reads and writes is visited twice.
func visitUses(s ir.Stmt, f func(ir.Local, use)) {
	read := func(operands ...ir.Operand) {
		for _, o := range operands {
			if l, ok := o.Value.(ir.Local); ok {
				f(l, useRead)
			}
		}
	}
	switch s := s.(type) {
	case *ir.ReturnLocalStmt:
		f(s.Source, useRead)
	case *ir.CallStmt:
		read(s.Args...)
		f(s.Result, useWrite)
	case *ir.CallDynamicStmt:
		for _, l := range s.Args {
			f(l, useRead)
		}
		read(s.Path...)
		f(s.Result, useWrite)
	case *ir.DotStmt:
		read(s.Source, s.Key)
		f(s.Target, useWrite)
	case *ir.LenStmt:
		read(s.Source)
		f(s.Target, useWrite)
	case *ir.ScanStmt:
		f(s.Source, useRead)
		f(s.Key, useWrite)
		f(s.Value, useWrite)
	case *ir.AssignIntStmt:
		f(s.Target, useWrite)
	case *ir.AssignVarStmt:
		read(s.Source)
		f(s.Target, useWrite)
	case *ir.AssignVarOnceStmt:
		read(s.Source)
		f(s.Target, useRead)
		f(s.Target, useWrite)
	case *ir.ResetLocalStmt:
		f(s.Target, useWrite)
	case *ir.WithStmt:
		read(s.Value)
		f(s.Local, useRead)
		f(s.Local, useWrite)
	case *ir.ResultSetAddStmt:
		f(s.Value, useRead)
	default:
		visitValueUses(s, f, read)
	}
}

// visitValueUses is visitUses for statements that construct, modify and compare values.
func visitValueUses(s ir.Stmt, f func(ir.Local, use), read func(...ir.Operand)) {
	switch s := s.(type) {
	case *ir.MakeNullStmt:
		f(s.Target, useWrite)
	case *ir.MakeNumberIntStmt:
		f(s.Target, useWrite)
	case *ir.MakeNumberRefStmt:
		f(s.Target, useWrite)
	case *ir.MakeArrayStmt:
		f(s.Target, useWrite)
	case *ir.MakeObjectStmt:
		f(s.Target, useWrite)
	case *ir.MakeSetStmt:
		f(s.Target, useWrite)
	case *ir.EqualStmt:
		read(s.A, s.B)
	case *ir.NotEqualStmt:
		read(s.A, s.B)
	case *ir.IsArrayStmt:
		read(s.Source)
	case *ir.IsObjectStmt:
		read(s.Source)
	case *ir.IsSetStmt:
		read(s.Source)
	case *ir.IsDefinedStmt:
		f(s.Source, useRead)
	case *ir.IsUndefinedStmt:
		f(s.Source, useRead)
	case *ir.ArrayAppendStmt:
		read(s.Value)
		f(s.Array, useMutate)
	case *ir.ObjectInsertStmt:
		read(s.Key, s.Value)
		f(s.Object, useMutate)
	case *ir.ObjectInsertOnceStmt:
		read(s.Key, s.Value)
		f(s.Object, useMutate)
	case *ir.ObjectMergeStmt:
		f(s.A, useRead)
		f(s.B, useRead)
		f(s.Target, useWrite)
	case *ir.SetAddStmt:
		read(s.Value)
		f(s.Set, useMutate)
	}
}

// visitWrites calls f for each local that statements, or those they contain, write or mutate.
func visitWrites(stmts []ir.Stmt, f func(ir.Local)) {
	walkStmts(stmts, func(s ir.Stmt) {
		visitUses(s, func(l ir.Local, how use) {
			if how != useRead {
				f(l)
			}
		})
	})
}
