package regoir_test

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// compiler makes a program of a plan.
type compiler func(*plan) (*regoir.Program, error)

func compiled(p *plan) (*regoir.Program, error) { return regoir.Compile(p.policy, p.options) }

// restored is a program that was saved and restored.
func restored(p *plan) (*regoir.Program, error) {
	program, err := compiled(p)
	if err != nil {
		return nil, err
	}
	text, err := program.Save()
	if err != nil {
		return nil, err
	}
	return regoir.Restore(text, p.options)
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

func TestARestoredProgramIsSavedAlike(t *testing.T) {
	p := savedPlan(t)
	program, err := compiled(p)
	require.NoError(t, err)
	first, err := program.Save()
	require.NoError(t, err)
	again, err := regoir.Restore(first, p.options)
	require.NoError(t, err)
	input := ast.MustParseTerm(`{"names": ["ab", "b", "ac"]}`).Value
	value, err := again.Bind(ast.MustParseTerm(`{"known": {"ab": true, "b": true}}`).Value).EvalRule(t.Context(), "data.test.found", input)
	require.NoError(t, err)
	assert.Equal(t, `{"ab"}`, value.String())
	second, err := again.Save()
	require.NoError(t, err)
	assert.Equal(t, first, second, "also of functions that were called")
	assert.True(t, again.HasRule("data.test.count_of"))
	assert.False(t, again.HasRule("data.test.nothing"))
}

// A text that is cut off, or changed, fails; it never makes Restore or an evaluation panic
// before its first function runs.
func TestATextThatWasNotSavedIsRefused(t *testing.T) {
	p := savedPlan(t)
	program, err := compiled(p)
	require.NoError(t, err)
	text, err := program.Save()
	require.NoError(t, err)
	for n := range len(text) {
		_, err := regoir.Restore(text[:n], p.options)
		assert.Error(t, err, "the first %d bytes", n)
	}
	_, err = regoir.Restore(append(text[:len(text):len(text)], 0), p.options)
	assert.Error(t, err, "with more than was saved")
}
