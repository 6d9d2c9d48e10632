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
	one := &function{number: 1, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	two := &function{number: 2, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	var c calls
	const many = 3 * fewCalls
	for n := range many {
		args := []*ast.Term{ast.IntNumberTerm(n)}
		require.Nil(t, c.find(7, one, args))
		c.add(7, one, args, ast.IntNumberTerm(-n))
		require.Nil(t, c.find(7, two, args))
	}
	for n := range many {
		found := c.find(7, one, []*ast.Term{ast.IntNumberTerm(n)})
		require.NotNil(t, found)
		assert.Equal(t, ast.IntNumberTerm(-n), found.value)
	}
	c.forget()
	assert.Nil(t, c.find(7, one, []*ast.Term{ast.IntNumberTerm(1)}))
	for _, left := range c.table {
		assert.Zero(t, left, "nothing of an evaluation stays")
	}
}
