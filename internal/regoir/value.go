package regoir

import (
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// same reports whether two values are equal.
func same(a, b *ast.Term) bool {
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
	case *Object:
		if y, ok := b.Value.(*Object); ok && x.shape == y.shape {
			return x.equal(y)
		}
	}
	return ast.ValueEqual(Whole(a).Value, Whole(b).Value)
}

// look returns a member of a value, nil if there is none.
func look(source, key *ast.Term) *ast.Term {
	if source == nil || key == nil {
		return nil
	}
	switch v := source.Value.(type) {
	case *Object:
		return v.get(key)
	case *Array:
		return v.get(key)
	case ast.Object:
		return v.Get(Whole(key))
	case *ast.Array:
		return v.Get(Whole(key))
	case *Set:
		if v.contains(key) {
			return key
		}
	case ast.Set:
		key = Whole(key)
		if v.Contains(key) {
			return key
		}
	}
	return nil
}

// lookInData is look for a reference to data. There a number finds a member whose name is its
// text, because OPA's stores know only names.
func lookInData(source, key *ast.Term) *ast.Term {
	found := look(source, key)
	if found != nil || source == nil || key == nil {
		return found
	}
	if n, ok := key.Value.(ast.Number); ok && isA[ast.Object](source) {
		return look(source, ast.StringTerm(string(n)))
	}
	return nil
}

// scanned is what an iteration of a value goes through.
func scanned(t *ast.Term) ast.Value {
	if o, ok := t.Value.(*Object); ok {
		return o.whole().Value
	}
	return t.Value
}

// members calls f for what an iteration of a value goes through.
func members(t *ast.Term, f func(*ast.Term)) {
	if t == nil || Each(t, f) {
		return
	}
	if o, ok := scanned(t).(ast.Object); ok {
		o.Foreach(func(_, v *ast.Term) { f(v) })
	}
}

func isArray(t *ast.Term) bool { return isA[*ast.Array](t) || isA[*Array](t) }

func isObject(t *ast.Term) bool { return isA[ast.Object](t) || isA[*Object](t) }

func isSet(t *ast.Term) bool { return isA[ast.Set](t) || isA[*Set](t) }

// length is the number of members, of a string the number of its characters.
func length(t *ast.Term) int {
	switch v := t.Value.(type) {
	case *ast.Array:
		return v.Len()
	case ast.Object:
		return v.Len()
	case ast.Set:
		return v.Len()
	case *Array:
		return len(v.elements)
	case *Set:
		return len(v.elements)
	case *Object:
		return v.length()
	case ast.String:
		return utf8.RuneCountInString(string(v))
	}
	return 0
}

// contains reports whether a value is a member of a collection.
func contains(in, x *ast.Term) bool {
	switch v := in.Value.(type) {
	case *Array:
		return slices.ContainsFunc(v.elements, func(e *ast.Term) bool { return same(e, x) })
	case *Set:
		return v.contains(x)
	case *Object:
		return contains(v.whole(), x)
	case *ast.Array:
		for i := range v.Len() {
			if same(v.Elem(i), x) {
				return true
			}
		}
	case ast.Set:
		return v.Contains(Whole(x))
	case ast.Object:
		return v.Until(func(_, value *ast.Term) bool { return same(value, x) })
	}
	return false
}

func integer(n int64) *ast.Term { return ast.InternedTerm(n) }

func number(text string) *ast.Term {
	if n, err := strconv.Atoi(text); err == nil && strconv.Itoa(n) == text {
		return ast.InternedTerm(n)
	}
	return ast.NumberTerm(json.Number(text))
}

// merged is base with what virtual adds; where both have a value, objects are merged, and
// otherwise base wins.
func merged(base, virtual *ast.Term) *ast.Term {
	base, virtual = Whole(base), Whole(virtual)
	a, okA := base.Value.(ast.Object)
	b, okB := virtual.Value.(ast.Object)
	if !okA || !okB {
		return base
	}
	pairs := make([][2]*ast.Term, 0, a.Len()+b.Len())
	a.Foreach(func(k, v *ast.Term) {
		if other := b.Get(k); other != nil {
			v = merged(v, other)
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

// replaced is a document with a value at a path. What is not an object on the way becomes one.
func replaced(document *ast.Term, path []*ast.Term, value *ast.Term) *ast.Term {
	if len(path) == 0 {
		return value
	}
	var pairs [][2]*ast.Term
	var below *ast.Term
	if document != nil {
		if o, ok := Whole(document).Value.(ast.Object); ok {
			below = o.Get(path[0])
			o.Foreach(func(k, v *ast.Term) {
				if !same(k, path[0]) {
					pairs = append(pairs, [2]*ast.Term{k, v})
				}
			})
		}
	}
	return ast.ObjectTerm(append(pairs, [2]*ast.Term{path[0], Whole(replaced(below, path[1:], value))})...)
}
