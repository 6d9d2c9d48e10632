package regoir

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Shape is the names of the members of objects of one kind. It never changes.
type Shape struct {
	names   []*ast.Term
	numbers map[ast.String]int
	sorted  []int // the numbers in the order of the names
}

// NewShape returns the shape of objects with some members, which are numbered from 0.
func NewShape(names ...string) *Shape {
	s := &Shape{numbers: make(map[ast.String]int, len(names))}
	for i, name := range names {
		s.names = append(s.names, ast.InternedTerm(name))
		s.numbers[ast.String(name)] = i
		s.sorted = append(s.sorted, i)
	}
	slices.SortFunc(s.sorted, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return s
}

// name is a constant by which members are looked up at one place of the policy.
type name struct {
	key  *ast.Term
	last atomic.Pointer[spot]
}

// spot is where a shape has a name: the objects that are met at one place mostly have one shape.
type spot struct {
	shape  *Shape
	number int
}

// of looks the name up in a value.
func (n *name) of(source *ast.Term, find func(source, key *ast.Term) *ast.Term) *ast.Term {
	if source == nil {
		return nil
	}
	o, ok := source.Value.(*Object)
	if !ok {
		return find(source, n.key)
	}
	at := n.last.Load()
	if at == nil || at.shape != o.shape {
		at = &spot{o.shape, o.shape.number(n.key)}
		n.last.Store(at)
	}
	if at.number < 0 {
		return nil
	}
	return o.member(at.number)
}

// number of a member, -1 if objects of this shape have no member of that name.
func (s *Shape) number(key *ast.Term) int {
	if text, ok := key.Value.(ast.String); ok {
		if n, ok := s.numbers[text]; ok {
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
type Object struct {
	deferred
	term    ast.Term
	shape   *Shape
	members Members
	made    []*ast.Term
}

// Make makes o an object, which is done once, before it is used, and returns its term. Whoever
// implements Members may keep the Object in the same place in memory.
func (o *Object) Make(shape *Shape, members Members) *ast.Term {
	o.shape, o.members, o.made = shape, members, make([]*ast.Term, len(shape.names))
	o.deferred.of = o
	o.term.Value = o
	return &o.term
}

// record is an object of values that are known.
func record(shape *Shape, values []*ast.Term) *ast.Term {
	o := &Object{shape: shape, made: values}
	o.deferred.of = o
	o.term.Value = o
	return &o.term
}

// get returns a member, nil if there is none.
func (o *Object) get(key *ast.Term) *ast.Term {
	n := o.shape.number(key)
	if n < 0 {
		return nil
	}
	return o.member(n)
}

func (o *Object) member(n int) *ast.Term {
	if o.made[n] == nil && o.members != nil {
		o.made[n] = o.members.Member(n)
	}
	return o.made[n]
}

// length is the number of members.
func (o *Object) length() int {
	n := 0
	for i := range o.made {
		if o.member(i) != nil {
			n++
		}
	}
	return n
}

// equal compares objects of one shape.
func (o *Object) equal(other *Object) bool {
	for n := range o.made {
		if !same(o.member(n), other.member(n)) {
			return false
		}
	}
	return true
}

// each calls f for the members.
func (o *Object) each(f func(k, v *ast.Term)) {
	for n, name := range o.shape.names {
		if v := o.member(n); v != nil {
			f(name, v)
		}
	}
}

func (o *Object) complete() *ast.Term {
	pairs := make([][2]*ast.Term, 0, len(o.made))
	o.each(func(k, v *ast.Term) { pairs = append(pairs, [2]*ast.Term{k, Whole(v)}) })
	return ast.ObjectTerm(pairs...)
}

// shape is the one shape of the program for objects with these keys, nil if they are not
// different names.
func (p *Program) shape(keys []operand) *Shape {
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
	return p.shapes.of(names)
}
