package regoir

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/stretchr/testify/require"
)

// A function is decoded when it is called, so only then can an error occur.
func TestATruncatedFunctionFailsTheEvaluation(t *testing.T) {
	t.Parallel()
	rule := &ir.Func{Name: "g0.data.a", Params: []ir.Local{ir.Input, ir.Data}, Return: 2, Blocks: []*ir.Block{{Stmts: []ir.Stmt{
		&ir.AssignIntStmt{Value: 7, Target: 2}, &ir.ReturnLocalStmt{Source: 2}}}}}
	program, err := Compile(&ir.Policy{Plans: &ir.Plans{Plans: []*ir.Plan{{Name: "q"}}}, Funcs: &ir.Funcs{Funcs: []*ir.Func{rule}}}, Options{})
	require.NoError(t, err)
	encoded, err := program.Save()
	require.NoError(t, err)
	for cut := -1; cut < 4; cut++ {
		restored, err := Restore(encoded, Options{})
		require.NoError(t, err)
		f := restored.functions[0]
		if cut >= 0 {
			f.encoded = f.encoded[:cut]
		}
		value, err := restored.Bind(ast.NewObject()).EvalRule(context.Background(), "data.a", nil)
		if cut < 0 {
			require.NoError(t, err)
			require.Equal(t, "7", value.String())
			continue
		}
		require.Error(t, err, "only the first %d bytes", cut)
	}
}
