package regoir_test

import "github.com/open-policy-agent/opa/v1/ast"

// input makes an object with members of random types, some of which are missing.
func (g *generator) input() ast.Value {
	o := ast.NewObject()
	for _, name := range []string{"s", "n", "b", "z", "o", "l", "set", "any"} {
		if g.IntN(6) > 0 {
			o.Insert(ast.StringTerm(name), ast.MustParseTerm(g.value(name)))
		}
	}
	return o
}

func (g *generator) value(name string) string {
	if g.IntN(5) == 0 {
		name = "any"
	}
	switch name {
	case "s":
		return g.pick(`"a"`, `"b"`, `"c"`)
	case "n":
		return g.pick("1", "2", "0", "1.0", "-3")
	case "b":
		return g.pick("true", "false")
	case "z":
		return "null"
	case "o":
		return g.pick(`{"p": 1, "k": "a"}`, `{"p": {"k": 1}}`, "{}")
	case "l":
		return g.pick(`["a", "b", 1]`, `[{"k": 1}, {"k": "a"}]`, "[]", "[[1, 2], 1]")
	case "set":
		return g.pick(`{"a", 1}`, "set()", `{[1, 2], {"k": 1}}`)
	}
	return g.pick(`"a"`, "1", "true", "null", `["a"]`, `{"k": 1}`, `{"a", 1}`, `"12"`)
}

const generatedData = `{"base": {"x": "a", "o": {"y": 1, "k": "b"}, "l": ["a", 1, {"k": 2}]},
	"u": {"table": {"a": 1, "2": 3}}, "deep": {"a": {"1": 1, "b": 2}, "b": {"a": "one"}}}`
