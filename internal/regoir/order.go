package regoir

import (
	"cmp"

	"github.com/open-policy-agent/opa/v1/ast"
)

// order compares two values as [ast.Compare] does. Objects and arrays need not be whole.
func order(a, b *ast.Term) int {
	if a == b {
		return 0
	}
	switch x := a.Value.(type) {
	case *Object:
		if y, ok := b.Value.(*Object); ok {
			return x.order(y)
		}
	case *Array:
		if y, ok := b.Value.(*Array); ok {
			return x.order(y)
		}
	}
	return ast.Compare(Whole(a).Value, Whole(b).Value)
}

func (a *Array) order(b *Array) int {
	for i, x := range a.elements[:min(len(a.elements), len(b.elements))] {
		if c := order(x, b.elements[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.elements), len(b.elements))
}

// order compares name by name, and the values where names are equal.
func (o *Object) order(other *Object) int {
	i, j := 0, 0
	for {
		i, j = o.next(i), other.next(j)
		switch endI, endJ := i == len(o.made), j == len(other.made); {
		case endI && endJ:
			return 0
		case endI:
			return -1
		case endJ:
			return 1
		}
		a, b := o.shape.sorted[i], other.shape.sorted[j]
		if c := order(o.shape.names[a], other.shape.names[b]); c != 0 {
			return c
		}
		if c := order(o.made[a], other.made[b]); c != 0 {
			return c
		}
		i, j = i+1, j+1
	}
}

// next is the first place of the names in order, from i on, whose member the object has.
func (o *Object) next(i int) int {
	for i < len(o.made) && o.member(o.shape.sorted[i]) == nil {
		i++
	}
	return i
}
