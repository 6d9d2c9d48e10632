package regoir

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
)

// Reading a lazy value changes it, so no two evaluations may have the same one.
func TestValuesSharedByEvaluationsAreMaterialized(t *testing.T) {
	i := &Instance{program: &Program{}, dataOnlyValues: newSharedValues(1)}
	f := &function{program: i.program}
	one := ast.InternedTerm(1)
	for name, value := range map[string]*ast.Term{
		"an object": newRecord(NewShape("a"), []*ast.Term{NewLazyArray([]*ast.Term{one})}),
		"an array":  NewLazyArray([]*ast.Term{newLazySet([]*ast.Term{one, one})}),
		"a set":     newLazySet([]*ast.Term{newRecord(NewShape("a"), []*ast.Term{one})}),
	} {
		i.shareValue(f, true, value)
		shared := i.sharedValue(f, true).value
		assert.False(t, isLazy(shared), name)
		assert.Equal(t, value.String(), shared.String(), name)
	}
}

func TestArgumentsAreEqualIfTheirElementsAre(t *testing.T) {
	m := newMachine(&Instance{program: &Program{}})
	one, two := ast.InternedTerm(1), ast.InternedTerm(2)
	shape := NewShape("a", "b")
	list := func(terms ...*ast.Term) *ast.Term { return NewLazyArray(terms) }
	for name, c := range map[string]struct {
		a, b *ast.Term
		want bool
	}{
		"equal arrays":       {list(one, list(two)), list(one, list(two)), true},
		"a longer array":     {list(one), list(one, one), false},
		"a shorter array":    {list(one, one), list(one), false},
		"another element":    {list(one), list(two), false},
		"equal records":      {newRecord(shape, []*ast.Term{one, two}), newRecord(shape, []*ast.Term{one, two}), true},
		"another member":     {newRecord(shape, []*ast.Term{one, two}), newRecord(shape, []*ast.Term{one, one}), false},
		"a record, an array": {newRecord(shape, []*ast.Term{one, two}), list(one, two), false},
		"a number, an array": {one, list(one), false},
	} {
		assert.Equal(t, c.want, argsEqual([]*ast.Term{c.a}, []*ast.Term{c.b}), name)
		if c.want {
			assert.Equal(t, m.hashArg(c.a), m.hashArg(c.b), name)
		}
	}
}
