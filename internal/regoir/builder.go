package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// growing is an array, set or object whose members are being collected. It stands in a
// register as a term, and is no value: whoever used it as one would panic, so that nothing is
// decided by half a value. Only the statements that add to it and the one that finishes it
// know it.
type builder struct {
	ast.Value
	kind     kind
	elements []*ast.Term
	pairs    [][2]*ast.Term
	unique   ast.Object   // keys so far, if they must be unique
	buf      [4]*ast.Term // memory of the first terms
}

func newBuilder(k kind) *ast.Term {
	g := &struct {
		term ast.Term
		builder
	}{builder: builder{kind: k}}
	g.term.Value = &g.builder
	g.elements = g.buf[:0]
	return &g.term
}

// finish makes the value, for one evaluation.
func (g *builder) finish() *ast.Term {
	switch {
	case g.kind == kindArray && len(g.elements) > 0:
		return NewLazyArray(g.elements)
	case g.kind == kindSet && len(g.elements) > 0 && len(g.elements) <= maxLazySet:
		return newLazySet(g.elements)
	}
	return g.materialize()
}

// whole makes the value as OPA knows it.
func (g *builder) materialize() *ast.Term {
	for i, t := range g.elements {
		g.elements[i] = Materialize(t)
	}
	switch {
	case g.kind == kindArray && len(g.elements) == 0:
		return ast.InternedEmptyArray
	case g.kind == kindArray:
		return ast.ArrayTerm(g.elements...)
	case g.kind == kindSet && len(g.elements) == 0:
		return ast.InternedEmptySet
	case g.kind == kindSet:
		return ast.SetTerm(g.elements...)
	case g.unique != nil:
		return ast.NewTerm(g.unique)
	case len(g.pairs) == 0:
		return ast.InternedEmptyObject
	}
	return ast.NewTerm(newObject(g.pairs))
}

// objectOf is an object of members whose keys may be equal: the last one counts. ast.NewObject
// wants different keys.
func newObject(pairs [][2]*ast.Term) ast.Object {
	o := ast.NewObjectWithCapacity(len(pairs))
	for _, pair := range pairs {
		o.Insert(pair[0], pair[1])
	}
	return o
}

// insertOnce adds a member to an object whose keys must be unique; equal values do not
// conflict. It reports whether that was possible.
func (g *builder) insertOnce(k, v *ast.Term) bool {
	if g.unique == nil {
		g.unique = newObject(g.pairs)
		g.pairs = nil
	}
	if before := g.unique.Get(k); before != nil {
		return equal(before, v)
	}
	g.unique.Insert(k, v)
	return true
}

func (g *builder) insert(k, v *ast.Term) {
	if g.unique != nil {
		g.unique.Insert(k, v)
		return
	}
	g.pairs = append(g.pairs, [2]*ast.Term{k, v})
}

// tree is an object or a set that is a part of the value of a rule such as a.b[x][y], and
// grows. Like growing it is no value.
type nestedBuilder struct {
	ast.Value
	kind     kind
	index    ast.Object // of the members of an object: number by key
	keys     []*ast.Term
	values   []*ast.Term
	elements []*ast.Term // of a set
}

func newNestedBuilder(k kind) *nestedBuilder {
	t := &nestedBuilder{kind: k}
	if k == kindObject {
		t.index = ast.NewObject()
	}
	return t
}

// find returns the number of a member, or -1.
func (t *nestedBuilder) indexOf(key *ast.Term) int {
	if t.index == nil {
		return -1
	}
	if n := t.index.Get(key); n != nil {
		if number, ok := n.Value.(ast.Number); ok {
			at, _ := number.Int()
			return at
		}
	}
	return -1
}

// get returns a member, nil if there is none. An object or set from elsewhere becomes a tree
// of its own, because the planner looks a member up to add to it.
func (t *nestedBuilder) get(key *ast.Term) *ast.Term {
	at := t.indexOf(key)
	if at < 0 {
		return nil
	}
	switch v := t.values[at].Value.(type) {
	case ast.Object:
		own := newNestedBuilder(kindObject)
		v.Foreach(own.insert)
		return &ast.Term{Value: own}
	case ast.Set:
		own := newNestedBuilder(kindSet)
		own.elements = append(own.elements, v.Slice()...)
		return &ast.Term{Value: own}
	}
	return t.values[at]
}

func (t *nestedBuilder) insert(key, value *ast.Term) {
	if at := t.indexOf(key); at >= 0 {
		t.values[at] = value
		return
	}
	t.index.Insert(key, ast.InternedTerm(len(t.keys)))
	t.keys, t.values = append(t.keys, key), append(t.values, value)
}

func (t *nestedBuilder) insertOnce(key, value *ast.Term) bool {
	if at := t.indexOf(key); at >= 0 {
		return equal(finish(t.values[at]), value)
	}
	t.insert(key, value)
	return true
}

// finished is the value of a term that may be growing.
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
