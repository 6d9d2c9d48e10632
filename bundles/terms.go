package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel/internal/regoir"
)

func get(term *ast.Term, key string) *ast.Term { return regoir.Get(term, key) }

func getText(term *ast.Term, key string) string {
	found := get(term, key)
	if found == nil {
		return ""
	}
	s, ok := found.Value.(ast.String)
	if !ok {
		return ""
	}
	return string(s)
}

func getFlag(term *ast.Term, key string) bool {
	found := get(term, key)
	if found == nil {
		return false
	}
	b, ok := found.Value.(ast.Boolean)
	return ok && bool(b)
}

// each calls f for the elements of an array or a set, in order.
func each(term *ast.Term, f func(*ast.Term)) error {
	if !regoir.Each(term, f) {
		return errShape
	}
	return nil
}

// getNumber reads what is not a number as 0.
func getNumber(term *ast.Term, key string) int {
	found := get(term, key)
	if found == nil {
		return 0
	}
	n, ok := found.Value.(ast.Number)
	if !ok {
		return 0
	}
	i, _ := n.Int()
	return i
}

func getTexts(term *ast.Term, key string) []string {
	list := []string{}
	_ = each(get(term, key), func(element *ast.Term) { // what is not a list reads as an empty one
		if s, ok := element.Value.(ast.String); ok {
			list = append(list, string(s))
		}
	})
	return list
}

func eachKey(term *ast.Term, f func(string) error) error {
	if term == nil {
		return errShape
	}
	object, ok := regoir.Materialize(term).Value.(ast.Object)
	if !ok {
		return errShape
	}
	return object.Iter(func(key, _ *ast.Term) error {
		name, ok := key.Value.(ast.String)
		if !ok {
			return errShape
		}
		return f(string(name))
	})
}
