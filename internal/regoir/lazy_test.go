package regoir_test

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

func TestALazyInputHasTheSameResults(t *testing.T) {
	const input = `{"a": {"b": [1, 2, {"c": "x"}]}, "l": [3, 1, 2, 1], "n": null, "s": "x"}`
	for name, c := range map[string]struct{ rule, want string }{
		"a member":                     {`p := input.a.b[2].c`, `"x"`},
		"no such member":               {`p if not input.a.c`, `true`},
		"a member by a computed key":   {`p := input.a[["c", "b"][1]]`, `[1, 2, {"c": "x"}]`},
		"all of it":                    {`p := input`, input},
		"duplicates in a set":          {`p := count({x | some x in input.l})`, `3`},
		"the order of a set":           {`p := [x | some x in {y | some y in input.l}]`, `[1, 2, 3]`},
		"the order of an object":       {`p := [k | some k, _ in input]`, `["a", "l", "n", "s"]`},
		"a set of objects":             {`p := count({{"k": x} | some x in input.l})`, `3`},
		"an object that is an element": {`p := [v | some v in {{"k": 1}, {"k": input.s}}]`, `[{"k": 1}, {"k": "x"}]`},
		"equal to a constant":          {`p if input.a == {"b": [1, 2, {"c": "x"}]}`, `true`},
		"equal to another record":      {`p if {"k": input.l} == {"k": [3, 1, 2, 1]}`, `true`},
		"a record as a key":            {`p := {{"k": 1}: "y"}[{"k": input.a.b[0]}]`, `"y"`},
		"an argument for topdown":      {`p := json.marshal(input.a)`, `"{\"b\":[1,2,{\"c\":\"x\"}]}"`},
		"the same argument twice":      {`p := [f(input.a), f(input.a)]` + "\nf(x) := x.b[0]", `[1, 1]`},
		"equal arguments":              {`p := [f([1]), f([1, 2]), f({"k": 1}), f({"k": 2})]` + "\nf(x) := [x, input.s]", `[[[1], "x"], [[1, 2], "x"], [{"k": 1}, "x"], [{"k": 2}, "x"]]`},
		"a union":                      {`p := {x | some x in input.l} | {y | some y in [2, 4]}`, `{1, 2, 3, 4}`},
		"in a set":                     {`p if {"k": 1} in {{"k": x} | some x in input.l}`, `true`},
		"a replaced member":            {`p := v if v := input.a.b with input.a.b as [input.l]`, `[[3, 1, 2, 1]]`},
		"the type of a part":           {`p := [is_object(input.a), is_array(input.l), is_set({x | some x in input.l}), is_null(input.n)]`, `[true, true, true, true]`},
	} {
		t.Run(name, func(t *testing.T) {
			instance := bind(t, "data.t.p", "package t\n"+c.rule, `{}`)
			for _, given := range []ast.Value{ast.MustParseTerm(input).Value, lazyValue(ast.MustParseTerm(input).Value)} {
				got, err := instance.Eval(context.Background(), given)
				require.NoError(t, err)
				require.NotNil(t, got)
				assert.Zero(t, ast.MustParseTerm(c.want).Value.Compare(got.Value), "%v", got)
			}
		})
	}
}

func TestOnlyMembersThatAreLookedUpAreComputed(t *testing.T) {
	instance := bind(t, "data.t.p", "package t\np if { input.a.b == 1; not input.c }", `{}`)
	input := &countingView{members: map[string]*ast.Term{"a": ast.MustParseTerm(`{"b": 1}`), "d": ast.MustParseTerm(`1`)}, names: []string{"a", "c", "d"}}
	got, err := instance.Eval(context.Background(), input.Init(regoir.NewShape(input.names...), input).Value)
	require.NoError(t, err)
	assert.Equal(t, "true", got.String())
	assert.Equal(t, []string{"a", "c"}, input.computed)
}

type countingView struct {
	regoir.LazyObject
	members  map[string]*ast.Term
	names    []string
	computed []string
}

func (o *countingView) Member(index int) *ast.Term {
	o.computed = append(o.computed, o.names[index])
	return o.members[o.names[index]]
}

func TestPartsOfALazyResultCanBeRead(t *testing.T) {
	p, err := planOf(rego.Query("data.t"), rego.Module("t.rego", "package t\np := {\"a\": input.x, \"l\": [y | some y in input.l], \"s\": {y | some y in input.l}}"))
	require.NoError(t, err)
	program, err := regoir.Compile(p.policy, p.options)
	require.NoError(t, err)
	got, err := program.Bind(ast.NewObject()).EvalRuleLazy(context.Background(), "data.t.p", ast.MustParseTerm(`{"x": 7, "l": [2, 1, 2]}`).Value)
	require.NoError(t, err)
	assert.Equal(t, "7", regoir.Get(got, "a").String())
	assert.Nil(t, regoir.Get(got, "b"))
	assert.Nil(t, regoir.Get(regoir.Get(got, "a"), "b"))
	for name, want := range map[string][]string{"l": {"2", "1", "2"}, "s": {"1", "2"}} {
		var elements []string
		assert.True(t, regoir.Each(regoir.Get(got, name), func(e *ast.Term) { elements = append(elements, e.String()) }))
		assert.Equal(t, want, elements)
	}
	assert.False(t, regoir.Each(got, func(*ast.Term) {}))
	assert.Equal(t, `{"a": 7, "l": [2, 1, 2], "s": {1, 2}}`, regoir.Materialize(got).String())
}
