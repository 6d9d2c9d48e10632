package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Array is an array with elements that may be an [Object] or an Array, for which the same holds.
type Array struct {
	deferred
	term     ast.Term
	elements []*ast.Term
}

// NewArray returns the term of an array. Nobody may change the elements any more.
func NewArray(elements []*ast.Term) *ast.Term {
	a := &Array{elements: elements}
	a.deferred.of = a
	a.term.Value = a
	return &a.term
}

func (a *Array) complete() *ast.Term {
	elements := make([]*ast.Term, len(a.elements))
	for i, e := range a.elements {
		elements[i] = Whole(e)
	}
	return ast.ArrayTerm(elements...)
}

// mostPlain is how many elements a [Set] may have: they are compared with one another.
const mostPlain = 8

// Set is a set of few elements, which may be an [Object], [Array] or Set, for which the same
// holds.
type Set struct {
	deferred
	term     ast.Term
	elements []*ast.Term // each once
	ordered  bool        // elements are in OPA's order
}

// newSet returns the term of a set, with few elements, each of which may stand there several times.
// It uses the memory of the elements.
func newSet(elements []*ast.Term) *ast.Term {
	s := &Set{elements: elements[:0]}
	for _, e := range elements {
		if !s.contains(e) {
			s.elements = append(s.elements, e)
		}
	}
	s.deferred.of = s
	s.term.Value = s
	return &s.term
}

func (s *Set) contains(x *ast.Term) bool {
	return slices.ContainsFunc(s.elements, func(e *ast.Term) bool { return same(e, x) })
}

// sorted are the elements in OPA's order.
func (s *Set) sorted() []*ast.Term {
	if !s.ordered {
		slices.SortFunc(s.elements, order)
		s.ordered = true
	}
	return s.elements
}

func (s *Set) complete() *ast.Term {
	elements := make([]*ast.Term, len(s.elements))
	for i, e := range s.elements {
		elements[i] = Whole(e)
	}
	return ast.SetTerm(elements...)
}

// Whole returns a term as OPA knows it: the same term, but for an [Object], [Array] and [Set],
// all of which is made now.
func Whole(t *ast.Term) *ast.Term {
	if t == nil {
		return nil
	}
	switch v := t.Value.(type) {
	case *Object:
		return v.whole()
	case *Array:
		return v.whole()
	case *Set:
		return v.whole()
	}
	return t
}

// isDeferred reports whether a term is not as OPA knows it.
func isDeferred(t *ast.Term) bool {
	switch t.Value.(type) {
	case *Object, *Array, *Set:
		return true
	}
	return false
}

// Field returns a member of an object, nil if there is none.
func Field(t *ast.Term, name string) *ast.Term {
	if t == nil {
		return nil
	}
	switch v := t.Value.(type) {
	case *Object:
		if n, ok := v.shape.numbers[ast.String(name)]; ok {
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
	case *Array:
		for _, e := range v.elements {
			f(e)
		}
	case *Set:
		for _, e := range v.sorted() {
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
type deferred struct {
	of   interface{ complete() *ast.Term }
	kept *ast.Term
}

func (d *deferred) whole() *ast.Term {
	if d.kept == nil {
		d.kept = d.of.complete()
	}
	return d.kept
}

// Compare implements [ast.Value].
func (d *deferred) Compare(other ast.Value) int {
	return ast.Compare(d.whole().Value, Whole(&ast.Term{Value: other}).Value)
}

// Find implements [ast.Value].
func (d *deferred) Find(path ast.Ref) (ast.Value, error) { return d.whole().Value.Find(path) }

// Hash implements [ast.Value].
func (d *deferred) Hash() int { return d.whole().Hash() }

// IsGround implements [ast.Value].
func (d *deferred) IsGround() bool { return d.whole().IsGround() }

// String implements [ast.Value].
func (d *deferred) String() string { return d.whole().String() }

// StringLength implements [ast.Value].
func (d *deferred) StringLength() int { return d.whole().Value.StringLength() }

// get returns an element, nil if there is none.
func (a *Array) get(key *ast.Term) *ast.Term {
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
