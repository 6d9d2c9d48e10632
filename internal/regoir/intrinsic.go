package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
)

// intrinsic returns this package's implementation of a built-in function, with one argument or with
// two. Both are nil if there is none. There are intrinsics for the functions that policies call most:
// preparing a call to topdown's would take longer than the function itself. An intrinsic returns nil
// for arguments that it does not handle, including all that cause an error. Topdown's function
// handles those.
func intrinsic(name string) (unary func(a *ast.Term) *ast.Term, binary func(a, b *ast.Term) *ast.Term) {
	switch name {
	case "count":
		unary = count
	case "is_string":
		unary = typeTest(isA[ast.String])
	case "is_number":
		unary = typeTest(isA[ast.Number])
	case "is_boolean":
		unary = typeTest(isA[ast.Boolean])
	case "is_null":
		unary = typeTest(isA[ast.Null])
	case "is_set":
		unary = typeTest(isSet)
	case "is_array":
		unary = typeTest(isArray)
	case "is_object":
		unary = typeTest(isObject)
	case "gt":
		binary = compareNumbers(func(c int) bool { return c > 0 })
	case "gte":
		binary = compareNumbers(func(c int) bool { return c >= 0 })
	case "lt":
		binary = compareNumbers(func(c int) bool { return c < 0 })
	case "lte":
		binary = compareNumbers(func(c int) bool { return c <= 0 })
	case "internal.member_2":
		binary = func(x, collection *ast.Term) *ast.Term { return ast.InternedTerm(contains(collection, x)) }
	case "equal":
		binary = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(equal(a, b)) }
	case "neq":
		binary = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(!equal(a, b)) }
	case "or":
		binary = union
	case "minus":
		binary = difference
	case "array.concat":
		binary = concatArrays
	default:
		return stringIntrinsic(name)
	}
	return unary, binary
}

// intrinsicCall translates a call to a built-in function. The general step is taken if there is no
// intrinsic, and for arguments that the intrinsic does not handle.
func intrinsicCall(name string, args []operand, dst int, general step) step {
	unary, binary := intrinsic(name)
	switch {
	case name == "object.get" && len(args) == 3:
		return objectGet(args, dst, general)
	case unary != nil && len(args) == 1:
		a := args[0]
		return func(m *machine, r []*ast.Term) outcome {
			if x := a.load(r); x != nil {
				if v := unary(x); v != nil {
					r[dst] = v
					return defined
				}
			}
			return general(m, r)
		}
	case binary != nil && len(args) == 2:
		a, b := args[0], args[1]
		return func(m *machine, r []*ast.Term) outcome {
			if x, y := a.load(r), b.load(r); x != nil && y != nil {
				if v := binary(x, y); v != nil {
					r[dst] = v
					return defined
				}
			}
			return general(m, r)
		}
	}
	return general
}

// intrinsicTest translates a call to a built-in function and the test that its value is not false. It
// returns nil if there is no intrinsic.
func intrinsicTest(name string, args []operand, dst int, falseTerm *ast.Term, general step) step {
	unary, binary := intrinsic(name)
	var value func(r []*ast.Term) *ast.Term
	switch {
	case unary != nil && len(args) == 1:
		a := args[0]
		value = func(r []*ast.Term) *ast.Term {
			if x := a.load(r); x != nil {
				return unary(x)
			}
			return nil
		}
	case binary != nil && len(args) == 2:
		a, b := args[0], args[1]
		value = func(r []*ast.Term) *ast.Term {
			if x, y := a.load(r), b.load(r); x != nil && y != nil {
				return binary(x, y)
			}
			return nil
		}
	default:
		return nil
	}
	return func(m *machine, r []*ast.Term) outcome {
		v := value(r)
		if v == nil {
			if e := general(m, r); e != defined {
				return e
			}
			v = r[dst]
		}
		if v == falseTerm || equal(v, falseTerm) {
			return undefined
		}
		r[dst] = v
		return defined
	}
}

func count(a *ast.Term) *ast.Term {
	switch a.Value.(type) {
	case *ast.Array, ast.Object, ast.Set, ast.String, *LazyArray, *LazyObject, *LazySet:
		return ast.InternedTerm(length(a))
	}
	return nil
}

// typeTest returns an intrinsic such as is_string.
func typeTest(f func(*ast.Term) bool) func(*ast.Term) *ast.Term {
	return func(a *ast.Term) *ast.Term { return ast.InternedTerm(f(a)) }
}

// compareNumbers returns an intrinsic such as lt.
func compareNumbers(f func(order int) bool) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		x, okX := a.Value.(ast.Number)
		y, okY := b.Value.(ast.Number)
		if !okX || !okY {
			return nil
		}
		return ast.InternedTerm(f(ast.NumberCompare(x, y)))
	}
}

// union handles sets that are lazy and remain small, and empty sets.
func union(a, b *ast.Term) *ast.Term {
	switch {
	case !isSet(a) || !isSet(b):
		return nil
	case length(a) == 0:
		return b
	case length(b) == 0:
		return a
	}
	x, okX := a.Value.(*LazySet)
	y, okY := b.Value.(*LazySet)
	if !okX || !okY || len(x.elements)+len(y.elements) > maxLazySet {
		return nil
	}
	return newLazySet(append(x.elements[:len(x.elements):len(x.elements)], y.elements...))
}

// difference handles sets the first of which is lazy, and empty sets.
func difference(a, b *ast.Term) *ast.Term {
	if !isSet(a) || !isSet(b) {
		return nil
	}
	if length(a) == 0 || length(b) == 0 {
		return a
	}
	s, ok := a.Value.(*LazySet)
	if !ok {
		return nil
	}
	var rest []*ast.Term
	for _, e := range s.elements {
		if !contains(b, e) {
			rest = append(rest, e)
		}
	}
	switch len(rest) {
	case 0:
		return ast.InternedEmptySet
	case len(s.elements):
		return a
	}
	return newLazySet(rest)
}

func concatArrays(a, b *ast.Term) *ast.Term {
	if !isArray(a) || !isArray(b) {
		return nil
	}
	elements := make([]*ast.Term, 0, length(a)+length(b))
	add := func(e *ast.Term) { elements = append(elements, e) }
	Each(a, add)
	Each(b, add)
	if len(elements) == 0 {
		return ast.InternedEmptyArray
	}
	return NewLazyArray(elements)
}

// objectGet translates a call to object.get, whose second argument is a key or an array of keys.
func objectGet(args []operand, dst int, general step) step {
	return func(m *machine, r []*ast.Term) outcome {
		v, key, defaultValue := args[0].load(r), args[1].load(r), args[2].load(r)
		if v == nil || key == nil || defaultValue == nil || !isObject(v) {
			return general(m, r)
		}
		if isArray(key) {
			v = lookupPath(v, key)
		} else {
			v = lookup(v, key)
		}
		if v == nil {
			v = defaultValue
		}
		r[dst] = v
		return defined
	}
}

// lookupPath looks up one key of a path after another.
func lookupPath(v, path *ast.Term) *ast.Term {
	switch keys := path.Value.(type) {
	case *LazyArray:
		for _, k := range keys.elements {
			v = lookup(v, k)
		}
	case *ast.Array:
		for i := range keys.Len() {
			v = lookup(v, keys.Elem(i))
		}
	}
	return v
}
