package regoir

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// Save writes a program, for Restore in another process. OPA's own forms of a plan do not fit:
// JSON takes half a second to read, and protobuf can only be written. This one is read function
// by function, when a function is first called.
func (p *Program) Save() ([]byte, error) {
	w, kinds := &packed.Writer{}, newKinds()
	packed.List(w, p.strings, func(t *ast.Term) {
		text, _ := t.Value.(ast.String) // Compile made them of texts
		w.Text(string(text))
	})
	packed.List(w, p.files, w.Text)
	var err error
	packed.List(w, append(p.list[:len(p.list):len(p.list)], p.plan), func(f *function) {
		w.Text(f.source.Name)
		packed.List(w, f.source.Params, func(l ir.Local) { w.Int(int64(l)) })
		w.Int(int64(f.source.Return))
		packed.List(w, f.source.Path, w.Text)
		w.Bool(f.dataOnly)
		if f.saved != nil {
			w.Text(string(f.saved))
			return
		}
		body := &packed.Writer{}
		if wrong := kinds.write(body, reflect.ValueOf(f.source.Blocks)); wrong != nil && err == nil {
			err = fmt.Errorf("save %s: %w", f.name, wrong)
		}
		w.Text(string(body.Bytes()))
	})
	return w.Bytes(), err
}

// Restore reads a program that Save wrote, with the options of the Compile before. It trusts
// the text as far as that Compile validated the plan: a text that anybody else may have changed
// must not get here. A text that is cut off is an error, here or when a function is first
// called, which fails that evaluation.
func Restore(text []byte, options Options) (*Program, error) {
	r := packed.NewReader(text)
	p := newProgram(options)
	p.kinds = newKinds()
	p.strings = packed.Elements(r, func() *ast.Term { return ast.InternedTerm(r.Text()) })
	p.files = packed.Elements(r, r.Text)
	packed.Elements(r, func() *function {
		source := &ir.Func{Name: r.Text(), Params: packed.Elements(r, func() ir.Local { return ir.Local(r.Int()) }),
			Return: ir.Local(r.Int()), Path: packed.Elements(r, r.Text)}
		f := p.add(source)
		f.dataOnly, f.saved = r.Bool(), r.Part()
		return f
	})
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("restore a plan: %w", err)
	}
	if len(p.list) == 0 {
		return nil, errors.New("restore a plan: it has no query")
	}
	last := len(p.list) - 1
	p.plan, p.list = p.list[last], p.list[:last]
	p.plan.isRule, p.plan.name = false, queryName
	delete(p.functions, p.plan.source.Name)
	return p, nil
}

// restored reads the body of a function that Restore left unread.
func (f *function) restored() error {
	if f.saved == nil {
		return nil
	}
	r := packed.NewReader(f.saved)
	var blocks []*ir.Block
	f.program.kinds.read(r, reflect.ValueOf(&blocks).Elem())
	if err := r.Done(); err != nil {
		return fmt.Errorf("restore %s: %w", f.name, err)
	}
	f.source.Blocks = blocks
	return nil
}

// kinds are the statements, by a number that stands for each, and the numbers by type.
type kinds struct {
	types   []reflect.Type
	numbers map[reflect.Type]int
}

// newKinds numbers the statements that OPA has, by their names.
func newKinds() *kinds {
	all := ir.StmtKinds()
	k := &kinds{numbers: map[reflect.Type]int{}}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		of := reflect.TypeOf(all[name]).Elem()
		k.numbers[of] = len(k.types)
		k.types = append(k.types, of)
	}
	return k
}

// The kinds of operands.
const (
	valLocal = iota
	valString
	valBool
)

// write writes a part of a plan: every member of every struct in order, without names.
func (k *kinds) write(w *packed.Writer, v reflect.Value) error {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		w.Int(v.Int())
	case reflect.Uint32:
		w.Int(int64(v.Uint())) //nolint:gosec // 32 bits fit
	case reflect.String:
		w.Text(v.String())
	case reflect.Slice:
		w.Int(int64(v.Len()))
		for i := range v.Len() {
			if err := k.write(w, v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return errors.New("a part is missing")
		}
		return k.write(w, v.Elem())
	case reflect.Interface:
		return k.writeOne(w, v.Interface())
	case reflect.Struct:
		if at, ok := v.Interface().(ir.Location); ok {
			w.Int(int64(at.File))
			w.Int(int64(at.Row))
			w.Int(int64(at.Col))
			return nil
		}
		for i := range v.NumField() {
			if err := k.write(w, v.Field(i)); err != nil {
				return err
			}
		}
	default:
		return fmt.Errorf("a %s is not known", v.Type())
	}
	return nil
}

// writeOne writes an operand, or a statement, after its kind.
func (k *kinds) writeOne(w *packed.Writer, one any) error {
	switch one := one.(type) {
	case ir.Local:
		w.Int(valLocal)
		w.Int(int64(one))
		return nil
	case ir.StringIndex:
		w.Int(valString)
		w.Int(int64(one))
		return nil
	case ir.Bool:
		w.Int(valBool)
		w.Bool(bool(one))
		return nil
	case ir.Stmt:
		of := reflect.ValueOf(one).Elem()
		number, known := k.numbers[of.Type()]
		if !known {
			return fmt.Errorf("a %s is not known", of.Type())
		}
		w.Int(int64(number))
		return k.write(w, of)
	}
	return fmt.Errorf("a %T is not known", one)
}

// read reads what write wrote.
func (k *kinds) read(r *packed.Reader, v reflect.Value) {
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int())
	case reflect.Uint32:
		v.SetUint(uint64(r.Int())) //nolint:gosec // write wrote no negative number
	case reflect.String:
		v.SetString(r.Text())
	case reflect.Slice:
		n := int(r.Int())
		if n < 0 || n > r.Left() {
			r.Fail(packed.ErrShort)
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			k.read(r, v.Index(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		k.read(r, v.Elem())
	case reflect.Interface:
		if one := k.readOne(r, v.Type()); one.IsValid() {
			v.Set(one)
		}
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*ir.Location); ok {
			at.File, at.Row, at.Col = int(r.Int()), int(r.Int()), int(r.Int())
			return
		}
		for i := range v.NumField() {
			k.read(r, v.Field(i))
		}
	}
}

// readOne reads an operand or a statement; the zero Value after an error.
func (k *kinds) readOne(r *packed.Reader, of reflect.Type) reflect.Value {
	kind := int(r.Int())
	if of == reflect.TypeFor[ir.Val]() {
		switch kind {
		case valLocal:
			return reflect.ValueOf(ir.Local(r.Int()))
		case valString:
			return reflect.ValueOf(ir.StringIndex(r.Int()))
		case valBool:
			return reflect.ValueOf(ir.Bool(r.Bool()))
		}
	} else if kind >= 0 && kind < len(k.types) && r.Err() == nil {
		one := reflect.New(k.types[kind])
		k.read(r, one.Elem())
		return one
	}
	r.Fail(errors.New("an unknown kind"))
	return reflect.Value{}
}
