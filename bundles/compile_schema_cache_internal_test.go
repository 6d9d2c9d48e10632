package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheLastSchemaIsCached(t *testing.T) {
	t.Parallel()
	match := matchSchema()
	matches := func(document, schema string) bool {
		var result *ast.Term
		require.NoError(t, match.Func(topdown.BuiltinContext{}, []*ast.Term{ast.MustParseTerm(document), ast.MustParseTerm(schema)},
			func(term *ast.Term) error { result = term; return nil }))
		return ast.Boolean(true).Equal(result.Get(ast.IntNumberTerm(0)).Value)
	}
	for range 2 {
		assert.True(t, matches(`{"a": 1}`, `{"properties": {"a": {"type": "integer"}}}`))
		assert.False(t, matches(`{"a": "x"}`, `{"properties": {"a": {"type": "integer"}}}`), "the same schema")
		assert.True(t, matches(`{"a": "x"}`, `{"properties": {"a": {"type": "string"}}}`), "another schema")
		assert.False(t, matches(`{"a": 1}`, `{"properties": {"a": {"type": "string"}}}`))
	}

	last := new(lastSchema)
	one, other := ast.MustParseTerm(`{"type": "object"}`).Value, ast.MustParseTerm(`{"type": "array"}`).Value
	last.Insert(one, 1)
	compiled, ok := last.Get(ast.MustParseTerm(`{"type": "object"}`).Value)
	assert.True(t, ok, "an equal schema")
	assert.Equal(t, 1, compiled)
	_, ok = last.Get(other)
	assert.False(t, ok)
	last.Insert(other, 2)
	_, ok = last.Get(one)
	assert.False(t, ok, "only the last one is cached")
	last.Delete(other)
	_, ok = last.Get(other)
	assert.False(t, ok)
}
