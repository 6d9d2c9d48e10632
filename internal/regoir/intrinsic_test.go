package regoir_test

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestObjectGetFollowsAPath(t *testing.T) {
	const input = `{"o": {"a": {"b": 1, "list": ["x", {"c": 2}], "set": {"y"}, "no": false}, "n": null}, "a": "a", "b": "b", "list": "list", "one": 1, "set": "set", "y": "y"}`
	for path, want := range map[string]string{
		`["a", "b"]`:                       "1",
		`["a", "list", 1, "c"]`:            "2",
		`["a", "list", 2]`:                 `"none"`,
		`["a", "list", "0"]`:               `"none"`,
		`["a", "set", "y"]`:                `"y"`,
		`["a", "no"]`:                      "false",
		`["n"]`:                            "null",
		`["a", "b", "c"]`:                  `"none"`,
		`["other", "b"]`:                   `"none"`,
		`[input.a, input.b]`:               "1",
		`[input.a, input.list, input.one]`: `{"c": 2}`,
		`[input.a, input.set, input.y]`:    `"y"`,
		`[input.b, input.b]`:               `"none"`,
		`"n"`:                              "null",
	} {
		got, err := bind(t, "data.t.p", "package t\np := object.get(input.o, "+path+`, "none")`, "{}").Eval(t.Context(), ast.MustParseTerm(input).Value)
		require.NoError(t, err)
		assert.Equal(t, want, got.String(), path)
	}
	got, err := bind(t, "data.t.p", `package t
p := count(object.get(input.o, [], "none"))`, "{}").Eval(t.Context(), ast.MustParseTerm(input).Value)
	require.NoError(t, err)
	assert.Equal(t, "2", got.String(), "the whole object")
}

// The arguments include some that intrinsics leave to topdown's functions.
func TestIntrinsicsForStringsAndSetsHaveTopdownsResults(t *testing.T) {
	texts := []string{`""`, `"a"`, `" A b "`, `"ÄÖ %s"`, `"%s"`, `"100%"`, `"%s and %s"`, `"%d"`, `"%%s"`, `"%v"`, `"\n\t"`, `"aXa"`, `1`, `null`}
	lists := []string{`[]`, `["x"]`, `["x", "y"]`, `["x", "y", "z"]`, `[1]`, `["%s", "x"]`, `[["x"], "y"]`, `"x"`}
	sets := []string{`set()`, `{1}`, `{1, 2, 3}`, `{"a", "b"}`, `{[1], {"a": 1}}`, `{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}`, `5`}
	for f, args := range map[string][2][]string{
		"lower": {texts}, "upper": {texts}, "trim_space": {texts},
		"trim_left": {texts, texts}, "trim_right": {texts, texts}, "trim_prefix": {texts, texts}, "trim_suffix": {texts, texts},
		"startswith": {texts, texts}, "endswith": {texts, texts}, "contains": {texts, texts},
		"sprintf": {texts, lists}, "minus": {sets, sets}, "or": {sets, sets},
	} {
		call, second := f+"(input.a)", []string{"0"}
		if args[1] != nil {
			call, second = f+"(input.a, input.b)", args[1]
		}
		switch f {
		case "minus":
			call = "{x | some x in input.a} - {x | some x in input.b}"
		case "or":
			call = "{x | some x in input.a} | {x | some x in input.b}"
		}
		module := "package t\np := " + call
		instance := bind(t, "data.t.p", module, "{}")
		query, err := rego.New(rego.Query("data.t.p"), rego.Module("test.rego", module), rego.StrictBuiltinErrors(true)).PrepareForEval(t.Context())
		require.NoError(t, err)
		for _, a := range args[0] {
			for _, b := range second {
				input := ast.MustParseTerm(`{"a": ` + a + `, "b": ` + b + `, "none": set()}`).Value
				want, wantErr := query.Eval(t.Context(), rego.EvalParsedInput(input))
				for _, given := range []ast.Value{input, lazyValue(input)} {
					got, err := instance.Eval(t.Context(), given)
					assert.Equal(t, wantErr != nil, err != nil, "%s of %s, %s: %v, %v", f, a, b, wantErr, err)
					if wantErr != nil || err != nil {
						continue
					}
					value := ""
					if got != nil {
						value = got.String()
					}
					expected := ""
					if len(want) > 0 {
						expected = ast.MustInterfaceToValue(want[0].Expressions[0].Value).String()
					}
					asJSON, err := ast.JSON(ast.MustParseTerm(orNull(value)).Value)
					require.NoError(t, err)
					assert.Equal(t, orNull(expected), ast.MustInterfaceToValue(asJSON).String(), "%s of %s, %s", f, a, b)
				}
			}
		}
	}
}

func orNull(text string) string {
	if text == "" {
		return "null"
	}
	return text
}
