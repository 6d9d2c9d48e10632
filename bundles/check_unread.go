package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// unreadRules finds custom rules that no other rule reads. If the name is similar to deny or ask,
// it is an error, because the author believes that the rule objects. Otherwise it is a warning.
func unreadRules(compiler *ast.Compiler) (problems, warnings []gavel.Problem) {
	seen := map[string]bool{}
	for _, rule := range customRules(compiler) {
		steps := constantPath(rule)
		name := packageName(rule.Module) + "." + strings.Join(steps, ".")
		if seen[name] || slices.ContainsFunc(steps, isObjectionName) || isRead(compiler, rule) {
			continue
		}
		seen[name] = true
		p := ruleProblem(rule, fmt.Sprintf("no rule reads %s", name), fixForUnread(steps[0]))
		if p.Nearest = nearest.Mistakable(steps[0], []string{"deny", "ask"}); p.Nearest != "" {
			p.Fix = "only rules named deny and ask can object: correct the name, or delete the rule"
			problems = append(problems, p)
			continue
		}
		warnings = append(warnings, p)
	}
	return problems, warnings
}

func fixForUnread(name string) string {
	switch strings.ToLower(name) {
	case "allow", "allowed", "permit", "permitted":
		return "custom rules can only object: permit calls in the configuration, and delete the rule"
	}
	return "read it in a rule named deny or ask, or delete it"
}

// customRules returns the rules below custom without tests, sorted by location.
func customRules(compiler *ast.Compiler) []*ast.Rule { return rulesBelow(compiler, "custom") }

func rulesBelow(compiler *ast.Compiler, name string) (rules []*ast.Rule) {
	for _, module := range compiler.Modules {
		if isBelow(packageName(module), name) {
			rules = append(rules, module.Rules...)
		}
	}
	slices.SortFunc(rules, func(a, b *ast.Rule) int { return a.Location.Compare(b.Location) })
	return rules
}

// isRead reports whether another rule refers to a rule. References in package gavel do not count:
// it refers to everything below custom, but reads only deny and ask.
func isRead(compiler *ast.Compiler, rule *ast.Rule) bool {
	for other := range compiler.Graph.Dependents(rule) {
		if reader, ok := other.(*ast.Rule); ok && !reader.Ref().Equal(rule.Ref()) && !isBelow(packageName(reader.Module), "gavel") {
			return true
		}
	}
	return false
}
