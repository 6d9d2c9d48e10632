package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Array is an array with elements that may be an [Object] or an Array, for which the same holds.
type LazyArray struct {
	lazy
	term     ast.Term
	elements []*ast.Term
}

// NewArray returns the term of an array. Nobody may change the elements any more.
func NewLazyArray(elements []*ast.Term) *ast.Term {
	a := &LazyArray{elements: elements}
	a.lazy.source = a
	a.term.Value = a
	return &a.term
}

func (a *LazyArray) build() *ast.Term {
	elements := make([]*ast.Term, len(a.elements))
	for i, e := range a.elements {
		elements[i] = Materialize(e)
	}
	return ast.ArrayTerm(elements...)
}

// mostPlain is how many elements a [Set] may have: they are compared with one another.
const maxLazySet = 8

// Set is a set of few elements, which may be an [Object], [Array] or Set, for which the same
// holds.
type LazySet struct {
	lazy
	term     ast.Term
	elements []*ast.Term // each once
	isSorted bool        // elements are in OPA's order
}

// newSet returns the term of a set, with few elements, each of which may stand there several times.
// It uses the memory of the elements.
func newLazySet(elements []*ast.Term) *ast.Term {
	s := &LazySet{elements: elements[:0]}
	for _, e := range elements {
		if !s.contains(e) {
			s.elements = append(s.elements, e)
		}
	}
	s.lazy.source = s
	s.term.Value = s
	return &s.term
}

func (s *LazySet) contains(x *ast.Term) bool {
	return slices.ContainsFunc(s.elements, func(e *ast.Term) bool { return equal(e, x) })
}

// sorted are the elements in OPA's order.
func (s *LazySet) sortedElements() []*ast.Term {
	if !s.isSorted {
		slices.SortFunc(s.elements, compare)
		s.isSorted = true
	}
	return s.elements
}

func (s *LazySet) build() *ast.Term {
	elements := make([]*ast.Term, len(s.elements))
	for i, e := range s.elements {
		elements[i] = Materialize(e)
	}
	return ast.SetTerm(elements...)
}

// Whole returns a term as OPA knows it: the same term, but for an [Object], [Array] and [Set],
// all of which is made now.
func Materialize(t *ast.Term) *ast.Term {
	if t == nil {
		return nil
	}
	switch v := t.Value.(type) {
	case *LazyObject:
		return v.materialize()
	case *LazyArray:
		return v.materialize()
	case *LazySet:
		return v.materialize()
	}
	return t
}

// isDeferred reports whether a term is not as OPA knows it.
func isLazy(t *ast.Term) bool {
	switch t.Value.(type) {
	case *LazyObject, *LazyArray, *LazySet:
		return true
	}
	return false
}

// Field returns a member of an object, nil if there is none.
func Get(t *ast.Term, name string) *ast.Term {
	if t == nil {
		return nil
	}
	switch v := t.Value.(type) {
	case *LazyObject:
		if n, ok := v.shape.indexes[ast.String(name)]; ok {
			return v.member(n)
		}
	case ast.Object:
		if v.Len() == 0 {
			return nil
		}
		return v.Get(ast.InternedTerm(name))
	}
	return nil
}

// Each calls f for the elements of an array or a set, in order. It reports whether t is one.
func Each(t *ast.Term, f func(*ast.Term)) bool {
	if t == nil {
		return false
	}
	switch v := t.Value.(type) {
	case *LazyArray:
		for _, e := range v.elements {
			f(e)
		}
	case *LazySet:
		for _, e := range v.sortedElements() {
			f(e)
		}
	case *ast.Array:
		v.Foreach(f)
	case ast.Set:
		v.Foreach(f)
	default:
		return false
	}
	return true
}

// deferred implements [ast.Value] for a value by what it stands for.
type lazy struct {
	source       interface{ build() *ast.Term }
	materialized *ast.Term
}

func (d *lazy) materialize() *ast.Term {
	if d.materialized == nil {
		d.materialized = d.source.build()
	}
	return d.materialized
}

// Compare implements [ast.Value].
func (d *lazy) Compare(other ast.Value) int {
	return ast.Compare(d.materialize().Value, Materialize(&ast.Term{Value: other}).Value)
}

// Find implements [ast.Value].
func (d *lazy) Find(path ast.Ref) (ast.Value, error) { return d.materialize().Value.Find(path) }

// Hash implements [ast.Value].
func (d *lazy) Hash() int { return d.materialize().Hash() }

// IsGround implements [ast.Value].
func (d *lazy) IsGround() bool { return d.materialize().IsGround() }

// String implements [ast.Value].
func (d *lazy) String() string { return d.materialize().String() }

// StringLength implements [ast.Value].
func (d *lazy) StringLength() int { return d.materialize().Value.StringLength() }

// get returns an element, nil if there is none.
func (a *LazyArray) get(key *ast.Term) *ast.Term {
	n, ok := key.Value.(ast.Number)
	if !ok {
		return nil
	}
	i, ok := n.Int()
	if !ok || i < 0 || i >= len(a.elements) {
		return nil
	}
	return a.elements[i]
}
