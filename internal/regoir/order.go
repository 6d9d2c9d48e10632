package regoir

import (
	"cmp"

	"github.com/open-policy-agent/opa/v1/ast"
)

// compare orders two values like [ast.Compare], without materializing objects and arrays if both are
// lazy.
func compare(a, b *ast.Term) int {
	if a == b {
		return 0
	}
	switch x := a.Value.(type) {
	case *LazyObject:
		if y, ok := b.Value.(*LazyObject); ok {
			return x.compare(y)
		}
	case *LazyArray:
		if y, ok := b.Value.(*LazyArray); ok {
			return x.compare(y)
		}
	}
	return ast.Compare(Materialize(a).Value, Materialize(b).Value)
}

func (a *LazyArray) compare(b *LazyArray) int {
	for i, x := range a.elements[:min(len(a.elements), len(b.elements))] {
		if c := compare(x, b.elements[i]); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a.elements), len(b.elements))
}

// compare goes through both objects in the order of their names, and compares name with name and value
// with value.
func (o *LazyObject) compare(other *LazyObject) int {
	i, j := 0, 0
	for {
		i, j = o.nextMember(i), other.nextMember(j)
		switch atEnd, otherAtEnd := i == len(o.values), j == len(other.values); {
		case atEnd && otherAtEnd:
			return 0
		case atEnd:
			return -1
		case otherAtEnd:
			return 1
		}
		a, b := o.shape.sortedIndexes[i], other.shape.sortedIndexes[j]
		if c := compare(o.shape.names[a], other.shape.names[b]); c != 0 {
			return c
		}
		if c := compare(o.values[a], other.values[b]); c != 0 {
			return c
		}
		i, j = i+1, j+1
	}
}

// nextMember returns the first index in shape.sortedIndexes, from i on, of a member that the object
// has.
func (o *LazyObject) nextMember(i int) int {
	for i < len(o.values) && o.member(o.shape.sortedIndexes[i]) == nil {
		i++
	}
	return i
}
