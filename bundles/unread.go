package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// unread finds rules of the policy's own packages that no other rule reads. A rule whose name
// is similar to deny or ask is an error, because its author believes that it objects. Any
// other is a warning.
func unread(compiler *ast.Compiler) (wrong, warnings []gavel.Problem) {
	seen := map[string]bool{}
	for _, rule := range ownRules(compiler) {
		steps := ruleSteps(rule)
		name := packageName(rule.Module) + "." + strings.Join(steps, ".")
		if seen[name] || slices.ContainsFunc(steps, isObjection) || isRead(compiler, rule) {
			continue
		}
		seen[name] = true
		p := ruleProblem(rule, fmt.Sprintf("no rule reads %s", name), unreadFix(steps[0]))
		if p.Nearest = nearest.Mistakable(steps[0], []string{"deny", "ask"}); p.Nearest != "" {
			p.Fix = "only rules named deny and ask can object: correct the name, or delete the rule"
			wrong = append(wrong, p)
			continue
		}
		warnings = append(warnings, p)
	}
	return wrong, warnings
}

func unreadFix(name string) string {
	switch strings.ToLower(name) {
	case "allow", "allowed", "permit", "permitted":
		return "custom rules can only object: permit calls in the configuration, and delete the rule"
	}
	return "read it in a rule named deny or ask, or delete it"
}

// ownRules are the rules below custom, sorted by file and line, without tests.
func ownRules(compiler *ast.Compiler) []*ast.Rule { return rulesBelow(compiler, "custom") }

func rulesBelow(compiler *ast.Compiler, name string) (rules []*ast.Rule) {
	for _, module := range compiler.Modules {
		if below(packageName(module), name) {
			rules = append(rules, module.Rules...)
		}
	}
	slices.SortFunc(rules, func(a, b *ast.Rule) int { return a.Location.Compare(b.Location) })
	return rules
}

// isRead reports whether another rule refers to the rule. References in package gavel do not
// count, because it looks for deny and ask in everything below custom.
func isRead(compiler *ast.Compiler, rule *ast.Rule) bool {
	for other := range compiler.Graph.Dependents(rule) {
		if reader, ok := other.(*ast.Rule); ok && !reader.Ref().Equal(rule.Ref()) && !below(packageName(reader.Module), "gavel") {
			return true
		}
	}
	return false
}
