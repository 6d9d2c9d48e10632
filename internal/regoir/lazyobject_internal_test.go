package regoir

import (
	"cmp"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
)

// lazyTerm returns a value with lazy objects and arrays.
func lazyTerm(p *Program, t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case *ast.Array:
		var elements []*ast.Term
		v.Foreach(func(x *ast.Term) { elements = append(elements, lazyTerm(p, x)) })
		return NewLazyArray(elements)
	case ast.Object:
		var names []string
		var values []*ast.Term
		v.Foreach(func(k, x *ast.Term) {
			names, values = append(names, string(k.Value.(ast.String))), append(values, lazyTerm(p, x))
		})
		return newRecord(p.shapes.shapeOf(names), values)
	}
	return t
}

func TestLazyValuesAreOrderedLikeTheirMaterializedForms(t *testing.T) {
	p := newProgram(Options{})
	var terms []*ast.Term
	for _, text := range []string{`null`, `false`, `1`, `"a"`, `[]`, `[1]`, `[1, 2]`, `[2]`, `[{"a": 1}]`, `{}`, `{"a": 1}`, `{"a": 2}`, `{"a": 1, "b": 0}`, `{"b": 1}`,
		`{"b": 1, "a": 1}`, `{"a": {"c": 1}}`, `{"a": [1, {"c": 1}]}`, `{"a": [1, {"c": 0}]}`, `{1}`} {
		terms = append(terms, ast.MustParseTerm(text))
	}
	for _, a := range terms {
		for _, b := range terms {
			want := cmp.Compare(a.Value.Compare(b.Value), 0)
			assert.Equal(t, want, cmp.Compare(compare(lazyTerm(p, a), lazyTerm(p, b)), 0), "%v and %v", a, b)
			assert.Equal(t, want, cmp.Compare(compare(lazyTerm(p, a), b), 0), "%v and %v, materialized", a, b)
			assert.Equal(t, want == 0, equal(lazyTerm(p, a), lazyTerm(p, b)), "%v and %v", a, b)
		}
	}
}

func TestTheLengthOfAnObjectIsTheNumberOfItsMembers(t *testing.T) {
	p := newProgram(Options{})
	assert.Equal(t, 2, length(lazyTerm(p, ast.MustParseTerm(`{"a": 1, "b": 2}`))))
	assert.Equal(t, 1, length(newRecord(p.shapes.shapeOf([]string{"a", "b"}), []*ast.Term{nil, ast.NullTerm()})))
}

func TestASharedValueEqualsItsOriginal(t *testing.T) {
	var shapes ShapeTable
	original := ast.MustParseTerm(`{"a": {"b": {"c": {"d": 1}}, "x": [1]}, "s": {1, 2}, "n": {1: 2}}`)
	shared := shapes.Share(original)
	assert.Same(t, original, Materialize(shared), "it is not built again")
	assert.Equal(t, original.Get(ast.StringTerm("s")), Get(shared, "s"))
	assert.Same(t, shapes.Share(original).Value.(*LazyObject).shape, shared.Value.(*LazyObject).shape, "the same names have the same shape")
	deep := Get(Get(Get(shared, "a"), "b"), "c")
	assert.IsType(t, original.Value, deep.Value, "deep objects are not converted")
	var check func(t *ast.Term) bool
	check = func(t *ast.Term) bool {
		o, ok := t.Value.(*LazyObject)
		if !ok {
			return true
		}
		computed := o.materialized != nil && o.members == nil
		for _, x := range o.values {
			computed = computed && x != nil && check(x)
		}
		return computed
	}
	assert.True(t, check(shared), "nothing remains to be computed")
}
