package regoir

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// coder writes the parts of a plan, or reads them: whichever of w and r is there. So one table
// of a statement's members, [coder.members], serves for both.
type codec struct {
	w     *packed.Writer
	r     *packed.Reader
	kinds map[reflect.Type]int // of statements; to write
	err   error
}

func (c *codec) fail(err error) {
	if c.r != nil {
		c.r.Fail(err)
	} else if c.err == nil {
		c.err = err
	}
}

func codeInt[T ~int | ~int32 | ~int64 | ~uint32](c *codec, n *T) {
	if c.r != nil {
		*n = T(c.r.Int())
		return
	}
	c.w.Int(int64(*n))
}

func (c *codec) local(l *ir.Local) { codeInt(c, l) }

func (c *codec) text(s *string) {
	if c.r != nil {
		*s = c.r.Text()
		return
	}
	c.w.Text(*s)
}

// list codes the elements of a list.
func codeSlice[T any](c *codec, elements *[]T, one func(*T)) {
	n := len(*elements)
	codeInt(c, &n)
	if c.r != nil {
		if n < 0 || n > c.r.Remaining() { // each element takes a byte at least
			c.r.Fail(packed.ErrTruncated)
			return
		}
		*elements = make([]T, n)
	}
	for i := range *elements {
		one(&(*elements)[i])
	}
}

func (c *codec) blocks(blocks *[]*ir.Block) { codeSlice(c, blocks, c.block) }

func (c *codec) block(b **ir.Block) {
	if c.r != nil {
		*b = &ir.Block{}
	}
	if *b == nil {
		c.fail(errors.New("a block is missing"))
		return
	}
	codeSlice(c, &(*b).Stmts, c.stmt)
}

// stmt codes a statement: its kind, where it stands, and its members.
func (c *codec) stmt(s *ir.Stmt) {
	if c.r != nil {
		*s = newStmt(c.r.Int())
		if *s == nil || c.r.Err() != nil {
			c.fail(errors.New("an unknown kind of statement"))
			*s = &ir.NopStmt{}
			return
		}
	} else {
		kind, known := c.kinds[reflect.TypeOf(*s)]
		if !known {
			c.fail(fmt.Errorf("a %T is not known", *s))
			return
		}
		c.w.Int(int64(kind))
	}
	at := (*s).GetLocation()
	codeInt(c, &at.File)
	codeInt(c, &at.Row)
	codeInt(c, &at.Col)
	c.fields(*s)
}

func (c *codec) operand(o *ir.Operand) {
	if c.val(&o.Value); o.Value == nil {
		c.fail(errors.New("an operand is missing"))
	}
}

// The kinds of values. None stands for nothing.
const (
	valNone = iota
	valLocal
	valString
	valBool
)

// val codes a value, or nothing.
func (c *codec) val(v *ir.Val) {
	if c.r != nil {
		*v = c.readVal()
		return
	}
	switch one := (*v).(type) {
	case nil:
		c.w.Int(valNone)
	case ir.Local:
		c.w.Int(valLocal)
		c.w.Int(int64(one))
	case ir.StringIndex:
		c.w.Int(valString)
		c.w.Int(int64(one))
	case ir.Bool:
		c.w.Int(valBool)
		c.w.Bool(bool(one))
	default:
		c.fail(fmt.Errorf("a %T is not known", one))
	}
}

func (c *codec) readVal() ir.Val {
	switch c.r.Int() {
	case valNone:
		return nil
	case valLocal:
		return ir.Local(c.r.Int())
	case valString:
		return ir.StringIndex(c.r.Int())
	case valBool:
		return ir.Bool(c.r.Bool())
	}
	c.fail(errors.New("an unknown kind of value"))
	return nil
}
