package regoir

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Shape is the names of the members of objects of one kind. It never changes.
type Shape struct {
	names         []*ast.Term
	indexes       map[ast.String]int
	sortedIndexes []int // the numbers in the order of the names
}

// NewShape returns the shape of objects with some members, which are numbered from 0.
func NewShape(names ...string) *Shape {
	s := &Shape{indexes: make(map[ast.String]int, len(names))}
	for i, name := range names {
		s.names = append(s.names, ast.InternedTerm(name))
		s.indexes[ast.String(name)] = i
		s.sortedIndexes = append(s.sortedIndexes, i)
	}
	slices.SortFunc(s.sortedIndexes, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return s
}

// name is a constant by which members are looked up at one place of the policy.
type lookupSite struct {
	key    *ast.Term
	cached atomic.Pointer[siteCache]
}

// spot is where a shape has a name: the objects that are met at one place mostly have one shape.
type siteCache struct {
	shape *Shape
	index int
}

// of looks the name up in a value.
func (n *lookupSite) lookup(source *ast.Term, find func(source, key *ast.Term) *ast.Term) *ast.Term {
	if source == nil {
		return nil
	}
	o, ok := source.Value.(*LazyObject)
	if !ok {
		return find(source, n.key)
	}
	at := n.cached.Load()
	if at == nil || at.shape != o.shape {
		at = &siteCache{o.shape, o.shape.indexOf(n.key)}
		n.cached.Store(at)
	}
	if at.index < 0 {
		return nil
	}
	return o.member(at.index)
}

// number of a member, -1 if objects of this shape have no member of that name.
func (s *Shape) indexOf(key *ast.Term) int {
	if text, ok := key.Value.(ast.String); ok {
		if n, ok := s.indexes[text]; ok {
			return n
		}
	}
	return -1
}

// Members makes the members of an [Object].
type Members interface {
	// Member makes the value of a member by its number in the shape, nil if this object does
	// not have it. It returns the same value each time.
	Member(number int) *ast.Term
}

// Object is an object whose members are made when they are looked up. An input may be one, and
// its members. It is for one evaluation at a time, which keeps it whole where OPA has to
// know it: no result contains one.
//
// As a value of OPA it behaves like the object it stands for, but it cannot be a part of an
// array, set or object of OPA's.
type LazyObject struct {
	lazy
	term    ast.Term
	shape   *Shape
	members Members
	values  []*ast.Term
}

// Make makes o an object, which is done once, before it is used, and returns its term. Whoever
// implements Members may keep the Object in the same place in memory.
func (o *LazyObject) Init(shape *Shape, members Members) *ast.Term {
	o.shape, o.members, o.values = shape, members, make([]*ast.Term, len(shape.names))
	o.lazy.source = o
	o.term.Value = o
	return &o.term
}

// record is an object of values that are known.
func newRecord(shape *Shape, values []*ast.Term) *ast.Term {
	o := &LazyObject{shape: shape, values: values}
	o.lazy.source = o
	o.term.Value = o
	return &o.term
}

// get returns a member, nil if there is none.
func (o *LazyObject) get(key *ast.Term) *ast.Term {
	n := o.shape.indexOf(key)
	if n < 0 {
		return nil
	}
	return o.member(n)
}

func (o *LazyObject) member(n int) *ast.Term {
	if o.values[n] == nil && o.members != nil {
		o.values[n] = o.members.Member(n)
	}
	return o.values[n]
}

// length is the number of members.
func (o *LazyObject) length() int {
	n := 0
	for i := range o.values {
		if o.member(i) != nil {
			n++
		}
	}
	return n
}

// equal compares objects of one shape.
func (o *LazyObject) equal(other *LazyObject) bool {
	for n := range o.values {
		if !equal(o.member(n), other.member(n)) {
			return false
		}
	}
	return true
}

// each calls f for the members.
func (o *LazyObject) each(f func(k, v *ast.Term)) {
	for n, name := range o.shape.names {
		if v := o.member(n); v != nil {
			f(name, v)
		}
	}
}

func (o *LazyObject) build() *ast.Term {
	pairs := make([][2]*ast.Term, 0, len(o.values))
	o.each(func(k, v *ast.Term) { pairs = append(pairs, [2]*ast.Term{k, Materialize(v)}) })
	return ast.ObjectTerm(pairs...)
}

// shape is the one shape of the program for objects with these keys, nil if they are not
// different names.
func (p *Program) shapeFor(keys []operand) *Shape {
	var names []string
	for _, k := range keys {
		if k.constant == nil {
			return nil
		}
		name, ok := k.constant.Value.(ast.String)
		if !ok || slices.Contains(names, string(name)) {
			return nil
		}
		names = append(names, string(name))
	}
	if len(names) == 0 {
		return nil
	}
	return p.shapes.shapeOf(names)
}
