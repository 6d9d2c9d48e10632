package regoir_test

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
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
