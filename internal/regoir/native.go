package regoir

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// native translates calls of the functions that policies use most, without the preparations
// that topdown's need. Arguments of other types than these know, and so all errors, are for
// the general step.
func native(name string, args []operand, to int, general step) step {
	var one func(a *ast.Term) *ast.Term
	var two func(a, b *ast.Term) *ast.Term
	switch name {
	case "count":
		one = count
	case "is_string":
		one = is(isA[ast.String])
	case "is_number":
		one = is(isA[ast.Number])
	case "is_boolean":
		one = is(isA[ast.Boolean])
	case "is_null":
		one = is(isA[ast.Null])
	case "is_set":
		one = is(isSet)
	case "is_array":
		one = is(isArray)
	case "is_object":
		one = is(isObject)
	case "gt":
		two = ofNumbers(func(c int) bool { return c > 0 })
	case "gte":
		two = ofNumbers(func(c int) bool { return c >= 0 })
	case "lt":
		two = ofNumbers(func(c int) bool { return c < 0 })
	case "lte":
		two = ofNumbers(func(c int) bool { return c <= 0 })
	case "internal.member_2":
		two = func(x, in *ast.Term) *ast.Term { return ast.InternedTerm(contains(in, x)) }
	case "equal":
		two = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(same(a, b)) }
	case "neq":
		two = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(!same(a, b)) }
	case "startswith":
		two = ofStrings(strings.HasPrefix)
	case "endswith":
		two = ofStrings(strings.HasSuffix)
	case "contains":
		two = ofStrings(strings.Contains)
	case "or":
		two = union
	case "minus":
		two = difference
	case "object.get":
		if len(args) == 3 {
			return objectGet(args, to, general)
		}
	}
	switch {
	case one != nil && len(args) == 1:
		return func(m *machine, r []*ast.Term) end {
			if a := args[0].of(r); a != nil {
				if v := one(a); v != nil {
					r[to] = v
					return defined
				}
			}
			return general(m, r)
		}
	case two != nil && len(args) == 2:
		return func(m *machine, r []*ast.Term) end {
			if a, b := args[0].of(r), args[1].of(r); a != nil && b != nil {
				if v := two(a, b); v != nil {
					r[to] = v
					return defined
				}
			}
			return general(m, r)
		}
	}
	return general
}

func count(a *ast.Term) *ast.Term {
	switch a.Value.(type) {
	case *ast.Array, ast.Object, ast.Set, ast.String, *Array, *Object, *Set:
		return ast.InternedTerm(length(a))
	}
	return nil
}

func is(f func(*ast.Term) bool) func(*ast.Term) *ast.Term {
	return func(a *ast.Term) *ast.Term { return ast.InternedTerm(f(a)) }
}

func ofNumbers(f func(order int) bool) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		x, okX := a.Value.(ast.Number)
		y, okY := b.Value.(ast.Number)
		if !okX || !okY {
			return nil
		}
		return ast.InternedTerm(f(ast.NumberCompare(x, y)))
	}
}

func ofStrings(f func(a, b string) bool) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		x, okX := a.Value.(ast.String)
		y, okY := b.Value.(ast.String)
		if !okX || !okY {
			return nil
		}
		return ast.InternedTerm(f(string(x), string(y)))
	}
}

// union of two sets, if one of them is empty, or they are small.
func union(a, b *ast.Term) *ast.Term {
	switch {
	case !isSet(a) || !isSet(b):
		return nil
	case length(a) == 0:
		return b
	case length(b) == 0:
		return a
	}
	x, okX := a.Value.(*Set)
	y, okY := b.Value.(*Set)
	if !okX || !okY || len(x.elements)+len(y.elements) > mostPlain {
		return nil
	}
	return newSet(append(x.elements[:len(x.elements):len(x.elements)], y.elements...))
}

// difference of two sets, if one of them is empty.
func difference(a, b *ast.Term) *ast.Term {
	if isSet(a) && isSet(b) && (length(a) == 0 || length(b) == 0) {
		return a
	}
	return nil
}

// objectGet is object.get of a key, and not of a path.
func objectGet(args []operand, to int, general step) step {
	return func(m *machine, r []*ast.Term) end {
		from, key, otherwise := args[0].of(r), args[1].of(r), args[2].of(r)
		if from == nil || key == nil || otherwise == nil || isArray(key) {
			return general(m, r)
		}
		if !isObject(from) {
			return general(m, r)
		}
		if r[to] = look(from, key); r[to] == nil {
			r[to] = otherwise
		}
		return defined
	}
}
