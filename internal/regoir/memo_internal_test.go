package regoir

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All keys are alike, so that only arguments tell calls from one another, in a table that grows.
func TestCallsAreToldByFunctionAndArguments(t *testing.T) {
	one := &function{id: 1, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	two := &function{id: 2, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	var c memoTable
	const many = 3 * minMemoSize
	for n := range many {
		args := []*ast.Term{ast.IntNumberTerm(n)}
		require.Nil(t, c.get(7, one, args))
		c.put(7, one, args, ast.IntNumberTerm(-n))
		require.Nil(t, c.get(7, two, args))
	}
	for n := range many {
		found := c.get(7, one, []*ast.Term{ast.IntNumberTerm(n)})
		require.NotNil(t, found)
		assert.Equal(t, ast.IntNumberTerm(-n), found.value)
	}
	c.reset()
	assert.Nil(t, c.get(7, one, []*ast.Term{ast.IntNumberTerm(1)}))
	for _, left := range c.entries {
		assert.Zero(t, left, "nothing of an evaluation stays")
	}
}
