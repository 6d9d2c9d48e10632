package regoir

import (
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/open-policy-agent/opa/v1/ast"
)

// same reports whether two values are equal.
func same(a, b *ast.Term) bool {
	return a == b || a != nil && b != nil && ast.ValueEqual(a.Value, b.Value)
}

// look returns a member of a value, nil if there is none.
func look(source, key *ast.Term) *ast.Term {
	if source == nil || key == nil {
		return nil
	}
	switch v := source.Value.(type) {
	case ast.Object:
		return v.Get(key)
	case *ast.Array:
		return v.Get(key)
	case ast.Set:
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

// length is the number of members, of a string the number of its characters.
func length(t *ast.Term) int {
	switch v := t.Value.(type) {
	case *ast.Array:
		return v.Len()
	case ast.Object:
		return v.Len()
	case ast.Set:
		return v.Len()
	case ast.String:
		return utf8.RuneCountInString(string(v))
	}
	return 0
}

// contains reports whether a value is a member of a collection.
func contains(in, x *ast.Term) bool {
	switch v := in.Value.(type) {
	case *ast.Array:
		for i := range v.Len() {
			if same(v.Elem(i), x) {
				return true
			}
		}
	case ast.Set:
		return v.Contains(x)
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
		if o, ok := document.Value.(ast.Object); ok {
			below = o.Get(path[0])
			o.Foreach(func(k, v *ast.Term) {
				if !same(k, path[0]) {
					pairs = append(pairs, [2]*ast.Term{k, v})
				}
			})
		}
	}
	return ast.ObjectTerm(append(pairs, [2]*ast.Term{path[0], replaced(below, path[1:], value)})...)
}
