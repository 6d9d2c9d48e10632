package regoir

import (
	"errors"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// found is what can be found out about a function before it is translated. It depends on
// nothing but the plan, and takes longer than translating, so a saved program contains it.
type found struct {
	shapes *shapes
	scoped map[ir.Local]bool
	direct map[ir.Stmt]bool
	only   ir.Val   // the only value of the function, if that is a constant; or nil
	result ir.Local // of the rules, before they are compared
	quick  bool     // remembering its values would take longer than computing them
}

// find finds it out, unless the function was restored with it.
func (f *function) find() *found {
	if f.found != nil {
		return f.found
	}
	shapes := shapesOf(f.source)
	d := &found{shapes: shapes, scoped: scoped(f.source, shapes), direct: direct(f.source), quick: f.isQuick()}
	d.only, d.result = earlyResult(f.source)
	return d
}

// isQuick reports whether a function neither iterates nor calls anything but rules, whose values
// are remembered, and native functions.
func (f *function) isQuick() bool {
	quick := true
	eachOf(f.source.Blocks, func(s ir.Stmt) {
		switch s := s.(type) {
		case *ir.ScanStmt, *ir.WithStmt, *ir.CallDynamicStmt:
			quick = false
		case *ir.CallStmt:
			called := f.program.byName[s.Func]
			one, two := intrinsic(s.Func)
			builtin := (one != nil || two != nil) && f.program.options.Builtins[s.Func] == nil
			quick = quick && (builtin || called != nil && called.isRule)
		}
	})
	return quick
}

// write writes what was found about a function with some blocks. Statements are written as their
// numbers in the order of each.
func (d *found) write(w *packed.Writer, blocks []*ir.Block) error {
	stmts, makings, err := d.numbered(blocks)
	if err != nil {
		return err
	}
	packed.List(w, makings.list, func(m *making) {
		w.Int(int64(m.local))
		w.Int(int64(m.kind))
		w.Int(int64(m.mode))
		w.Int(int64(stmts.number(m.last)))
	})
	packed.List(w, d.marked(stmts.list), func(s ir.Stmt) {
		w.Int(int64(stmts.number(s)))
		w.Int(int64(makings.number(d.shapes.made[s])))
		w.Int(int64(makings.number(d.shapes.part[s])))
		packed.List(w, d.shapes.ends[s], func(m *making) { w.Int(int64(makings.number(m))) })
		w.Bool(d.shapes.tree[s])
		w.Bool(d.direct[s])
	})
	packed.List(w, slices.Sorted(maps.Keys(d.scoped)), func(l ir.Local) { w.Int(int64(l)) })
	c := &coder{w: w}
	c.val(&d.only)
	c.local(&d.result)
	w.Bool(d.quick)
	return c.err
}

// numbers are things in an order. The number of nothing is -1.
type numbers[T comparable] struct {
	list []T
	of   map[T]int
}

func (n *numbers[T]) add(x T) {
	if n.of == nil {
		n.of = map[T]int{}
	}
	n.of[x] = len(n.list)
	n.list = append(n.list, x)
}

func (n *numbers[T]) number(x T) int {
	if i, ok := n.of[x]; ok {
		return i
	}
	return -1
}

// numbered numbers statements, and what they make.
func (d *found) numbered(blocks []*ir.Block) (stmts numbers[ir.Stmt], makings numbers[*making], err error) {
	eachOf(blocks, func(s ir.Stmt) {
		if stmts.number(s) >= 0 {
			err = errors.New("a statement stands there twice")
		}
		stmts.add(s)
		for _, m := range append([]*making{d.shapes.made[s], d.shapes.part[s]}, d.shapes.ends[s]...) {
			if m != nil && makings.number(m) < 0 {
				makings.add(m)
			}
		}
	})
	return stmts, makings, err
}

// marked are the statements of which something was found.
func (d *found) marked(stmts []ir.Stmt) (list []ir.Stmt) {
	for _, s := range stmts {
		if d.shapes.made[s] != nil || d.shapes.part[s] != nil || len(d.shapes.ends[s]) > 0 || d.shapes.tree[s] || d.direct[s] {
			list = append(list, s)
		}
	}
	return list
}

// readFound reads what write wrote.
func readFound(r *packed.Reader, blocks []*ir.Block) *found {
	var stmts []ir.Stmt
	eachOf(blocks, func(s ir.Stmt) { stmts = append(stmts, s) })
	makings := packed.Elements(r, func() *making {
		m := &making{local: ir.Local(r.Int()), kind: kind(r.Int()), mode: mode(r.Int())}
		m.last, _ = chosen(r, stmts)
		return m
	})
	d := &found{shapes: newShapes(), scoped: map[ir.Local]bool{}, direct: map[ir.Stmt]bool{}}
	packed.Elements(r, func() bool {
		s, _ := chosen(r, stmts)
		if m, ok := chosen(r, makings); ok {
			d.shapes.made[s] = m
		}
		if m, ok := chosen(r, makings); ok {
			d.shapes.part[s] = m
		}
		for _, m := range packed.Elements(r, func() *making { m, _ := chosen(r, makings); return m }) {
			d.shapes.ends[s] = append(d.shapes.ends[s], m)
		}
		if r.Bool() {
			d.shapes.tree[s] = true
		}
		if r.Bool() {
			d.direct[s] = true
		}
		return true
	})
	packed.Elements(r, func() bool {
		d.scoped[ir.Local(r.Int())] = true
		return true
	})
	c := &coder{r: r}
	c.val(&d.only)
	c.local(&d.result)
	d.quick = r.Bool()
	return d
}

// chosen is the one of a list whose number was written, and false if none was.
func chosen[T any](r *packed.Reader, list []T) (one T, ok bool) {
	n := r.Int()
	if n < -1 || n >= int64(len(list)) {
		r.Fail(packed.ErrShort)
	}
	if n < 0 || r.Err() != nil {
		return one, false
	}
	return list[n], true
}
