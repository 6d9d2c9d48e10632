package regoir_test

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// compiler turns a plan into a program.
type compiler func(*plan) (*regoir.Program, error)

func compiled(p *plan) (*regoir.Program, error) { return regoir.Compile(p.policy, p.options) }

// restored compiles a program, saves it, and restores it.
func restored(p *plan) (*regoir.Program, error) {
	program, err := compiled(p)
	if err != nil {
		return nil, err
	}
	encoded, err := program.Save()
	if err != nil {
		return nil, err
	}
	return regoir.Restore(encoded, p.options)
}

const savedModule = `package test

names := {x | some x in input.names}

found contains name if {
	some name in names
	data.known[name]
	startswith(name, "a")
}

twice(x) := x * 2

count_of := twice(count(found)) if not input.off
`

func savedPlan(t *testing.T) *plan {
	t.Helper()
	p, err := planOf(rego.Query("[data.test.found, data.test.count_of]"), rego.Module("test.rego", savedModule))
	require.NoError(t, err)
	p.options.Strict = true
	return p
}

func TestARestoredProgramIsSavedInTheSameWay(t *testing.T) {
	p := savedPlan(t)
	program, err := compiled(p)
	require.NoError(t, err)
	first, err := program.Save()
	require.NoError(t, err)
	restored, err := regoir.Restore(first, p.options)
	require.NoError(t, err)
	input := ast.MustParseTerm(`{"names": ["ab", "b", "ac"]}`).Value
	value, err := restored.Bind(ast.MustParseTerm(`{"known": {"ab": true, "b": true}}`).Value).EvalRule(t.Context(), "data.test.found", input)
	require.NoError(t, err)
	assert.Equal(t, `{"ab"}`, value.String())
	second, err := restored.Save()
	require.NoError(t, err)
	assert.Equal(t, first, second, "the evaluation has decoded some functions")
	assert.True(t, restored.HasRule("data.test.count_of"))
	assert.False(t, restored.HasRule("data.test.nothing"))
}

func TestATruncatedOrExtendedEncodingIsRefused(t *testing.T) {
	p := savedPlan(t)
	program, err := compiled(p)
	require.NoError(t, err)
	encoded, err := program.Save()
	require.NoError(t, err)
	for n := range len(encoded) {
		_, err := regoir.Restore(encoded[:n], p.options)
		assert.Error(t, err, "only the first %d bytes", n)
	}
	_, err = regoir.Restore(append(encoded[:len(encoded):len(encoded)], 0), p.options)
	assert.Error(t, err, "one byte more")
}
