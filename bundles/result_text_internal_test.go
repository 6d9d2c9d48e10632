package bundles

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	shipped "gavel/rego"
)

func shippedTexts(t *testing.T) map[string]ruleText {
	t.Helper()
	s, err := Load(context.Background(), Config{Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
		FactsSchema: shipped.FactsSchema, Default: shipped.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	require.NotEmpty(t, s.texts)
	return s.texts
}

// The test renders every reason with up to eight arguments of every type.
func TestNoReasonShowsADirective(t *testing.T) {
	t.Parallel()
	leak := regexp.MustCompile(`%!|%[sdqvx]`)
	shapes := map[string]*ast.Term{"a text": ast.StringTerm("x"), "an empty text": ast.StringTerm(""), "a number": ast.IntNumberTerm(3),
		"a fraction": ast.FloatNumberTerm(1.5), "a list": ast.ArrayTerm(ast.StringTerm("x")), "a set": ast.SetTerm(), "null": ast.NullTerm(),
		"a boolean": ast.BooleanTerm(true), "an object": ast.ObjectTerm()}
	for code, w := range shippedTexts(t) {
		for _, template := range []string{w.message, w.fix} {
			for shape, value := range shapes {
				for count := range 9 {
					args := make([]*ast.Term, count)
					for i := range args {
						args[i] = value
					}
					text := format(template, ast.ArrayTerm(args...))
					assert.NotRegexp(t, leak, text, "%s with %d arguments, each %s", code, count, shape)
				}
			}
			assert.NotRegexp(t, leak, format(template, nil), "%s without a list of arguments", code)
		}
	}
}

func TestAValueIsNeverADirective(t *testing.T) {
	t.Parallel()
	assert.Equal(t, `%s "a\"%d" ? 100 % of it`, format("%s %q %s 100 % of it", ast.ArrayTerm(ast.StringTerm("%s"), ast.StringTerm(`a"%d`))))
	assert.Equal(t, "x", format("%s", ast.ArrayTerm(ast.StringTerm("x"), ast.StringTerm("y"))))
	assert.Equal(t, "50%", format("%d%%", ast.ArrayTerm(ast.IntNumberTerm(50))))
}

// Stock OPA formats the same texts with sprintf, which would show an error in the message.
func TestEveryReasonGetsAnArgumentForEachDirective(t *testing.T) {
	t.Parallel()
	modules := map[string]*ast.Module{}
	builtin, err := builtinFiles(Config{Builtin: shipped.Policy})
	require.NoError(t, err)
	for name, text := range builtin {
		if isRego(name) {
			modules[name], err = ast.ParseModuleWithOpts(name, string(text), ast.ParserOptions{ProcessAnnotation: true})
			require.NoError(t, err)
		}
	}
	seen := map[string]bool{}
	for name, module := range modules {
		for _, note := range module.Annotations {
			code, _ := note.Custom["code"].(string)
			if code == "" {
				continue
			}
			made := ruleAt(module, note.Location.Row)
			require.NotNil(t, made, "%s: %s", name, code)
			seen[code] = argumentsFit(t, fmt.Sprintf("%s: %s", name, code), made, note) || seen[code]
		}
	}
	assert.Greater(t, len(seen), 90)
	for code, checked := range seen {
		assert.True(t, checked, "%s: no call of reason.from or reason.fixed was found", code)
	}
}

// ruleAt returns the first rule below a line.
func ruleAt(module *ast.Module, line int) *ast.Rule {
	var found *ast.Rule
	for _, rule := range module.Rules {
		if rule.Location.Row > line && (found == nil || rule.Location.Row < found.Location.Row) {
			found = rule
		}
	}
	return found
}

// argumentsFit compares the number of arguments of each reason that a rule makes with the number
// of directives in its texts. It returns false if the rule makes no reason.
func argumentsFit(t *testing.T, about string, rule *ast.Rule, note *ast.Annotations) (checked bool) {
	t.Helper()
	message, _ := note.Custom["message"].(string)
	fix, _ := note.Custom["fix"].(string)
	lists := map[string]*ast.Array{}
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if e.IsAssignment() {
			if list, ok := e.Operand(1).Value.(*ast.Array); ok {
				lists[e.Operand(0).String()] = list
			}
		}
		return false
	})
	check := func(operands []*ast.Term, i int, text, what string) {
		list, ok := operands[i].Value.(*ast.Array)
		if !ok {
			list, ok = lists[operands[i].String()], lists[operands[i].String()] != nil
		}
		if assert.True(t, ok, "%s: the arguments of its %s are not a list", about, what) {
			assert.Equal(t, directives(text), list.Len(), "%s: its %s is %q", about, what, text)
		}
	}
	reasons := func(name string, operands []*ast.Term) {
		switch {
		case strings.HasSuffix(name, "reason.from") && len(operands) >= 3:
			checked = true
			check(operands, 1, message, "message")
			assert.Zero(t, directives(fix), "%s: its fix is %q, and reason.from has no arguments for it", about, fix)
		case strings.HasSuffix(name, "reason.fixed") && len(operands) >= 4:
			checked = true
			check(operands, 1, message, "message")
			check(operands, 2, fix, "fix")
		}
	}
	ast.WalkTerms(rule, func(term *ast.Term) bool {
		if call, ok := term.Value.(ast.Call); ok {
			reasons(call[0].String(), call[1:])
		}
		return false
	})
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if e.IsCall() {
			reasons(e.Operator().String(), e.Operands())
		}
		return false
	})
	return checked
}

func directives(text string) int {
	return strings.Count(text, "%s") + strings.Count(text, "%q") + strings.Count(text, "%d")
}
