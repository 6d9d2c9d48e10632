package regoir

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// Save writes a program, for Restore in another process. OPA's own forms of a plan do not fit:
// JSON takes half a second to read, and protobuf can only be written. This one is read function
// by function, when a function is first called, with what was found out about it.
func (p *Program) Save() ([]byte, error) {
	w, kinds := &packed.Writer{}, stmtKinds()
	packed.WriteSlice(w, p.strings, func(t *ast.Term) {
		text, _ := t.Value.(ast.String) // Compile made them of texts
		w.Text(string(text))
	})
	packed.WriteSlice(w, p.files, w.Text)
	var err error
	packed.WriteSlice(w, append(p.functions[:len(p.functions):len(p.functions)], p.query), func(f *function) {
		w.Text(f.source.Name)
		packed.WriteSlice(w, f.source.Params, func(l ir.Local) { w.Int(int64(l)) })
		w.Int(int64(f.source.Return))
		packed.WriteSlice(w, f.source.Path, w.Text)
		w.Bool(f.dataOnly)
		if f.encoded != nil {
			w.Text(string(f.encoded))
			return
		}
		c := &codec{w: &packed.Writer{}, kinds: kinds}
		c.blocks(&f.source.Blocks)
		c.err = errors.Join(c.err, f.analyze().write(c.w, f.source.Blocks))
		if c.err != nil && err == nil {
			err = fmt.Errorf("save %s: %w", f.name, c.err)
		}
		w.Text(string(c.w.Bytes()))
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
	p.strings = packed.ReadSlice(r, func() *ast.Term { return ast.InternedTerm(r.Text()) })
	p.files = packed.ReadSlice(r, r.Text)
	packed.ReadSlice(r, func() *function {
		source := &ir.Func{Name: r.Text(), Params: packed.ReadSlice(r, func() ir.Local { return ir.Local(r.Int()) }),
			Return: ir.Local(r.Int()), Path: packed.ReadSlice(r, r.Text)}
		f := p.addFunction(source)
		f.dataOnly, f.encoded = r.Bool(), r.Bytes()
		return f
	})
	if err := r.Done(); err != nil {
		return nil, fmt.Errorf("restore a plan: %w", err)
	}
	if len(p.functions) == 0 {
		return nil, errors.New("restore a plan: it has no query")
	}
	last := len(p.functions) - 1
	p.query, p.functions = p.functions[last], p.functions[:last]
	p.query.isRule, p.query.name = false, queryName
	delete(p.byName, p.query.source.Name)
	return p, nil
}

// restored reads the body of a function that Restore left unread.
func (f *function) decodeBody() error {
	if f.encoded == nil {
		return nil
	}
	c := &codec{r: packed.NewReader(f.encoded)}
	var blocks []*ir.Block
	c.blocks(&blocks)
	found := readAnalysis(c.r, blocks)
	if err := c.r.Done(); err != nil {
		return fmt.Errorf("restore %s: %w", f.name, err)
	}
	f.source.Blocks, f.analysis = blocks, found
	return nil
}
