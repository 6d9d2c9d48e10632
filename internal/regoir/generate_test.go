package regoir_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator writes random modules with all forms of rules. A rule refers only to rules before it, so
// none is recursive.
type generator struct {
	*rand.Rand
	rules []string // the rules so far
	funcs []string // the functions so far
	vars  []string // the variables in scope
	next  int      // the number of the last variable
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) fresh() string {
	g.next++
	return fmt.Sprintf("v%d", g.next)
}

// modules writes a package, and two others from which its references may select rules.
func (g *generator) modules() map[string]string {
	modules := map[string]string{"u.rego": g.library(), "sub.rego": g.sublibrary()}
	modules["t.rego"] = g.module()
	return modules
}

func (g *generator) module() string {
	var b strings.Builder
	b.WriteString("package t\n\n")
	for i := range 3 + g.IntN(6) {
		g.vars, g.next = nil, 0
		b.WriteString(g.rule(i) + "\n")
	}
	return b.String()
}

func (g *generator) rule(i int) string {
	name := fmt.Sprintf("r%d", i)
	var text strings.Builder
	kind := g.IntN(11)
	if kind > 8 {
		text, rule, function := g.rareRule(i)
		if rule != "" {
			g.rules = append(g.rules, rule)
		} else {
			g.funcs = append(g.funcs, function)
		}
		return text
	}
	for range 1 + g.IntN(5) {
		g.vars = nil
		body := g.body(1 + g.IntN(3))
		switch kind {
		case 0:
			fmt.Fprintf(&text, "%s if %s\n", name, body)
		case 1:
			fmt.Fprintf(&text, "%s := %s if %s\n", name, g.pick("1", "1", `"a"`), body)
		case 2:
			fmt.Fprintf(&text, "%s contains member if { %s; member := %s }\n", name, strings.TrimSuffix(strings.TrimPrefix(body, "{ "), " }"), g.term(1))
		case 3:
			fmt.Fprintf(&text, "%s[%s] := %s if %s\n", name, g.key(), g.pick("1", "true", g.term(1)), body)
		case 4:
			fmt.Fprintf(&text, "%s[%s][%s] := %s if %s\n", name, g.key(), g.key(), g.pick("1", "2", g.term(1)), body)
		case 5:
			fmt.Fprintf(&text, "%s[%s] contains member if { %s; member := %s }\n", name, g.key(), strings.TrimSuffix(strings.TrimPrefix(body, "{ "), " }"), g.term(1))
		case 6:
			fmt.Fprintf(&text, "%s := %s if %s\n", name, g.term(2), body)
			if g.IntN(2) == 0 {
				g.vars = nil
				fmt.Fprintf(&text, "else := %s if %s\n", g.term(1), g.body(1))
			}
			kind = 6
		case 7:
			g.vars = []string{"x"}
			fmt.Fprintf(&text, "f%d(x) := %s if %s\n", i, g.pick("1", "x", g.term(1)), g.body(1))
		default:
			fmt.Fprintf(&text, "f%d(%s) if %s\n", i, g.constant(), body)
		}
		if kind == 6 {
			break
		}
	}
	switch {
	case kind >= 7:
		g.funcs = append(g.funcs, fmt.Sprintf("f%d", i))
		return text.String()
	case kind == 6 || kind < 2:
		if g.IntN(2) == 0 {
			fmt.Fprintf(&text, "default %s := %s\n", name, g.constant())
		}
	}
	g.rules = append(g.rules, name)
	return text.String()
}

func (g *generator) key() string {
	if len(g.vars) > 0 && g.IntN(2) == 0 {
		return g.pick(g.vars...)
	}
	return g.pick(`"a"`, `"b"`, "input.s", "input.n") // not 1: see PlannerDisagreement
}

// body writes a block of expressions. The variables that it declares stay in scope.
func (g *generator) body(n int) string {
	var list []string
	for range n {
		list = append(list, g.expr(2))
	}
	return "{ " + strings.Join(list, "; ") + " }"
}

// scopedBody writes a body whose variables do not stay in scope.
func (g *generator) scopedBody(n int) string {
	before := g.vars
	defer func() { g.vars = before }()
	g.vars = append([]string(nil), before...)
	return strings.TrimSuffix(strings.TrimPrefix(g.body(n), "{ "), " }")
}

func (g *generator) expr(depth int) string {
	if depth == 0 {
		return fmt.Sprintf("%s == %s", g.path(), g.constant())
	}
	switch g.IntN(20) {
	case 0, 1, 2:
		return fmt.Sprintf("%s == %s", g.path(), g.constant())
	case 3:
		return fmt.Sprintf("%s != %s", g.term(1), g.term(1))
	case 4:
		return fmt.Sprintf("%s in %s", g.path(), g.collection())
	case 5, 6:
		v := g.fresh()
		text := fmt.Sprintf("some %s in %s; %s != %s", v, g.source(), v, g.path())
		g.vars = append(g.vars, v)
		return text
	case 7:
		k, v := g.fresh(), g.fresh()
		text := fmt.Sprintf("some %s, %s in %s; %s != [%s]", k, v, g.source(), k, v)
		g.vars = append(g.vars, k, v)
		return text
	case 8:
		v := g.fresh()
		text := fmt.Sprintf("%s := %s", v, g.term(2))
		g.vars = append(g.vars, v)
		return text
	case 9:
		return "not " + g.closedExpr()
	case 10:
		v := g.fresh()
		before := g.vars
		g.vars = append(append([]string(nil), before...), v)
		inner := g.scopedBody(1 + g.IntN(2))
		g.vars = before
		return fmt.Sprintf("every %s in %s { %s != 2; %s }", v, g.source(), v, inner)
	case 11:
		return g.reference() + g.with()
	case 12:
		return fmt.Sprintf("%s %s %s", g.path(), g.pick("<", ">=", "<="), g.constant())
	case 13:
		if len(g.funcs) > 0 {
			return fmt.Sprintf("%s(%s)%s", g.pick(g.funcs...), g.term(1), g.with())
		}
	case 14:
		return fmt.Sprintf("[%s, 1] == [%s, %s]", g.path(), g.constant(), g.pick("1", "input.n"))
	case 16, 17, 18, 19:
		return g.rareExpr()
	}
	return g.reference()
}

// closedExpr writes an expression that declares no variables.
func (g *generator) closedExpr() string {
	before := g.vars
	defer func() { g.vars = before }()
	switch g.IntN(3) {
	case 0:
		return fmt.Sprintf("%s == %s", g.path(), g.constant())
	case 1:
		return fmt.Sprintf("%s in %s", g.path(), g.collection())
	}
	return g.reference()
}

func (g *generator) with() string {
	if g.IntN(3) != 0 {
		return ""
	}
	if g.IntN(3) == 0 {
		return g.rareWith()
	}
	return g.pick(" with input as {\"s\": \"a\", \"n\": 1}", " with input.s as \"b\"", " with data.base as {\"l\": [1]}", " with input.o.p as input.n")
}

func (g *generator) reference() string {
	if len(g.rules) > 0 && g.IntN(3) > 0 {
		r := g.pick(g.rules...)
		return r + g.pick("", "", "["+g.key()+"]")
	}
	return g.path()
}

func (g *generator) path() string {
	if len(g.vars) > 0 && g.IntN(3) == 0 {
		return g.pick(g.vars...) + g.pick("", "", ".k", "[0]")
	}
	return g.pick("input.s", "input.n", "input.b", "input.z", "input.o.p", "input.l[0]", "data.base.x", "data.base.o.y", "input.missing", "input.any")
}

func (g *generator) source() string {
	if len(g.rules) > 0 && g.IntN(4) == 0 {
		return g.pick(g.rules...)
	}
	return g.pick("input.l", "input.o", "input.set", "data.base.l", "data.base.o", "input.any", "{1, 2, \"a\"}", "[input.s, input.n]")
}

func (g *generator) constant() string {
	return g.pick(`"a"`, `"b"`, "1", "2", "1.0", "true", "false", "null", "[1, 2]", `{"k": 1}`, `{"a", 1}`, "[]", "set()", "{}")
}

func (g *generator) collection() string {
	return g.pick(`{"a", "b"}`, `[1, "a"]`, `{"a", null, true}`, "input.l", "input.o", `{"k": "a"}`)
}

func (g *generator) term(depth int) string {
	if depth == 0 {
		return g.pick(g.constant(), g.path())
	}
	switch g.IntN(16) {
	case 0, 1:
		return g.constant()
	case 2, 3:
		return g.path()
	case 4:
		return fmt.Sprintf("[%s, %s]", g.term(depth-1), g.term(depth-1))
	case 5:
		return fmt.Sprintf(`{"k": %s, "m": %s}`, g.term(depth-1), g.term(depth-1))
	case 6:
		return fmt.Sprintf("{%s, %s}", g.term(depth-1), g.path())
	case 7:
		return g.comprehension()
	case 8:
		return fmt.Sprintf(g.pick("count(%s)", "to_number(%s)", "upper(%s)", "json.marshal(%s)", "is_string(%s)"), g.path())
	case 9:
		return fmt.Sprintf(g.pick("object.get(%s, %s, 0)", "startswith(%s, %s)", "(%s | %s)", "concat(%s, %s)"), g.path(), g.path())
	case 10:
		if len(g.funcs) > 0 {
			return fmt.Sprintf("%s(%s)", g.pick(g.funcs...), g.term(depth-1))
		}
	case 13, 14, 15:
		return g.rareTerm(depth)
	}
	return g.reference()
}

func (g *generator) comprehension() string {
	v := g.fresh()
	before := g.vars
	defer func() { g.vars = before }()
	g.vars = append(append([]string(nil), before...), v)
	head := fmt.Sprintf("some %s in %s; %s != 2", v, g.source(), v)
	inner := head + g.pick("", "; "+g.closedExpr(), "; not "+g.closedExpr())
	switch g.IntN(4) {
	case 0:
		return fmt.Sprintf("[%s | %s]", g.pick(v, "["+v+"]", g.path()), inner)
	case 1:
		return fmt.Sprintf("{%s | %s}", g.pick(v, g.path()), inner)
	case 2:
		return fmt.Sprintf("{%s: %s | %s}", g.pick(v, g.path()), g.pick("1", v), inner)
	}
	return fmt.Sprintf("[x | x := {y | %s; y := %s}]", inner, v)
}
