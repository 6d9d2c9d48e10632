package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// builder collects the elements of an array, set or object. It sits in a register as a term, but it
// is not a value: its [ast.Value] is nil, so using it as one panics instead of going on with an
// incomplete value. Only the statements of its construction know about it.
type builder struct {
	ast.Value
	kind     kind
	elements []*ast.Term    // of an array or a set
	pairs    [][2]*ast.Term // of an object
	unique   ast.Object     // replaces pairs once keys have to be unique
	buf      [4]*ast.Term   // the first elements, so that a small collection needs no allocation
}

func newBuilder(k kind) *ast.Term {
	b := &struct {
		term ast.Term
		builder
	}{builder: builder{kind: k}}
	b.term.Value = &b.builder
	b.elements = b.buf[:0]
	return &b.term
}

// finish returns the value, which may be lazy.
func (b *builder) finish() *ast.Term {
	switch {
	case b.kind == kindArray && len(b.elements) > 0:
		return NewLazyArray(b.elements)
	case b.kind == kindSet && len(b.elements) > 0 && len(b.elements) <= maxLazySet:
		return newLazySet(b.elements)
	}
	return b.materialize()
}

// materialize returns the value as an ordinary term, built from the types of package ast.
func (b *builder) materialize() *ast.Term {
	for i, t := range b.elements {
		b.elements[i] = Materialize(t)
	}
	switch {
	case b.kind == kindArray && len(b.elements) == 0:
		return ast.InternedEmptyArray
	case b.kind == kindArray:
		return ast.ArrayTerm(b.elements...)
	case b.kind == kindSet && len(b.elements) == 0:
		return ast.InternedEmptySet
	case b.kind == kindSet:
		return ast.SetTerm(b.elements...)
	case b.unique != nil:
		return ast.NewTerm(b.unique)
	case len(b.pairs) == 0:
		return ast.InternedEmptyObject
	}
	return ast.NewTerm(newObject(b.pairs))
}

// insert adds a member to an object, and replaces one with the same key.
func (b *builder) insert(k, v *ast.Term) {
	if b.unique != nil {
		b.unique.Insert(k, v)
		return
	}
	b.pairs = append(b.pairs, [2]*ast.Term{k, v})
}

// insertOnce adds a member to an object. It reports false if there is one with the same key and
// another value.
func (b *builder) insertOnce(k, v *ast.Term) bool {
	if b.unique == nil {
		b.unique = newObject(b.pairs)
		b.pairs = nil
	}
	if old := b.unique.Get(k); old != nil {
		return equal(old, v)
	}
	b.unique.Insert(k, v)
	return true
}

// newObject returns an object. Of members with equal keys the last one counts; ast.NewObject
// expects that there are none.
func newObject(pairs [][2]*ast.Term) ast.Object {
	o := ast.NewObjectWithCapacity(len(pairs))
	for _, pair := range pairs {
		o.Insert(pair[0], pair[1])
	}
	return o
}

// nestedBuilder is a builder for an object or set that is a nested value or a part of one. See
// nested.go. Unlike a builder it finds its members by key, because inner builders are looked up.
type nestedBuilder struct {
	ast.Value
	kind     kind
	index    ast.Object // from the key of a member to its index in keys and values
	keys     []*ast.Term
	values   []*ast.Term
	elements []*ast.Term // of a set
}

func newNestedBuilder(k kind) *nestedBuilder {
	b := &nestedBuilder{kind: k}
	if k == kindObject {
		b.index = ast.NewObject()
	}
	return b
}

// indexOf returns the index of a member, or -1.
func (b *nestedBuilder) indexOf(key *ast.Term) int {
	if b.index == nil {
		return -1
	}
	if index := b.index.Get(key); index != nil {
		if number, ok := index.Value.(ast.Number); ok {
			i, _ := number.Int()
			return i
		}
	}
	return -1
}

// get returns a member, or nil if there is none. The planner looks a member up to add to it, so a
// finished object or set is returned as a new builder.
func (b *nestedBuilder) get(key *ast.Term) *ast.Term {
	i := b.indexOf(key)
	if i < 0 {
		return nil
	}
	switch v := b.values[i].Value.(type) {
	case ast.Object:
		inner := newNestedBuilder(kindObject)
		v.Foreach(inner.insert)
		return &ast.Term{Value: inner}
	case ast.Set:
		inner := newNestedBuilder(kindSet)
		inner.elements = append(inner.elements, v.Slice()...)
		return &ast.Term{Value: inner}
	}
	return b.values[i]
}

func (b *nestedBuilder) insert(key, value *ast.Term) {
	if i := b.indexOf(key); i >= 0 {
		b.values[i] = value
		return
	}
	b.index.Insert(key, ast.InternedTerm(len(b.keys)))
	b.keys, b.values = append(b.keys, key), append(b.values, value)
}

func (b *nestedBuilder) insertOnce(key, value *ast.Term) bool {
	if i := b.indexOf(key); i >= 0 {
		return equal(finish(b.values[i]), value)
	}
	b.insert(key, value)
	return true
}

// finish returns the value of a term that may be a builder.
func finish(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case *builder:
		return v.finish()
	case *nestedBuilder:
		if v.kind == kindSet {
			return ast.SetTerm(v.elements...)
		}
		o := ast.NewObject()
		for i, k := range v.keys {
			o.Insert(k, finish(v.values[i]))
		}
		return ast.NewTerm(o)
	}
	return t
}

func conflictError(message string, at *ast.Location) error {
	return &topdown.Error{Code: topdown.ConflictErr, Message: message, Location: at}
}
