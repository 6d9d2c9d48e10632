package regoir

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// equal reports whether two values are equal. A nil term is undefined, which equals only itself.
func equal(a, b *ast.Term) bool {
	if a == b || a == nil || b == nil {
		return a == b
	}
	switch x := a.Value.(type) {
	case ast.String:
		y, ok := b.Value.(ast.String)
		return ok && x == y
	case ast.Boolean:
		y, ok := b.Value.(ast.Boolean)
		return ok && x == y
	case *LazyObject:
		if y, ok := b.Value.(*LazyObject); ok && x.shape == y.shape {
			return x.equal(y)
		}
	}
	return ast.ValueEqual(Materialize(a).Value, Materialize(b).Value)
}

// lookup returns a member of a value, or nil if there is none.
func lookup(source, key *ast.Term) *ast.Term {
	if source == nil || key == nil {
		return nil
	}
	switch v := source.Value.(type) {
	case *LazyObject:
		return v.get(key)
	case *LazyArray:
		return v.get(key)
	case ast.Object:
		return v.Get(Materialize(key))
	case *ast.Array:
		return v.Get(Materialize(key))
	case *LazySet:
		if v.contains(key) {
			return key
		}
	case ast.Set:
		key = Materialize(key)
		if v.Contains(key) {
			return key
		}
	}
	return nil
}

// lookupBase is lookup for a base document. There a number also finds the member that has its text as
// a name, because a path in OPA's store consists of strings.
func lookupBase(source, key *ast.Term) *ast.Term {
	member := lookup(source, key)
	if member != nil || source == nil || key == nil {
		return member
	}
	if n, ok := key.Value.(ast.Number); ok && isA[ast.Object](source) {
		return lookup(source, ast.StringTerm(string(n)))
	}
	return nil
}

// scanTarget returns the collection over which a scan of a value iterates.
func scanTarget(t *ast.Term) ast.Value {
	if o, ok := t.Value.(*LazyObject); ok {
		return o.materialize().Value
	}
	return t.Value
}

// eachMember calls f for the values over which a scan iterates.
func eachMember(t *ast.Term, f func(*ast.Term)) {
	if t == nil || Each(t, f) {
		return
	}
	if o, ok := scanTarget(t).(ast.Object); ok {
		o.Foreach(func(_, v *ast.Term) { f(v) })
	}
}

// isA reports whether a term's value has a Go type.
func isA[T ast.Value](t *ast.Term) bool {
	if t == nil {
		return false
	}
	_, ok := t.Value.(T)
	return ok
}

func isArray(t *ast.Term) bool { return isA[*ast.Array](t) || isA[*LazyArray](t) }

func isObject(t *ast.Term) bool { return isA[ast.Object](t) || isA[*LazyObject](t) }

func isSet(t *ast.Term) bool { return isA[ast.Set](t) || isA[*LazySet](t) }

func isComposite(t *ast.Term) bool { return isArray(t) || isSet(t) || isObject(t) }

// length returns the number of elements, or of characters in a string.
func length(t *ast.Term) int {
	switch v := t.Value.(type) {
	case *ast.Array:
		return v.Len()
	case ast.Object:
		return v.Len()
	case ast.Set:
		return v.Len()
	case *LazyArray:
		return len(v.elements)
	case *LazySet:
		return len(v.elements)
	case *LazyObject:
		return v.length()
	case ast.String:
		return utf8.RuneCountInString(string(v))
	}
	return 0
}

// contains reports whether x is an element of a collection, or a value of an object's member.
func contains(collection, x *ast.Term) bool {
	switch v := collection.Value.(type) {
	case *LazyArray:
		return slices.ContainsFunc(v.elements, func(e *ast.Term) bool { return equal(e, x) })
	case *LazySet:
		return v.contains(x)
	case *LazyObject:
		return contains(v.materialize(), x)
	case *ast.Array:
		for i := range v.Len() {
			if equal(v.Elem(i), x) {
				return true
			}
		}
	case ast.Set:
		return v.Contains(Materialize(x))
	case ast.Object:
		return v.Until(func(_, value *ast.Term) bool { return equal(value, x) })
	}
	return false
}

func intTerm(n int64) *ast.Term { return ast.InternedTerm(n) }

func numberTerm(text string) *ast.Term {
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return ast.InternedTerm(n)
	}
	return ast.NumberTerm(json.Number(text))
}

// merge merges two objects recursively. Where both have a value, that of base wins.
func merge(base, virtual *ast.Term) *ast.Term {
	base, virtual = Materialize(base), Materialize(virtual)
	a, okA := base.Value.(ast.Object)
	b, okB := virtual.Value.(ast.Object)
	if !okA || !okB {
		return base
	}
	pairs := make([][2]*ast.Term, 0, a.Len()+b.Len())
	a.Foreach(func(k, v *ast.Term) {
		if w := b.Get(k); w != nil {
			v = merge(v, w)
		}
		pairs = append(pairs, [2]*ast.Term{k, v})
	})
	b.Foreach(func(k, v *ast.Term) {
		if a.Get(k) == nil {
			pairs = append(pairs, [2]*ast.Term{k, v})
		}
	})
	return ast.ObjectTerm(pairs...)
}

// withReplaced returns a copy of a document with another value at a path. What the path passes through
// and is not an object becomes one.
func withReplaced(document *ast.Term, path []*ast.Term, value *ast.Term) *ast.Term {
	if len(path) == 0 {
		return value
	}
	var pairs [][2]*ast.Term
	var member *ast.Term
	if document != nil {
		if o, ok := Materialize(document).Value.(ast.Object); ok {
			member = o.Get(path[0])
			o.Foreach(func(k, v *ast.Term) {
				if !equal(k, path[0]) {
					pairs = append(pairs, [2]*ast.Term{k, v})
				}
			})
		}
	}
	return ast.ObjectTerm(append(pairs, [2]*ast.Term{path[0], Materialize(withReplaced(member, path[1:], value))})...)
}
