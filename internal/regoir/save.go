package regoir

import (
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// Save encodes a program, so that another process can Restore it without planning and compiling the
// policy. OPA's encodings of a plan do not serve for this: its JSON takes half a second to read for a
// large policy, and its protobuf can only be written. A restored program decodes a function, with
// its analysis, when the function is first called.
func (p *Program) Save() ([]byte, error) {
	w, kinds := &packed.Writer{}, stmtKinds()
	packed.WriteSlice(w, p.strings, func(t *ast.Term) {
		s, _ := t.Value.(ast.String)
		w.Text(string(s))
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

// Restore decodes a program that Save encoded. The options must be those with which it was compiled.
//
// Restore does not validate the plan again, so it must not be given an encoding that someone else
// could have modified. Truncation is detected: by Restore, or when a truncated function is first
// called, which fails that evaluation.
func Restore(encoded []byte, options Options) (*Program, error) {
	r := packed.NewReader(encoded)
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
		return nil, errors.New("restore a plan: no query")
	}
	last := len(p.functions) - 1
	p.query, p.functions = p.functions[last], p.functions[:last]
	p.query.isRule, p.query.name = false, queryName
	delete(p.byName, p.query.source.Name)
	return p, nil
}

// decodeBody decodes the blocks and the analysis of a restored function. For other functions it does
// nothing.
func (f *function) decodeBody() error {
	if f.encoded == nil {
		return nil
	}
	c := &codec{r: packed.NewReader(f.encoded)}
	var blocks []*ir.Block
	c.blocks(&blocks)
	analysis := readAnalysis(c.r, blocks)
	if err := c.r.Done(); err != nil {
		return fmt.Errorf("restore %s: %w", f.name, err)
	}
	f.source.Blocks, f.analysis = blocks, analysis
	return nil
}
