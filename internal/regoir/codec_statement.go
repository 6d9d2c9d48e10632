package regoir

import (
	"fmt"
	"reflect"

	"github.com/open-policy-agent/opa/v1/ir"
)

// newStmt returns a new statement of a kind, or nil if there is no such kind. Saved programs contain
// these numbers.
func newStmt(kind int64) ir.Stmt {
	switch kind {
	case 0:
		return new(ir.ReturnLocalStmt)
	case 1:
		return new(ir.CallStmt)
	case 2:
		return new(ir.CallDynamicStmt)
	case 3:
		return new(ir.BlockStmt)
	case 4:
		return new(ir.BreakStmt)
	case 5:
		return new(ir.DotStmt)
	case 6:
		return new(ir.LenStmt)
	case 7:
		return new(ir.ScanStmt)
	case 8:
		return new(ir.NotStmt)
	case 9:
		return new(ir.AssignIntStmt)
	case 10:
		return new(ir.AssignVarStmt)
	case 11:
		return new(ir.AssignVarOnceStmt)
	case 12:
		return new(ir.ResetLocalStmt)
	case 13:
		return new(ir.WithStmt)
	case 14:
		return new(ir.NopStmt)
	case 15:
		return new(ir.ResultSetAddStmt)
	}
	return newValueStmt(kind)
}

// newValueStmt is newStmt for statements that construct, modify and compare values.
func newValueStmt(kind int64) ir.Stmt {
	switch kind {
	case 16:
		return new(ir.MakeNullStmt)
	case 17:
		return new(ir.MakeNumberIntStmt)
	case 18:
		return new(ir.MakeNumberRefStmt)
	case 19:
		return new(ir.MakeArrayStmt)
	case 20:
		return new(ir.MakeObjectStmt)
	case 21:
		return new(ir.MakeSetStmt)
	case 22:
		return new(ir.EqualStmt)
	case 23:
		return new(ir.NotEqualStmt)
	case 24:
		return new(ir.IsArrayStmt)
	case 25:
		return new(ir.IsObjectStmt)
	case 26:
		return new(ir.IsSetStmt)
	case 27:
		return new(ir.IsDefinedStmt)
	case 28:
		return new(ir.IsUndefinedStmt)
	case 29:
		return new(ir.ArrayAppendStmt)
	case 30:
		return new(ir.ObjectInsertStmt)
	case 31:
		return new(ir.ObjectInsertOnceStmt)
	case 32:
		return new(ir.ObjectMergeStmt)
	case 33:
		return new(ir.SetAddStmt)
	}
	return nil
}

// stmtKinds returns the kinds that newStmt knows, by type.
func stmtKinds() map[reflect.Type]int {
	kinds := map[reflect.Type]int{}
	for s := newStmt(0); s != nil; s = newStmt(int64(len(kinds))) {
		kinds[reflect.TypeOf(s)] = len(kinds)
	}
	return kinds
}

// fields encodes or decodes the fields of a statement, without its location.
func (c *codec) fields(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.ReturnLocalStmt:
		c.local(&s.Source)
	case *ir.CallStmt:
		c.text(&s.Func)
		codeSlice(c, &s.Args, c.operand)
		c.local(&s.Result)
	case *ir.CallDynamicStmt:
		codeSlice(c, &s.Args, c.local)
		c.local(&s.Result)
		codeSlice(c, &s.Path, c.operand)
	case *ir.BlockStmt:
		c.blocks(&s.Blocks)
	case *ir.BreakStmt:
		codeInt(c, &s.Index)
	case *ir.DotStmt:
		c.operand(&s.Source)
		c.operand(&s.Key)
		c.local(&s.Target)
	case *ir.LenStmt:
		c.operand(&s.Source)
		c.local(&s.Target)
	case *ir.ScanStmt:
		c.local(&s.Source)
		c.local(&s.Key)
		c.local(&s.Value)
		c.block(&s.Block)
	case *ir.NotStmt:
		c.block(&s.Block)
	case *ir.AssignIntStmt:
		codeInt(c, &s.Value)
		c.local(&s.Target)
	case *ir.AssignVarStmt:
		c.operand(&s.Source)
		c.local(&s.Target)
	case *ir.AssignVarOnceStmt:
		c.operand(&s.Source)
		c.local(&s.Target)
	case *ir.ResetLocalStmt:
		c.local(&s.Target)
	case *ir.WithStmt:
		c.local(&s.Local)
		codeSlice(c, &s.Path, func(n *int) { codeInt(c, n) })
		c.operand(&s.Value)
		c.block(&s.Block)
	case *ir.NopStmt:
	case *ir.ResultSetAddStmt:
		c.local(&s.Value)
	default:
		c.valueStmtFields(s)
	}
}

// valueStmtFields is fields for statements that construct, modify and compare values.
func (c *codec) valueStmtFields(s ir.Stmt) {
	switch s := s.(type) {
	case *ir.MakeNullStmt:
		c.local(&s.Target)
	case *ir.MakeNumberIntStmt:
		codeInt(c, &s.Value)
		c.local(&s.Target)
	case *ir.MakeNumberRefStmt:
		codeInt(c, &s.Index)
		c.local(&s.Target)
	case *ir.MakeArrayStmt:
		codeInt(c, &s.Capacity)
		c.local(&s.Target)
	case *ir.MakeObjectStmt:
		c.local(&s.Target)
	case *ir.MakeSetStmt:
		c.local(&s.Target)
	case *ir.EqualStmt:
		c.operands(&s.A, &s.B)
	case *ir.NotEqualStmt:
		c.operands(&s.A, &s.B)
	case *ir.IsArrayStmt:
		c.operand(&s.Source)
	case *ir.IsObjectStmt:
		c.operand(&s.Source)
	case *ir.IsSetStmt:
		c.operand(&s.Source)
	case *ir.IsDefinedStmt:
		c.local(&s.Source)
	case *ir.IsUndefinedStmt:
		c.local(&s.Source)
	case *ir.ArrayAppendStmt:
		c.addition(&s.Array, &s.Value)
	case *ir.ObjectInsertStmt:
		c.addition(&s.Object, &s.Key, &s.Value)
	case *ir.ObjectInsertOnceStmt:
		c.addition(&s.Object, &s.Key, &s.Value)
	case *ir.ObjectMergeStmt:
		c.local(&s.A)
		c.local(&s.B)
		c.local(&s.Target)
	case *ir.SetAddStmt:
		c.addition(&s.Set, &s.Value)
	default:
		c.fail(fmt.Errorf("unknown statement %T", s))
	}
}

// addition encodes or decodes an addition to an array, set or object.
func (c *codec) addition(target *ir.Local, operands ...*ir.Operand) {
	c.operands(operands...)
	c.local(target)
}

func (c *codec) operands(all ...*ir.Operand) {
	for _, o := range all {
		c.operand(o)
	}
}
