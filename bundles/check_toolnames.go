package bundles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// impossibleToolNames warns about comparisons of custom rules that hold for no call: of
// input.tool.name with an alias, or with a name that is not in lower case. The fact always has the
// canonical name of the tool, whatever the host calls it.
func impossibleToolNames(compiler *ast.Compiler, data map[string]any) (warnings []gavel.Problem) {
	aliases, known := toolAliases(data), slices.Sorted(maps.Keys(coveredTools(data)))
	for _, rule := range customRules(compiler) {
		for _, name := range comparedToolNames(rule) {
			text := string(name.Value.(ast.String))
			lower := strings.ToLower(text)
			canonical := lower
			if tool, ok := aliases[lower]; ok {
				canonical = tool
			} else if !slices.Contains(known, lower) {
				if near := nearest.Name(lower, known); near != "" {
					canonical = near
				}
			}
			if lower == text && aliases[lower] == "" || strings.Contains(text, ":") {
				continue
			}
			warnings = append(warnings, gavel.Problem{File: strings.TrimPrefix(name.Location.File, "/"), Line: name.Location.Row, Column: name.Location.Col,
				Message: fmt.Sprintf("input.tool.name is never %q: it has the canonical name of the tool", text),
				Fix:     fmt.Sprintf("write %q if that is the tool; gavel tools lists the names", canonical)})
		}
	}
	return warnings
}

// comparedToolNames returns the strings that a rule compares input.tool.name with, by == or in.
func comparedToolNames(rule *ast.Rule) (names []*ast.Term) {
	tool := ast.MustParseRef("input.tool.name")
	toolVars := map[ast.Var]bool{} // variables that have the value of input.tool.name
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if !e.IsEquality() && !e.IsAssignment() && !(e.IsCall() && e.Operator().String() == ast.Member.Name) || len(e.Operands()) != 2 {
			return false
		}
		for i, operand := range e.Operands() {
			other := e.Operand(1 - i)
			ref, isRef := operand.Value.(ast.Ref)
			variable, isVar := operand.Value.(ast.Var)
			if !(isRef && ref.Equal(tool)) && !(isVar && toolVars[variable]) {
				continue
			}
			if name, ok := other.Value.(ast.Var); ok {
				toolVars[name] = true
			}
			names = append(names, stringTerms(other)...)
		}
		return false
	})
	return names
}

// stringTerms returns a string, or the strings in a set or an array.
func stringTerms(term *ast.Term) (list []*ast.Term) {
	add := func(one *ast.Term) {
		if _, ok := one.Value.(ast.String); ok && one.Location != nil {
			list = append(list, one)
		}
	}
	switch value := term.Value.(type) {
	case ast.String:
		add(term)
	case ast.Set:
		value.Foreach(add)
	case *ast.Array:
		value.Foreach(add)
	}
	return list
}
