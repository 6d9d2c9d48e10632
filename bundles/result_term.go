package bundles

import (
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel/internal/regoir"
)

// These functions read the members of a term. A member that is missing or has another type reads
// as the zero value, which must be the one that permits least.

func get(term *ast.Term, key string) *ast.Term { return regoir.Get(term, key) }

func getString(term *ast.Term, key string) string {
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

func getBool(term *ast.Term, key string) bool {
	found := get(term, key)
	if found == nil {
		return false
	}
	b, ok := found.Value.(ast.Boolean)
	return ok && bool(b)
}

func getInt(term *ast.Term, key string) int {
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

func getSeconds(term *ast.Term, key string) time.Duration {
	return time.Duration(getInt(term, key)) * time.Second
}

// getStrings returns the strings in a list. It never returns nil.
func getStrings(term *ast.Term, key string) []string {
	list := []string{}
	_ = each(get(term, key), func(element *ast.Term) { // anything but a list has no strings
		if s, ok := element.Value.(ast.String); ok {
			list = append(list, string(s))
		}
	})
	return list
}

// each calls f for the elements of an array or a set, in order. Anything else is an error.
func each(term *ast.Term, f func(*ast.Term)) error {
	if !regoir.Each(term, f) {
		return errResultShape
	}
	return nil
}

// eachKey calls f for the keys of an object, which must be strings. Anything else is an error.
func eachKey(term *ast.Term, f func(string) error) error {
	if term == nil {
		return errResultShape
	}
	object, ok := regoir.Materialize(term).Value.(ast.Object)
	if !ok {
		return errResultShape
	}
	return object.Iter(func(key, _ *ast.Term) error {
		name, ok := key.Value.(ast.String)
		if !ok {
			return errResultShape
		}
		return f(string(name))
	})
}
