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

// misnamed finds comparisons of the policy's own rules that no call satisfies: of input.tool.name
// with an alias, or with a name that is not in lower case. A fact has the canonical name of a
// tool, whatever an agent's host calls it.
func misnamed(compiler *ast.Compiler, data map[string]any) (warnings []gavel.Problem) {
	aliases, known := aliasesIn(data), slices.Sorted(maps.Keys(coreTools(data)))
	for _, rule := range ownRules(compiler) {
		for _, name := range comparedNames(rule) {
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
				Message: fmt.Sprintf("input.tool.name is never %q: it is the canonical name of a tool", text),
				Fix:     fmt.Sprintf("write %q if that is the tool; gavel tools lists the names", canonical)})
		}
	}
	return warnings
}

// aliasesIn returns the canonical name of each alias.
func aliasesIn(data map[string]any) map[string]string {
	aliases := map[string]string{}
	gavelData, _ := data["gavel"].(map[string]any)
	catalog, _ := gavelData["catalog"].(map[string]any)
	table, _ := catalog["aliases"].(map[string]any)
	for name, tool := range table {
		aliases[name], _ = tool.(string)
	}
	return aliases
}

// comparedNames returns the texts that a rule compares input.tool.name with, by == or in.
func comparedNames(rule *ast.Rule) (names []*ast.Term) {
	tool := ast.MustParseRef("input.tool.name")
	held := map[ast.Var]bool{} // variables of the compiler that have the name
	ast.WalkExprs(rule, func(e *ast.Expr) bool {
		if !e.IsEquality() && !e.IsAssignment() && !(e.IsCall() && e.Operator().String() == ast.Member.Name) || len(e.Operands()) != 2 {
			return false
		}
		for i, one := range e.Operands() {
			other := e.Operand(1 - i)
			ref, isRef := one.Value.(ast.Ref)
			variable, isVar := one.Value.(ast.Var)
			if !(isRef && ref.Equal(tool)) && !(isVar && held[variable]) {
				continue
			}
			if name, ok := other.Value.(ast.Var); ok {
				held[name] = true
			}
			names = append(names, textTerms(other)...)
		}
		return false
	})
	return names
}

// textTerms returns a text, or the texts in a set or an array.
func textTerms(term *ast.Term) (list []*ast.Term) {
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
