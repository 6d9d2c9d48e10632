package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// growing is an array, set or object whose members are being collected. It stands in a
// register as a term, and is no value: whoever used it as one would panic, so that nothing is
// decided by half a value. Only the statements that add to it and the one that finishes it
// know it.
type growing struct {
	ast.Value
	kind  kind
	terms []*ast.Term
	pairs [][2]*ast.Term
	once  ast.Object   // keys so far, if they must be unique
	few   [4]*ast.Term // memory of the first terms
}

func newGrowing(k kind) *ast.Term {
	g := &struct {
		term ast.Term
		growing
	}{growing: growing{kind: k}}
	g.term.Value = &g.growing
	g.terms = g.few[:0]
	return &g.term
}

// finish makes the value, for one evaluation.
func (g *growing) finish() *ast.Term {
	switch {
	case g.kind == array && len(g.terms) > 0:
		return NewLazyArray(g.terms)
	case g.kind == set && len(g.terms) > 0 && len(g.terms) <= maxLazySet:
		return newLazySet(g.terms)
	}
	return g.whole()
}

// whole makes the value as OPA knows it.
func (g *growing) whole() *ast.Term {
	for i, t := range g.terms {
		g.terms[i] = Materialize(t)
	}
	switch {
	case g.kind == array && len(g.terms) == 0:
		return ast.InternedEmptyArray
	case g.kind == array:
		return ast.ArrayTerm(g.terms...)
	case g.kind == set && len(g.terms) == 0:
		return ast.InternedEmptySet
	case g.kind == set:
		return ast.SetTerm(g.terms...)
	case g.once != nil:
		return ast.NewTerm(g.once)
	case len(g.pairs) == 0:
		return ast.InternedEmptyObject
	}
	return ast.NewTerm(objectOf(g.pairs))
}

// objectOf is an object of members whose keys may be equal: the last one counts. ast.NewObject
// wants different keys.
func objectOf(pairs [][2]*ast.Term) ast.Object {
	o := ast.NewObjectWithCapacity(len(pairs))
	for _, pair := range pairs {
		o.Insert(pair[0], pair[1])
	}
	return o
}

// insertOnce adds a member to an object whose keys must be unique; equal values do not
// conflict. It reports whether that was possible.
func (g *growing) insertOnce(k, v *ast.Term) bool {
	if g.once == nil {
		g.once = objectOf(g.pairs)
		g.pairs = nil
	}
	if before := g.once.Get(k); before != nil {
		return equal(before, v)
	}
	g.once.Insert(k, v)
	return true
}

func (g *growing) insert(k, v *ast.Term) {
	if g.once != nil {
		g.once.Insert(k, v)
		return
	}
	g.pairs = append(g.pairs, [2]*ast.Term{k, v})
}

// tree is an object or a set that is a part of the value of a rule such as a.b[x][y], and
// grows. Like growing it is no value.
type tree struct {
	ast.Value
	kind   kind
	index  ast.Object // of the members of an object: number by key
	keys   []*ast.Term
	values []*ast.Term
	terms  []*ast.Term // of a set
}

func newTree(k kind) *tree {
	t := &tree{kind: k}
	if k == object {
		t.index = ast.NewObject()
	}
	return t
}

// find returns the number of a member, or -1.
func (t *tree) find(key *ast.Term) int {
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
func (t *tree) get(key *ast.Term) *ast.Term {
	at := t.find(key)
	if at < 0 {
		return nil
	}
	switch v := t.values[at].Value.(type) {
	case ast.Object:
		own := newTree(object)
		v.Foreach(own.insert)
		return &ast.Term{Value: own}
	case ast.Set:
		own := newTree(set)
		own.terms = append(own.terms, v.Slice()...)
		return &ast.Term{Value: own}
	}
	return t.values[at]
}

func (t *tree) insert(key, value *ast.Term) {
	if at := t.find(key); at >= 0 {
		t.values[at] = value
		return
	}
	t.index.Insert(key, ast.InternedTerm(len(t.keys)))
	t.keys, t.values = append(t.keys, key), append(t.values, value)
}

func (t *tree) insertOnce(key, value *ast.Term) bool {
	if at := t.find(key); at >= 0 {
		return equal(finished(t.values[at]), value)
	}
	t.insert(key, value)
	return true
}

// finished is the value of a term that may be growing.
func finished(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case *growing:
		return v.finish()
	case *tree:
		if v.kind == set {
			return ast.SetTerm(v.terms...)
		}
		o := ast.NewObject()
		for i, k := range v.keys {
			o.Insert(k, finished(v.values[i]))
		}
		return ast.NewTerm(o)
	}
	return t
}

func conflict(message string, at *ast.Location) error {
	return &topdown.Error{Code: topdown.ConflictErr, Message: message, Location: at}
}
