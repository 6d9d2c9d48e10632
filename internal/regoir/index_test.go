package regoir_test

import (
	"context"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheIndexSkipsNoClauseThatApplies(t *testing.T) {
	instance := bind(t, "data.t.p", `package t
p contains 1 if input.a == "x"
p contains 2 if input.a == "y"
p contains 3 if input.a == "x"
p contains 4 if input.b
p contains 5 if input.a in {"x", "y", [1]}
p contains 6 if input.a == [1]
p contains 7 if input.a == [input.c]
p contains 8 if input.a == {"k": 1}
p contains 9 if input.a == 1.0
p contains 10 if input.a == 1`, "{}")
	for input, want := range map[string]string{
		`{"a": "x"}`:             "{1, 3, 5}",
		`{"a": "x", "b": true}`:  "{1, 3, 4, 5}",
		`{"a": "y"}`:             "{2, 5}",
		`{"a": [1]}`:             "{5, 6}",
		`{"a": [1], "c": 1}`:     "{5, 6, 7}",
		`{"a": [2], "c": 2}`:     "{7}",
		`{"a": {"k": 1}}`:        "{8}",
		`{"a": 1}`:               "{10, 9}",
		`{"b": 1}`:               "{4}",
		`{"a": null, "b": true}`: "{4}",
	} {
		got, err := instance.Eval(context.Background(), ast.MustParseTerm(input).Value)
		require.NoError(t, err)
		assert.Zero(t, got.Value.Compare(ast.MustParseTerm(want).Value), "%s: %v, want %s", input, got, want)
	}
}

// The index has strings and patterns only, no other values.
func TestTheIndexSkipsNoClauseWhosePatternMatches(t *testing.T) {
	instance := bind(t, "data.t.p", `package t
p contains 1 if input.a == "x"
p contains 2 if input.a == "y"
p contains 3 if input.a == "z"
p contains 4 if input.a == "u"
p contains 5 if input.a == [input.c]
p contains 6 if input.a == {"k": input.c}`, "{}")
	for input, want := range map[string]string{
		`{"a": "x", "c": 1}`:      "{1}",
		`{"a": [1], "c": 1}`:      "{5}",
		`{"a": {"k": 1}, "c": 1}`: "{6}",
		`{"a": 1, "c": 1}`:        "set()",
	} {
		got, err := instance.Eval(context.Background(), ast.MustParseTerm(input).Value)
		require.NoError(t, err)
		assert.Zero(t, got.Value.Compare(ast.MustParseTerm(want).Value), "%s: %v, want %s", input, got, want)
	}
}

func TestTheIndexSkipsNoClauseThatAppliesToAMember(t *testing.T) {
	instance := bind(t, "data.t.p", `package t
p contains 1 if input.a[_].b == "x"
p contains 2 if input.a[_].b == "y"
p contains 3 if { some m in input.a; m.b in {"x", "z"}; m.c }
p contains 4 if { some m in input.a; input.d; m.b == "u" }
p contains 5 if input.a[_].b == ["v", input.e]
p contains [6, i] if { some i, m in input.a; m.b == "w" }
p contains 7 if { some m in input.a; some n in m.b; n == "x" }
p contains 8 if { every m in input.a { m.b == "x" } }
p contains 9 if count([m | some m in input.a; m.b == "none"]) == 0
p contains 10 if not input.a[0].b == "x"`, "{}")
	for input, want := range map[string]string{
		`{"a": [{"b": "x"}]}`:                                "{1, 8, 9}",
		`{"a": [{"b": "y"}, {"b": "x"}]}`:                    "{1, 2, 9, 10}",
		`{"a": [{"b": "y"}, {"b": "z", "c": 1}]}`:            "{2, 3, 9, 10}",
		`{"a": [{"b": "z"}, {"b": "x", "c": 1}]}`:            "{1, 3, 9, 10}",
		`{"a": [{"b": "u"}], "d": true}`:                     "{4, 9, 10}",
		`{"a": [{"b": ["v", 1]}, 7, {"b": "y"}], "e": 1}`:    "{2, 5, 9, 10}",
		`{"a": {"k": {"b": "w"}, "l": {"b": "y"}}}`:          `{[6, "k"], 2, 9, 10}`,
		`{"a": [{"b": ["y", "x"]}, {"b": "x"}, {"b": "x"}]}`: "{1, 7, 9, 10}",
		`{"a": []}`:     "{10, 8, 9}",
		`{"a": "none"}`: "{10, 9}",
		`{}`:            "{10, 9}",
	} {
		got, err := instance.Eval(context.Background(), ast.MustParseTerm(input).Value)
		require.NoError(t, err)
		assert.Zero(t, got.Value.Compare(ast.MustParseTerm(want).Value), "%s: %v, want %s", input, got, want)
	}
}
