package regoir_test

import (
	"fmt"
	"strings"
)

// This file has the forms that policies use less often. The generator picks them less often, too.

// rareRule writes a function with a default, with patterns or with "else", or a rule whose name has
// several parts. It returns the name of the rule or of the function.
func (g *generator) rareRule(i int) (text, rule, function string) {
	name := fmt.Sprintf("r%d", i)
	function = fmt.Sprintf("f%d", i)
	g.vars = []string{"x"}
	switch g.IntN(6) {
	case 0:
		return fmt.Sprintf("default %[1]s(_) := %[2]s\n%[1]s(x) := %[3]s if %[4]s\n", function, g.constant(), g.term(1), g.body(1)), "", function
	case 1:
		return fmt.Sprintf("%[1]s([x, _]) := %[2]s if %[3]s\n%[1]s({\"k\": x}) := x if %[4]s\n", function, g.term(1), g.body(1), g.body(1)), "", function
	case 2:
		first, second := g.body(1), g.body(1)
		return fmt.Sprintf("%s(x) := %s if %s\nelse := %s if %s\nelse := %s\n", function, g.term(1), first, g.term(1), second, g.constant()), "", function
	}
	g.vars = nil
	return g.multiPartRule(name), name, ""
}

// multiPartRule writes clauses of a rule whose name has several parts, or clauses that compare a value
// with constants or patterns, which may get an index.
func (g *generator) multiPartRule(name string) string {
	var b strings.Builder
	kind := g.IntN(4)
	for range 2 + g.IntN(3) {
		g.vars = nil
		body := g.body(1)
		switch kind {
		case 0:
			fmt.Fprintf(&b, "%s.%s := %s if %s\n", name, g.pick("a", "b", "k"), g.term(1), body)
		case 1:
			fmt.Fprintf(&b, "%s.a[%s].b contains %s if %s\n", name, g.key(), g.constant(), body)
		case 2:
			fmt.Fprintf(&b, "%s := %s if %s %s %s\n", name, g.pick("1", "1", "2"), g.pick("input.s", "input.n", "input.any"), g.pick("==", "in"), g.collection())
		default:
			fmt.Fprintf(&b, "%s if { %s; %s }\n", name, g.pick(`glob.match("a*", ["."], input.s)`, `glob.match("{a,b}", null, input.s)`, `input.l = ["a", _, _]`, `[input.s, input.n] = ["a", _]`), g.closedExpr())
		}
	}
	return b.String()
}

func (g *generator) rareExpr() string {
	v, k := g.fresh(), g.fresh()
	switch g.IntN(14) {
	case 0:
		text := fmt.Sprintf("some %s; %s := %s[%s]", k, v, g.pick("input.l", "input.o", "input.any", "input.set", "data.base.l", "data.u", "data.deep", "data.deep.a"), k)
		g.vars = append(g.vars, v, k)
		return text
	case 1: // may shadow another variable
		name := v
		if len(g.vars) > 0 {
			name = g.pick(g.vars...)
		}
		return fmt.Sprintf("count({%[1]s | some %[1]s in %[2]s; %[1]s != 2}) != 3", name, g.source())
	case 2:
		text := fmt.Sprintf("some %s, %s; [%s, %s] = %s", v, k, v, k, g.pick("input.l[0]", "[input.s, input.n]", "input.any", "data.base.l"))
		g.vars = append(g.vars, v, k)
		return text
	case 3:
		text := fmt.Sprintf(`some %s; {"k": %s, "p": %s} = %s`, v, v, g.pick("_", g.constant()), g.pick("input.o", "data.base.o", "input.any"))
		g.vars = append(g.vars, v)
		return text
	case 4:
		return fmt.Sprintf("%s, %s in %s", g.path(), g.path(), g.collection())
	case 5:
		before := g.vars
		g.vars = append(append([]string(nil), before...), v, k)
		inner := g.scopedBody(1)
		g.vars = before
		return fmt.Sprintf("every %s, %s in %s { %s != [%s]; %s }", k, v, g.source(), v, k, inner)
	case 6: // a comprehension that closes over the variables of an "every"
		return fmt.Sprintf("every %s in %s { count([y | some y in %s; y != %s; not y in {z | some z in %s; z == %s}]) < 3 }", v, g.source(), g.source(), v, g.source(), v)
	case 7:
		text := fmt.Sprintf("some %s, %s; walk(%s, [%s, %s])", k, v, g.pick("input.o", "input.l", "input.any", "data.base", "input.set"), k, v)
		g.vars = append(g.vars, k, v)
		return text
	case 8:
		return fmt.Sprintf(g.pick("regex.match(%s, %s)", "glob.match(%s, [], %s)", "contains(%s, %s)", "semver.compare(%s, %s) == 0"), g.pick(`"a|b"`, `"["`, `"a*"`, g.path()), g.path())
	case 9:
		return fmt.Sprintf("%s %s %s %s %s", g.number(), g.pick("+", "-", "*", "/", "%"), g.number(), g.pick("==", "<", ">="), g.number())
	case 10:
		return g.pick("data.u[input.s]", "data.u[input.any]", "data.u[input.s][input.n]", "data.deep[input.s][input.n]", "data[input.s]", "data.u.sub[input.s]", "data.u.b[input.n]") + g.with()
	case 11:
		return fmt.Sprintf("print(%s, %s)", g.path(), g.constant())
	case 12:
		return "not " + g.reference() + g.with()
	}
	return g.mockedExpr()
}

// mockedExpr writes an expression in which "with" replaces a function.
func (g *generator) mockedExpr() string {
	function := g.pick("upper", "count", "to_number")
	replacement := g.pick("1", `"A"`, "is_string")
	read := g.reference()
	if len(g.funcs) > 0 {
		replacement, function = g.pick(replacement, g.pick(g.funcs...)), g.pick(function, g.pick(g.funcs...))
		read = g.pick(read, fmt.Sprintf("%s(%s)", g.pick(g.funcs...), g.path()))
	}
	return fmt.Sprintf("%s%s with %s as %s", read, g.pick("", " with input.n as 2"), function, replacement)
}

func (g *generator) number() string {
	return g.pick("input.n", "input.n", "data.base.o.y", "2", "0", "0.1", "12345678901234567890", "1e3", "-7", "input.any", "count(input.l)")
}

func (g *generator) rareTerm(depth int) string {
	p := g.path()
	switch g.IntN(13) {
	case 0:
		return fmt.Sprintf(g.pick("object.union(%s, %s)", "object.remove(%s, %s)", "object.filter(%s, %s)", "object.subset(%s, %s)", "object.union_n([%s, %s])"), g.pick("input.o", "data.base.o", `{"k": {"k": 2}}`), g.pick("input.o", "input.any", `{"k": {"m": 1}}`, `["k"]`))
	case 1:
		return fmt.Sprintf(g.pick("array.concat(%s, %s)", "array.slice(%s, 0, 1 + count(%s))", "union({%s, %s})", "intersection({%s, %s})", "(%s & %s)", "(%s - %s)"), g.pick("input.l", "input.set", "{1}"), g.pick("input.l", "input.set", `{"a", 1}`))
	case 2:
		return fmt.Sprintf(g.pick("sort(%s)", "sum(%s)", "max(%s)", "min(%s)", "product(%s)", "object.keys(%s)", "type_name(%s)", "abs(%s)", "json.unmarshal(%s)", "base64.decode(%s)"), g.pick("input.l", "input.o", "input.set", p))
	case 3:
		return g.pick(fmt.Sprintf("{%s: %s}", g.path(), g.term(depth-1)), fmt.Sprintf(`{{{1}, {"a"}}: %s, "ä€": %s, [1]: {{"k": %s}}}`, g.term(depth-1), p, p))
	case 4:
		return fmt.Sprintf("{{%s, 1}, {%s}}", g.path(), g.path())
	case 5:
		return fmt.Sprintf(g.pick("substring(%s, 0, 1)", "indexof(%s, \"€\")", "split(%s, \"\")", "count(%s)", "lower(%s)", "upper(%s)", "trim_space(%s)", "reverse(%s)", "sprintf(\"%%v\", [%s])",
			"sprintf(\"<%%s>\", [%s])", "({x | some x in input.l} - {1, %s})"), g.pick(`"ä€𝄞"`, "input.s", p))
	case 6:
		return g.number()
	case 7:
		return fmt.Sprintf("json.patch(%s, [{\"op\": %s, \"path\": \"/k\", \"value\": %s}])", g.pick("input.o", "data.base.o"), g.pick(`"add"`, `"replace"`, `"remove"`), p)
	case 8:
		return fmt.Sprintf("object.get(%s, [%s, %s], %s)", g.pick("input", "input.o", "data.base"), g.pick(`"o"`, `"k"`, "input.s"), g.pick(`"p"`, "0"), g.term(depth-1))
	case 9:
		return g.pick("data.u", "data.u.sub", "data.deep", "data.u.b", "data.base")
	case 10:
		return fmt.Sprintf("$\"{%s} and {%s}\"", p, g.pick("input.s", "1", "data.u.a"))
	case 11:
		v, w := g.fresh(), g.fresh()
		return fmt.Sprintf("{%[1]s: [%[2]s | some %[2]s in %[3]s; %[2]s != %[1]s] | some %[1]s in %[4]s}", v, w, g.source(), g.pick("input.l", "{1, \"a\"}"))
	}
	return fmt.Sprintf("numbers.range(%s, %s)", g.pick("0", "input.n"), g.pick("2", "input.n", "-1"))
}

// library writes a package of rules that references with variables may select.
func (g *generator) library() string {
	var b strings.Builder
	b.WriteString("package u\n\n")
	for _, name := range []string{"a", "b", "c"} {
		for range 1 + g.IntN(2) {
			g.vars, g.next = nil, 0
			body := g.body(1)
			switch name {
			case "a":
				fmt.Fprintf(&b, "a := %s if %s\n", g.pick("1", "1", g.term(1)), body)
			case "b":
				fmt.Fprintf(&b, "b[%s] := %s if %s\n", g.key(), g.pick("1", "1", g.term(1)), body)
			default:
				fmt.Fprintf(&b, "c contains %s if %s\n", g.constant(), body)
			}
		}
	}
	return b.String()
}

// sublibrary writes a package below that of library.
func (g *generator) sublibrary() string {
	g.vars, g.next = nil, 0
	return fmt.Sprintf("package u.sub\n\na := %s if %s\n\ndefault b := 2\n", g.constant(), g.body(1))
}

// rareWith writes a "with" that replaces rules or parts of data.
func (g *generator) rareWith() string {
	list := []string{" with data.u.a as 2", ` with data.u as {"a": 2, "b": {"a": 1}}`, " with data.u.sub.a as input.n", ` with data.u.b as {"k": 1}`,
		" with data.base.o.y as input.n", ` with data.deep as {"a": 1} with input.s as "b"`, ` with input as {"l": [1, 2], "s": "a"} with data.base as {}`, ` with data.u.table.a as "b"`}
	for _, r := range g.rules {
		list = append(list, fmt.Sprintf(" with data.t.%s as %s", r, g.constant()))
	}
	return g.pick(list...)
}
