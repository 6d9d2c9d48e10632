package regoir

import "github.com/open-policy-agent/opa/v1/ast"

// LazyObject is an object whose members are computed when they are looked up. The input of an
// evaluation may be one, and so may members of it. Because lookups change it, only one evaluation at a
// time may use it.
//
// It implements [ast.Value] like the object that it stands for, but it cannot be an element of OPA's
// own arrays, sets and objects, which know only the types of package ast.
type LazyObject struct {
	lazy
	term    ast.Term
	shape   *Shape
	members Members     // nil if all values are known
	values  []*ast.Term // by index in the shape; nil until they are computed
}

// Members computes the members of a [LazyObject].
type Members interface {
	// Member computes a member, by its index in the shape. It returns nil if the object does not
	// have the member, and it must return the same value each time.
	Member(index int) *ast.Term
}

// Init initializes o and returns its term. It must be called once, before o is used. A type that
// implements Members may embed the LazyObject, which saves an allocation.
func (o *LazyObject) Init(shape *Shape, members Members) *ast.Term {
	o.shape, o.members, o.values = shape, members, make([]*ast.Term, len(shape.names))
	o.lazy.source = o
	o.term.Value = o
	return &o.term
}

// newRecord returns an object with known values.
func newRecord(shape *Shape, values []*ast.Term) *ast.Term {
	o := &LazyObject{shape: shape, values: values}
	o.lazy.source = o
	o.term.Value = o
	return &o.term
}

// get returns a member, or nil if there is none.
func (o *LazyObject) get(key *ast.Term) *ast.Term {
	i := o.shape.indexOf(key)
	if i < 0 {
		return nil
	}
	return o.member(i)
}

func (o *LazyObject) member(i int) *ast.Term {
	if o.values[i] == nil && o.members != nil {
		o.values[i] = o.members.Member(i)
	}
	return o.values[i]
}

// each calls f for the members.
func (o *LazyObject) each(f func(k, v *ast.Term)) {
	for i, name := range o.shape.names {
		if v := o.member(i); v != nil {
			f(name, v)
		}
	}
}

func (o *LazyObject) length() int {
	n := 0
	for i := range o.values {
		if o.member(i) != nil {
			n++
		}
	}
	return n
}

// equal compares objects of the same shape.
func (o *LazyObject) equal(other *LazyObject) bool {
	for i := range o.values {
		if !equal(o.member(i), other.member(i)) {
			return false
		}
	}
	return true
}

func (o *LazyObject) build() *ast.Term {
	pairs := make([][2]*ast.Term, 0, len(o.values))
	o.each(func(k, v *ast.Term) { pairs = append(pairs, [2]*ast.Term{k, Materialize(v)}) })
	return ast.ObjectTerm(pairs...)
}
