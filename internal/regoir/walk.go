package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// nested are the blocks inside a statement.
func nested(s ir.Stmt) []*ir.Block {
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

// each calls f for statements and all those inside them, in order.
func each(stmts []ir.Stmt, f func(ir.Stmt)) {
	for _, s := range stmts {
		f(s)
		for _, b := range nested(s) {
			each(b.Stmts, f)
		}
	}
}

// eachOf is each for blocks.
func eachOf(blocks []*ir.Block, f func(ir.Stmt)) {
	for _, b := range blocks {
		each(b.Stmts, f)
	}
}

// use is how a statement itself uses a local.
type use int

const (
	reads   use = iota
	writes      // gives it a new value
	changes     // adds to the array, set or object in it
)

// uses calls f for each local that a statement uses, without those inside it.
func uses(s ir.Stmt, f func(ir.Local, use)) {
	read := func(operands ...ir.Operand) {
		for _, o := range operands {
			if l, ok := o.Value.(ir.Local); ok {
				f(l, reads)
			}
		}
	}
	switch s := s.(type) {
	case *ir.ReturnLocalStmt:
		f(s.Source, reads)
	case *ir.CallStmt:
		read(s.Args...)
		f(s.Result, writes)
	case *ir.CallDynamicStmt:
		for _, l := range s.Args {
			f(l, reads)
		}
		read(s.Path...)
		f(s.Result, writes)
	case *ir.DotStmt:
		read(s.Source, s.Key)
		f(s.Target, writes)
	case *ir.LenStmt:
		read(s.Source)
		f(s.Target, writes)
	case *ir.ScanStmt:
		f(s.Source, reads)
		f(s.Key, writes)
		f(s.Value, writes)
	case *ir.AssignIntStmt:
		f(s.Target, writes)
	case *ir.AssignVarStmt:
		read(s.Source)
		f(s.Target, writes)
	case *ir.AssignVarOnceStmt:
		read(s.Source)
		f(s.Target, reads)
		f(s.Target, writes)
	case *ir.ResetLocalStmt:
		f(s.Target, writes)
	case *ir.WithStmt:
		read(s.Value)
		f(s.Local, reads)
		f(s.Local, writes)
	case *ir.ResultSetAddStmt:
		f(s.Value, reads)
	default:
		usesOfValues(s, f, read)
	}
}

// usesOfValues is uses for statements that make, change and compare values.
func usesOfValues(s ir.Stmt, f func(ir.Local, use), read func(...ir.Operand)) {
	switch s := s.(type) {
	case *ir.MakeNullStmt:
		f(s.Target, writes)
	case *ir.MakeNumberIntStmt:
		f(s.Target, writes)
	case *ir.MakeNumberRefStmt:
		f(s.Target, writes)
	case *ir.MakeArrayStmt:
		f(s.Target, writes)
	case *ir.MakeObjectStmt:
		f(s.Target, writes)
	case *ir.MakeSetStmt:
		f(s.Target, writes)
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
		f(s.Source, reads)
	case *ir.IsUndefinedStmt:
		f(s.Source, reads)
	case *ir.ArrayAppendStmt:
		read(s.Value)
		f(s.Array, changes)
	case *ir.ObjectInsertStmt:
		read(s.Key, s.Value)
		f(s.Object, changes)
	case *ir.ObjectInsertOnceStmt:
		read(s.Key, s.Value)
		f(s.Object, changes)
	case *ir.ObjectMergeStmt:
		f(s.A, reads)
		f(s.B, reads)
		f(s.Target, writes)
	case *ir.SetAddStmt:
		read(s.Value)
		f(s.Set, changes)
	}
}

// written calls f for the locals that statements write or change, those inside included.
func written(stmts []ir.Stmt, f func(ir.Local)) {
	each(stmts, func(s ir.Stmt) {
		uses(s, func(l ir.Local, how use) {
			if how != reads {
				f(l)
			}
		})
	})
}
