package regoir

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClausesAreFoundByTheValueTheyTestFor(t *testing.T) {
	var policy *ir.Policy
	rego.RegisterPlugin("regoir-index-test", planKeeper{&policy, "regoir-index-test"})
	values := []string{`"a"`, `"b"`, "1", "2", "true", "false", "null", `[1, "x"]`, `{"k": 1}`, `{"a", 1}`}
	for name, rule := range map[string]func(i int, v string) string{
		"a set":         func(i int, v string) string { return fmt.Sprintf("p contains %d if input.a.b == %s", i, v) },
		"turned around": func(i int, v string) string { return fmt.Sprintf("p contains %d if %s == input.a.b", i, v) },
		"a value":       func(i int, v string) string { return fmt.Sprintf("p := %d if input.a.b == %s", i, v) },
		"a second guard": func(i int, v string) string {
			return fmt.Sprintf("p contains %d if { input.c == 1; input.a.b == %s }", i, v)
		},
		"a membership": func(i int, v string) string {
			return fmt.Sprintf("p contains %d if input.a.b in {%s, \"other%d\"}", i, v, i)
		},
		"a membership in a list": func(i int, v string) string { return fmt.Sprintf("p contains %d if input.a.b in [%s]", i, v) },
		"a function":             func(i int, v string) string { return fmt.Sprintf("f(%s) := %d", v, i) },
		"a part of an argument":  func(i int, v string) string { return fmt.Sprintf("f(x) := %d if x.y == %s", i, v) },
		"a member":               func(i int, v string) string { return fmt.Sprintf("p contains %d if input.a[_].b == %s", i, v) },
		"a member of members": func(i int, v string) string {
			return fmt.Sprintf("p contains %d if { some x in input.a; some y in x.c; y.b in {%s} }", i, v)
		},
		"a partial object": func(i int, v string) string { return fmt.Sprintf("p[input.c] := %d if input.a.b == %s", i, v) },
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			text.WriteString("package t\n")
			for i, v := range values {
				text.WriteString(rule(i, v) + "\n")
			}
			query := "data.t.p"
			if strings.Contains(text.String(), "f(") {
				query = "data.t.f(input.a.b)"
			}
			_, err := rego.New(rego.Query(query), rego.Module("t.rego", text.String()), rego.Target("regoir-index-test")).PrepareForEval(context.Background())
			require.NoError(t, err)
			program, err := Compile(policy, Options{})
			require.NoError(t, err)
			f := program.functions[0]
			tr := newTranslator(f)
			clauses := tr.clauses(f.source.Blocks, make([]step, len(f.source.Blocks)))
			path, ok := bestPath(clauses)
			require.True(t, ok)
			x := newRuleIndex(clauses, path)
			assert.LessOrEqual(t, len(x.unguarded), 2, "only the blocks that make and return the value have no guard")
			for _, v := range values {
				assert.Len(t, x.lookup(ast.MustParseTerm(v)), 1, v)
			}
			assert.Empty(t, x.lookup(ast.MustParseTerm(`"c"`)))
			assert.Empty(t, x.lookup(nil))
		})
	}
}
