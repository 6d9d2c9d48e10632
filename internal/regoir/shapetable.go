package regoir

import (
	"strconv"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
)

// Shapes has one [Shape] for each list of names. The zero value is ready to use. It is safe for
// concurrent use, and grows with each new list of names.
type ShapeTable struct{ shapes sync.Map }

func (s *ShapeTable) shapeOf(names []string) *Shape {
	var all []byte
	for _, name := range names {
		all = append(strconv.AppendInt(all, int64(len(name)), 10), ' ')
		all = append(all, name...)
	}
	shape, known := s.shapes.Load(string(all))
	if !known {
		shape, _ = s.shapes.LoadOrStore(string(all), NewShape(names...))
	}
	return shape.(*Shape)
}

// Of what Shared makes, objects have at most so many names, and lie so deep at most: others are
// looked into at few places.
const (
	maxSharedMembers = 32
	maxSharedDepth   = 3
)

// Shared returns a value for many inputs, in which members are found faster than in OPA's objects,
// because policies mostly ask for one name of objects of one kind at one place. Unlike other
// objects of this package it may be a part of inputs of evaluations at the same time: all of it
// is made.
func (s *ShapeTable) Share(t *ast.Term) *ast.Term { return s.share(t, maxSharedDepth) }

func (s *ShapeTable) share(t *ast.Term, depth int) *ast.Term {
	object, ok := t.Value.(ast.Object)
	if !ok || depth == 0 || object.Len() > maxSharedMembers {
		return t
	}
	names, values := make([]string, 0, object.Len()), make([]*ast.Term, 0, object.Len())
	for _, key := range object.Keys() {
		name, ok := key.Value.(ast.String)
		if !ok {
			return t
		}
		names, values = append(names, string(name)), append(values, s.share(object.Get(key), depth-1))
	}
	made := newRecord(s.shapeOf(names), values)
	made.Value.(*LazyObject).materialized = t
	return made
}
