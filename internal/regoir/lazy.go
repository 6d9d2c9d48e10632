package regoir

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Materialize converts a lazy value, with all that it contains, into an ordinary term, built from the
// types of package ast. It returns other terms unchanged.
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

func isLazy(t *ast.Term) bool {
	switch t.Value.(type) {
	case *LazyObject, *LazyArray, *LazySet:
		return true
	}
	return false
}

// Get returns a member of an object, or nil if there is none. The object may be lazy.
func Get(t *ast.Term, name string) *ast.Term {
	if t == nil {
		return nil
	}
	switch v := t.Value.(type) {
	case *LazyObject:
		if i, ok := v.shape.indexes[ast.String(name)]; ok {
			return v.member(i)
		}
	case ast.Object:
		if v.Len() == 0 {
			return nil
		}
		return v.Get(ast.InternedTerm(name))
	}
	return nil
}

// Each calls f for the elements of an array or set, in order. The collection may be lazy. Each reports
// whether t is an array or set.
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

// LazyArray is an array whose elements may be lazy.
type LazyArray struct {
	lazy
	term     ast.Term
	elements []*ast.Term
}

// NewLazyArray returns the term of an array. The elements must not change from now on.
func NewLazyArray(elements []*ast.Term) *ast.Term {
	a := &LazyArray{elements: elements}
	a.lazy.source = a
	a.term.Value = a
	return &a.term
}

// get returns an element, or nil if there is none.
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

func (a *LazyArray) build() *ast.Term {
	elements := make([]*ast.Term, len(a.elements))
	for i, e := range a.elements {
		elements[i] = Materialize(e)
	}
	return ast.ArrayTerm(elements...)
}

// maxLazySet is the greatest length of a LazySet. It has no hash table, so its elements are compared
// one by one.
const maxLazySet = 8

// LazySet is a small set whose elements may be lazy.
type LazySet struct {
	lazy
	term     ast.Term
	elements []*ast.Term // without duplicates
	isSorted bool        // the elements are in OPA's order
}

// newLazySet returns the term of a set. The elements may contain duplicates; the set takes over their
// memory.
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

// sortedElements returns the elements in OPA's order.
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

// lazy implements [ast.Value] for the lazy types: it materializes the value and keeps the result.
type lazy struct {
	source       interface{ build() *ast.Term }
	materialized *ast.Term
}

func (l *lazy) materialize() *ast.Term {
	if l.materialized == nil {
		l.materialized = l.source.build()
	}
	return l.materialized
}

// Compare implements [ast.Value].
func (l *lazy) Compare(other ast.Value) int {
	return ast.Compare(l.materialize().Value, Materialize(&ast.Term{Value: other}).Value)
}

// Find implements [ast.Value].
func (l *lazy) Find(path ast.Ref) (ast.Value, error) { return l.materialize().Value.Find(path) }

// Hash implements [ast.Value].
func (l *lazy) Hash() int { return l.materialize().Hash() }

// IsGround implements [ast.Value].
func (l *lazy) IsGround() bool { return l.materialize().IsGround() }

// String implements [ast.Value].
func (l *lazy) String() string { return l.materialize().String() }

// StringLength implements [ast.Value].
func (l *lazy) StringLength() int { return l.materialize().Value.StringLength() }
