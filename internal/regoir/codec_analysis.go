package regoir

import (
	"errors"
	"maps"
	"slices"

	"github.com/open-policy-agent/opa/v1/ir"

	"gavel/internal/packed"
)

// write encodes the analysis of a function with the given blocks. It refers to a statement by its
// index in the order of walkBlocks.
func (a *analysis) write(w *packed.Writer, blocks []*ir.Block) error {
	stmts, constructions, err := a.enumerate(blocks)
	if err != nil {
		return err
	}
	packed.WriteSlice(w, constructions.elements, func(c *construction) {
		w.Int(int64(c.local))
		w.Int(int64(c.kind))
		w.Int(int64(c.mode))
		w.Int(int64(stmts.indexOf(c.last)))
	})
	packed.WriteSlice(w, a.annotated(stmts.elements), func(s ir.Stmt) {
		w.Int(int64(stmts.indexOf(s)))
		w.Int(int64(constructions.indexOf(a.constructions.makes[s])))
		w.Int(int64(constructions.indexOf(a.constructions.adds[s])))
		packed.WriteSlice(w, a.constructions.finishes[s], func(c *construction) { w.Int(int64(constructions.indexOf(c))) })
		w.Bool(a.constructions.nestedLookups[s])
		w.Bool(a.finalAssigns[s])
	})
	packed.WriteSlice(w, slices.Sorted(maps.Keys(a.blockLocal)), func(l ir.Local) { w.Int(int64(l)) })
	c := &codec{w: w}
	c.val(&a.constantResult)
	c.local(&a.resultLocal)
	w.Bool(a.cheap)
	return c.err
}

// readAnalysis decodes what write encoded.
func readAnalysis(r *packed.Reader, blocks []*ir.Block) *analysis {
	var stmts []ir.Stmt
	walkBlocks(blocks, func(s ir.Stmt) { stmts = append(stmts, s) })
	constructions := packed.ReadSlice(r, func() *construction {
		c := &construction{local: ir.Local(r.Int()), kind: kind(r.Int()), mode: buildMode(r.Int())}
		c.last, _ = readRef(r, stmts)
		return c
	})
	a := &analysis{constructions: newConstructions(), blockLocal: map[ir.Local]bool{}, finalAssigns: map[ir.Stmt]bool{}}
	packed.ReadSlice(r, func() bool {
		s, _ := readRef(r, stmts)
		if c, ok := readRef(r, constructions); ok {
			a.constructions.makes[s] = c
		}
		if c, ok := readRef(r, constructions); ok {
			a.constructions.adds[s] = c
		}
		for _, c := range packed.ReadSlice(r, func() *construction { c, _ := readRef(r, constructions); return c }) {
			a.constructions.finishes[s] = append(a.constructions.finishes[s], c)
		}
		if r.Bool() {
			a.constructions.nestedLookups[s] = true
		}
		if r.Bool() {
			a.finalAssigns[s] = true
		}
		return true
	})
	packed.ReadSlice(r, func() bool {
		a.blockLocal[ir.Local(r.Int())] = true
		return true
	})
	c := &codec{r: r}
	c.val(&a.constantResult)
	c.local(&a.resultLocal)
	a.cheap = r.Bool()
	return a
}

// readRef reads an index, and returns the element that it refers to. It returns false for -1, which
// stands for nil.
func readRef[T any](r *packed.Reader, list []T) (element T, ok bool) {
	i := r.Int()
	if i < -1 || i >= int64(len(list)) {
		r.Fail(packed.ErrTruncated)
	}
	if i < 0 || r.Err() != nil {
		return element, false
	}
	return list[i], true
}

// enumerate numbers the statements of a function, and the constructions in its analysis.
func (a *analysis) enumerate(blocks []*ir.Block) (stmts enumeration[ir.Stmt], constructions enumeration[*construction], err error) {
	walkBlocks(blocks, func(s ir.Stmt) {
		if stmts.indexOf(s) >= 0 {
			err = errors.New("a statement occurs twice")
		}
		stmts.add(s)
		for _, c := range append([]*construction{a.constructions.makes[s], a.constructions.adds[s]}, a.constructions.finishes[s]...) {
			if c != nil && constructions.indexOf(c) < 0 {
				constructions.add(c)
			}
		}
	})
	return stmts, constructions, err
}

// annotated returns the statements about which the analysis says anything.
func (a *analysis) annotated(stmts []ir.Stmt) (list []ir.Stmt) {
	for _, s := range stmts {
		if a.constructions.makes[s] != nil || a.constructions.adds[s] != nil || len(a.constructions.finishes[s]) > 0 || a.constructions.nestedLookups[s] || a.finalAssigns[s] {
			list = append(list, s)
		}
	}
	return list
}

// enumeration is a list that knows the index of each element.
type enumeration[T comparable] struct {
	elements []T
	indexes  map[T]int
}

func (e *enumeration[T]) add(x T) {
	if e.indexes == nil {
		e.indexes = map[T]int{}
	}
	e.indexes[x] = len(e.elements)
	e.elements = append(e.elements, x)
}

// indexOf returns the index of an element, or -1.
func (e *enumeration[T]) indexOf(x T) int {
	if i, ok := e.indexes[x]; ok {
		return i
	}
	return -1
}
