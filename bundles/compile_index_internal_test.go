package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheIndexIsSwitchedOffOnlyIfItMayMissARule(t *testing.T) {
	for body, want := range map[string]bool{
		"x := input.a; x in input.b; x == 1":            true,
		"x := input.a; x in input.b; x.c":               true,
		`x := input.a; x in data.b; startswith(x, "2")`: true,
		"some x in input.a; x in input.b; f(x)":         true,
		"input.a in input.b":                            false,
		"some x in input.a; x in input.b":               false,
		"some x in input.a; not x in input.b; x == 1":   false,
		`some x in input.a; x in {"a", "b"}; x == "a"`:  false,
		"some x in input.a; x == 1; x.c":                false,
	} {
		modules := map[string]string{"a.rego": "package custom\n\nf(x) := x\n\ndeny contains 1 if { " + body + " }\n"}
		compiler, err := ast.CompileModules(modules)
		require.NoError(t, err, body)
		assert.Equal(t, want, indexMayMissRules(compiler, false), body)
	}
	compiler, err := ast.CompileModules(map[string]string{"a.rego": "package gavel.x\n\ndeny if { x := input.a; x in input.b; x == 1 }\n"})
	require.NoError(t, err)
	assert.False(t, indexMayMissRules(compiler, false))
	assert.True(t, indexMayMissRules(compiler, true))
}
