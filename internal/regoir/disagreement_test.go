package regoir_test

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

func TestPlannerDisagreementsAreReported(t *testing.T) {
	for name, text := range map[string]string{
		"a number in a name":                                   "p[1][x] := true if some x in input.l",
		"a set with a variable as an element":                  "p contains {1, x} if some x in input.l",
		"a built-in function, then input":                      `p if count(input.l) == 1 with count as 1 with input.l as []`,
		"a function of the policy, then input":                 "p if f(input.x) with data.t.f as 1 with input.x as 2",
		"data, a function, then input":                         "p if f(input.x) with data.y as 1 with f as 1 with input.x as 2",
		"a function inside a comprehension, then input":        "p := [x | x := f(1) with f as 2 with input.x as 2]",
		"a function inside every, then input":                  "p if { every x in input.l { f(x) with f as 2 with input.x as 2 } }",
		"a function below else, then data":                     "p := 1 if input.x else := 2 if count(data.l) == 1 with count as 1 with data.l as []",
		"in not, a variable that selects a rule":               "r.a.a := 2 if input.no\n\np if not r[input.n]",
		"in not, a variable that selects a rule, further down": "r.a.a := 2 if input.no\n\np if not r.a[input.n] == 2",
		"in every, a variable that selects a rule":             "r.a.a := 2 if input.no\n\np if every x in input.l { r[x] }",
		"in not, a variable that selects a package":            "r.a.a := 2 if input.no\n\np if { some x in input.l; not data[x].r }",
		"two keys that may be equal":                           "p := {input.a: 1, input.b: 2}",
		"a key that may be equal to a constant one":            `p := {input.a: 1, "b": 2}`,
		"keys that may be equal in an argument of a function":  `p := count({"b": 2, input.a: 1})`,
		"keys that may be equal in an element of a set":        `p contains {x: 1, "b": 2} if some x in input.l`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Regexp(t, `^t\.rego:\d+: `, regoir.PlannerDisagreement(compilerOf(t, text)))
		})
	}
}

func TestNoDisagreementIsReportedWhereThereIsNone(t *testing.T) {
	for name, text := range map[string]string{
		"input, then a function":               "p if f(input.x) with input.x as 2 with f as 1",
		"a function below data, then data":     "p if f(data.x) with data.t.f as 1 with data.x as 2",
		"parts of input and data, one each":    "p if f(input.x) with data.x as 2 with input.x as 1",
		"a variable that selects a rule":       "r.a.a := 2 if input.no\n\np if r[input.n]",
		"in not, in a comprehension":           "r.a.a := 2 if input.no\n\np if not 2 in {v | v := r[input.n]}",
		"in not, an element of one rule":       "r contains input.m\n\np if not r[input.n]",
		"in not, a reference to data":          "p if not data.x[input.n]",
		"one key that is a variable":           "p := {input.a: 1}",
		"keys that are constants":              `p := {"a": input.a, {1}: input.b, 2: 3}`,
		"an object that a comprehension makes": `p := {x: 1 | some x in input.l}`,
	} {
		t.Run(name, func(t *testing.T) {
			assert.Empty(t, regoir.PlannerDisagreement(compilerOf(t, text)))
		})
	}
}

func compilerOf(t *testing.T, text string) *ast.Compiler {
	t.Helper()
	compiler, err := ast.CompileModules(map[string]string{"t.rego": "package t\n\nf(x) := x\n\n" + text + "\n"})
	require.NoError(t, err)
	return compiler
}

func TestTheLastOfSeveralEqualKeysCounts(t *testing.T) {
	p := bind(t, "data.t.p", "package t\n\np := {input.a: 1, input.b: 2}\n", "{}")
	value, err := p.Eval(context.Background(), ast.MustParseTerm(`{"a": "x", "b": "x"}`).Value)
	require.NoError(t, err)
	assert.Equal(t, `{"x": 2}`, value.String())
}
