package regoir

import (
	"cmp"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
)

// late is a value whose objects and arrays are not whole.
func late(p *Program, t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case *ast.Array:
		var elements []*ast.Term
		v.Foreach(func(x *ast.Term) { elements = append(elements, late(p, x)) })
		return NewLazyArray(elements)
	case ast.Object:
		var names []string
		var values []*ast.Term
		v.Foreach(func(k, x *ast.Term) {
			names, values = append(names, string(k.Value.(ast.String))), append(values, late(p, x))
		})
		return newRecord(p.shapes.shapeOf(names), values)
	}
	return t
}

func TestLateValuesHaveTheOrderOfWhatTheyStandFor(t *testing.T) {
	p := newProgram(Options{})
	var terms []*ast.Term
	for _, text := range []string{`null`, `false`, `1`, `"a"`, `[]`, `[1]`, `[1, 2]`, `[2]`, `[{"a": 1}]`, `{}`, `{"a": 1}`, `{"a": 2}`, `{"a": 1, "b": 0}`, `{"b": 1}`,
		`{"b": 1, "a": 1}`, `{"a": {"c": 1}}`, `{"a": [1, {"c": 1}]}`, `{"a": [1, {"c": 0}]}`, `{1}`} {
		terms = append(terms, ast.MustParseTerm(text))
	}
	for _, a := range terms {
		for _, b := range terms {
			want := cmp.Compare(a.Value.Compare(b.Value), 0)
			assert.Equal(t, want, cmp.Compare(compare(late(p, a), late(p, b)), 0), "%v and %v", a, b)
			assert.Equal(t, want, cmp.Compare(compare(late(p, a), b), 0), "%v and %v, whole", a, b)
			assert.Equal(t, want == 0, equal(late(p, a), late(p, b)), "%v and %v", a, b)
		}
	}
}

func TestAnObjectHasTheLengthOfItsMembers(t *testing.T) {
	p := newProgram(Options{})
	assert.Equal(t, 2, length(late(p, ast.MustParseTerm(`{"a": 1, "b": 2}`))))
	assert.Equal(t, 1, length(newRecord(p.shapes.shapeOf([]string{"a", "b"}), []*ast.Term{nil, ast.NullTerm()})))
}

// What several evaluations share is made, and stays what it was.
func TestASharedValueIsThatWhichItWasMadeOf(t *testing.T) {
	var shapes ShapeTable
	given := ast.MustParseTerm(`{"a": {"b": {"c": {"d": 1}}, "x": [1]}, "s": {1, 2}, "n": {1: 2}}`)
	shared := shapes.Share(given)
	assert.Same(t, given, Materialize(shared), "it need not be made again")
	assert.Equal(t, given.Get(ast.StringTerm("s")), Get(shared, "s"))
	assert.Same(t, shapes.Share(given).Value.(*LazyObject).shape, shared.Value.(*LazyObject).shape, "one shape for one list of names")
	at := Get(Get(Get(shared, "a"), "b"), "c")
	assert.IsType(t, given.Value, at.Value, "what lies deep stays as it is")
	var check func(t *ast.Term) bool
	check = func(t *ast.Term) bool {
		o, ok := t.Value.(*LazyObject)
		if !ok {
			return true
		}
		made := o.materialized != nil && o.members == nil
		for _, x := range o.values {
			made = made && x != nil && check(x)
		}
		return made
	}
	assert.True(t, check(shared), "nothing is left to be made")
}
