package regoir

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// codec encodes parts of a plan to w, or decodes them from r. Only one of the two is set. That way
// one list of the fields of each statement, [codec.fields], serves both directions.
type codec struct {
	w     *packed.Writer
	r     *packed.Reader
	kinds map[reflect.Type]int // stmtKinds; only for encoding
	err   error                // the first error of encoding
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

func codeSlice[T any](c *codec, elements *[]T, element func(*T)) {
	n := len(*elements)
	codeInt(c, &n)
	if c.r != nil {
		if n < 0 || n > c.r.Remaining() { // an element takes at least one byte
			c.r.Fail(packed.ErrTruncated)
			return
		}
		*elements = make([]T, n)
	}
	for i := range *elements {
		element(&(*elements)[i])
	}
}

func (c *codec) blocks(blocks *[]*ir.Block) { codeSlice(c, blocks, c.block) }

func (c *codec) block(b **ir.Block) {
	if c.r != nil {
		*b = &ir.Block{}
	}
	if *b == nil {
		c.fail(errors.New("missing block"))
		return
	}
	codeSlice(c, &(*b).Stmts, c.stmt)
}

// stmt encodes or decodes a statement: its kind, its location and its fields.
func (c *codec) stmt(s *ir.Stmt) {
	if c.r != nil {
		*s = newStmt(c.r.Int())
		if *s == nil || c.r.Err() != nil {
			c.fail(errors.New("unknown kind of statement"))
			*s = &ir.NopStmt{}
			return
		}
	} else {
		kind, ok := c.kinds[reflect.TypeOf(*s)]
		if !ok {
			c.fail(fmt.Errorf("unknown statement %T", *s))
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
		c.fail(errors.New("missing operand"))
	}
}

// The kinds of operand values. valNone encodes nil.
const (
	valNone = iota
	valLocal
	valString
	valBool
)

// val encodes or decodes the value of an operand, which may be nil.
func (c *codec) val(v *ir.Val) {
	if c.r != nil {
		*v = c.readVal()
		return
	}
	switch value := (*v).(type) {
	case nil:
		c.w.Int(valNone)
	case ir.Local:
		c.w.Int(valLocal)
		c.w.Int(int64(value))
	case ir.StringIndex:
		c.w.Int(valString)
		c.w.Int(int64(value))
	case ir.Bool:
		c.w.Int(valBool)
		c.w.Bool(bool(value))
	default:
		c.fail(fmt.Errorf("unknown operand %T", value))
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
	c.fail(errors.New("unknown kind of operand"))
	return nil
}
