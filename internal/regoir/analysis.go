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
type analysis struct {
	constructions  *constructions
	blockLocal     map[ir.Local]bool
	finalAssigns   map[ir.Stmt]bool
	constantResult ir.Val   // the only value of the function, if that is a constant; or nil
	resultLocal    ir.Local // of the rules, before they are compared
	cheap          bool     // remembering its values would take longer than computing them
}

// find finds it out, unless the function was restored with it.
func (f *function) analyze() *analysis {
	if f.analysis != nil {
		return f.analysis
	}
	shapes := findConstructions(f.source)
	d := &analysis{constructions: shapes, blockLocal: findBlockLocals(f.source, shapes), finalAssigns: findFinalAssigns(f.source), cheap: f.isCheap()}
	d.constantResult, d.resultLocal = findConstantResult(f.source)
	return d
}

// isQuick reports whether a function neither iterates nor calls anything but rules, whose values
// are remembered, and native functions.
func (f *function) isCheap() bool {
	quick := true
	walkBlocks(f.source.Blocks, func(s ir.Stmt) {
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
func (d *analysis) write(w *packed.Writer, blocks []*ir.Block) error {
	stmts, makings, err := d.number(blocks)
	if err != nil {
		return err
	}
	packed.WriteSlice(w, makings.list, func(m *construction) {
		w.Int(int64(m.local))
		w.Int(int64(m.kind))
		w.Int(int64(m.mode))
		w.Int(int64(stmts.number(m.last)))
	})
	packed.WriteSlice(w, d.annotated(stmts.list), func(s ir.Stmt) {
		w.Int(int64(stmts.number(s)))
		w.Int(int64(makings.number(d.constructions.makes[s])))
		w.Int(int64(makings.number(d.constructions.adds[s])))
		packed.WriteSlice(w, d.constructions.finishes[s], func(m *construction) { w.Int(int64(makings.number(m))) })
		w.Bool(d.constructions.nestedLookups[s])
		w.Bool(d.finalAssigns[s])
	})
	packed.WriteSlice(w, slices.Sorted(maps.Keys(d.blockLocal)), func(l ir.Local) { w.Int(int64(l)) })
	c := &codec{w: w}
	c.val(&d.constantResult)
	c.local(&d.resultLocal)
	w.Bool(d.cheap)
	return c.err
}

// numbers are things in an order. The number of nothing is -1.
type numbering[T comparable] struct {
	list    []T
	numbers map[T]int
}

func (n *numbering[T]) add(x T) {
	if n.numbers == nil {
		n.numbers = map[T]int{}
	}
	n.numbers[x] = len(n.list)
	n.list = append(n.list, x)
}

func (n *numbering[T]) number(x T) int {
	if i, ok := n.numbers[x]; ok {
		return i
	}
	return -1
}

// numbered numbers statements, and what they make.
func (d *analysis) number(blocks []*ir.Block) (stmts numbering[ir.Stmt], makings numbering[*construction], err error) {
	walkBlocks(blocks, func(s ir.Stmt) {
		if stmts.number(s) >= 0 {
			err = errors.New("a statement stands there twice")
		}
		stmts.add(s)
		for _, m := range append([]*construction{d.constructions.makes[s], d.constructions.adds[s]}, d.constructions.finishes[s]...) {
			if m != nil && makings.number(m) < 0 {
				makings.add(m)
			}
		}
	})
	return stmts, makings, err
}

// marked are the statements of which something was found.
func (d *analysis) annotated(stmts []ir.Stmt) (list []ir.Stmt) {
	for _, s := range stmts {
		if d.constructions.makes[s] != nil || d.constructions.adds[s] != nil || len(d.constructions.finishes[s]) > 0 || d.constructions.nestedLookups[s] || d.finalAssigns[s] {
			list = append(list, s)
		}
	}
	return list
}

// readFound reads what write wrote.
func readAnalysis(r *packed.Reader, blocks []*ir.Block) *analysis {
	var stmts []ir.Stmt
	walkBlocks(blocks, func(s ir.Stmt) { stmts = append(stmts, s) })
	makings := packed.ReadSlice(r, func() *construction {
		m := &construction{local: ir.Local(r.Int()), kind: kind(r.Int()), mode: buildMode(r.Int())}
		m.last, _ = readRef(r, stmts)
		return m
	})
	d := &analysis{constructions: newConstructions(), blockLocal: map[ir.Local]bool{}, finalAssigns: map[ir.Stmt]bool{}}
	packed.ReadSlice(r, func() bool {
		s, _ := readRef(r, stmts)
		if m, ok := readRef(r, makings); ok {
			d.constructions.makes[s] = m
		}
		if m, ok := readRef(r, makings); ok {
			d.constructions.adds[s] = m
		}
		for _, m := range packed.ReadSlice(r, func() *construction { m, _ := readRef(r, makings); return m }) {
			d.constructions.finishes[s] = append(d.constructions.finishes[s], m)
		}
		if r.Bool() {
			d.constructions.nestedLookups[s] = true
		}
		if r.Bool() {
			d.finalAssigns[s] = true
		}
		return true
	})
	packed.ReadSlice(r, func() bool {
		d.blockLocal[ir.Local(r.Int())] = true
		return true
	})
	c := &codec{r: r}
	c.val(&d.constantResult)
	c.local(&d.resultLocal)
	d.cheap = r.Bool()
	return d
}

// chosen is the one of a list whose number was written, and false if none was.
func readRef[T any](r *packed.Reader, list []T) (one T, ok bool) {
	n := r.Int()
	if n < -1 || n >= int64(len(list)) {
		r.Fail(packed.ErrTruncated)
	}
	if n < 0 || r.Err() != nil {
		return one, false
	}
	return list[n], true
}
