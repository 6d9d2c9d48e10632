package regoir

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// All hashes are equal, so the entries differ only in their functions and arguments. The table grows.
func TestMemoEntriesAreFoundByFunctionAndArguments(t *testing.T) {
	one := &function{id: 1, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	two := &function{id: 2, source: &ir.Func{Params: []ir.Local{0, 1, 3}}}
	var table memoTable
	const many = 3 * minMemoSize
	for n := range many {
		args := []*ast.Term{ast.IntNumberTerm(n)}
		require.Nil(t, table.get(7, one, args))
		table.put(7, one, args, ast.IntNumberTerm(-n))
		require.Nil(t, table.get(7, two, args))
	}
	for n := range many {
		entry := table.get(7, one, []*ast.Term{ast.IntNumberTerm(n)})
		require.NotNil(t, entry)
		assert.Equal(t, ast.IntNumberTerm(-n), entry.value)
	}
	table.reset()
	assert.Nil(t, table.get(7, one, []*ast.Term{ast.IntNumberTerm(1)}))
	for _, entry := range table.entries {
		assert.Zero(t, entry, "reset keeps nothing of an evaluation")
	}
}
