package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
)

// native is one of the functions that policies use most, without the preparations that topdown's
// need: of one argument or of two. It is nil for arguments of other types than it knows, and so
// for all errors.
func intrinsic(name string) (one func(a *ast.Term) *ast.Term, two func(a, b *ast.Term) *ast.Term) {
	switch name {
	case "count":
		one = count
	case "is_string":
		one = typeTest(isA[ast.String])
	case "is_number":
		one = typeTest(isA[ast.Number])
	case "is_boolean":
		one = typeTest(isA[ast.Boolean])
	case "is_null":
		one = typeTest(isA[ast.Null])
	case "is_set":
		one = typeTest(isSet)
	case "is_array":
		one = typeTest(isArray)
	case "is_object":
		one = typeTest(isObject)
	case "gt":
		two = compareNumbers(func(c int) bool { return c > 0 })
	case "gte":
		two = compareNumbers(func(c int) bool { return c >= 0 })
	case "lt":
		two = compareNumbers(func(c int) bool { return c < 0 })
	case "lte":
		two = compareNumbers(func(c int) bool { return c <= 0 })
	case "internal.member_2":
		two = func(x, in *ast.Term) *ast.Term { return ast.InternedTerm(contains(in, x)) }
	case "equal":
		two = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(equal(a, b)) }
	case "neq":
		two = func(a, b *ast.Term) *ast.Term { return ast.InternedTerm(!equal(a, b)) }
	case "or":
		two = union
	case "minus":
		two = difference
	case "array.concat":
		two = concatArrays
	default:
		return stringIntrinsic(name)
	}
	return one, two
}

// computed translates a call of a native function. What it does not know is for the general step.
func intrinsicCall(name string, args []operand, to int, general step) step {
	one, two := intrinsic(name)
	switch {
	case name == "object.get" && len(args) == 3:
		return objectGet(args, to, general)
	case one != nil && len(args) == 1:
		a := args[0]
		return func(m *machine, r []*ast.Term) outcome {
			if x := a.load(r); x != nil {
				if v := one(x); v != nil {
					r[to] = v
					return defined
				}
			}
			return general(m, r)
		}
	case two != nil && len(args) == 2:
		a, b := args[0], args[1]
		return func(m *machine, r []*ast.Term) outcome {
			if x, y := a.load(r), b.load(r); x != nil && y != nil {
				if v := two(x, y); v != nil {
					r[to] = v
					return defined
				}
			}
			return general(m, r)
		}
	}
	return general
}

// satisfied is computed for a call whose value must not be false.
func intrinsicTest(name string, args []operand, to int, no *ast.Term, general step) step {
	one, two := intrinsic(name)
	var value func(r []*ast.Term) *ast.Term
	switch {
	case one != nil && len(args) == 1:
		a := args[0]
		value = func(r []*ast.Term) *ast.Term {
			if x := a.load(r); x != nil {
				return one(x)
			}
			return nil
		}
	case two != nil && len(args) == 2:
		a, b := args[0], args[1]
		value = func(r []*ast.Term) *ast.Term {
			if x, y := a.load(r), b.load(r); x != nil && y != nil {
				return two(x, y)
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
			v = r[to]
		}
		if v == no || equal(v, no) {
			return undefined
		}
		r[to] = v
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

func typeTest(f func(*ast.Term) bool) func(*ast.Term) *ast.Term {
	return func(a *ast.Term) *ast.Term { return ast.InternedTerm(f(a)) }
}

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
	x, okX := a.Value.(*LazySet)
	y, okY := b.Value.(*LazySet)
	if !okX || !okY || len(x.elements)+len(y.elements) > maxLazySet {
		return nil
	}
	return newLazySet(append(x.elements[:len(x.elements):len(x.elements)], y.elements...))
}

// difference of two sets, if one of them is empty, or the first one is small.
func difference(a, b *ast.Term) *ast.Term {
	if !isSet(a) || !isSet(b) {
		return nil
	}
	if length(a) == 0 || length(b) == 0 {
		return a
	}
	from, ok := a.Value.(*LazySet)
	if !ok {
		return nil
	}
	var left []*ast.Term
	for _, e := range from.elements {
		if !contains(b, e) {
			left = append(left, e)
		}
	}
	switch len(left) {
	case 0:
		return ast.InternedEmptySet
	case len(from.elements):
		return a
	}
	return newLazySet(left)
}

// concatenated is an array of the elements of two.
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

// objectGet is object.get of a key, or of a path.
func objectGet(args []operand, to int, general step) step {
	return func(m *machine, r []*ast.Term) outcome {
		from, key, otherwise := args[0].load(r), args[1].load(r), args[2].load(r)
		if from == nil || key == nil || otherwise == nil || !isObject(from) {
			return general(m, r)
		}
		if isArray(key) {
			from = lookupPath(from, key)
		} else {
			from = lookup(from, key)
		}
		if from == nil {
			from = otherwise
		}
		r[to] = from
		return defined
	}
}

// lookAlong looks up one key after another.
func lookupPath(from, path *ast.Term) *ast.Term {
	switch keys := path.Value.(type) {
	case *LazyArray:
		for _, k := range keys.elements {
			from = lookup(from, k)
		}
	case *ast.Array:
		for i := range keys.Len() {
			from = lookup(from, keys.Elem(i))
		}
	}
	return from
}
