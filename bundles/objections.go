package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// reasonMembers are what a reason of the policy's own rules may have.
func reasonMembers() []string { return []string{"code", "fix", "message"} }

// unclear finds reasons of the policy's own rules that tell people less than their author meant:
// with a member that nothing reads, or without a message. They still object.
func unclear(compiler *ast.Compiler) (warnings []gavel.Problem) {
	for _, rule := range ownRules(compiler) {
		if !slices.ContainsFunc(ruleSteps(rule), isObjection) {
			continue
		}
		value := raised(rule)
		if wordless(value) {
			kind := ruleSteps(rule)[slices.IndexFunc(ruleSteps(rule), isObjection)]
			warnings = append(warnings, ruleProblem(rule, "the rule gives no message, so people read that a custom rule objects",
				fmt.Sprintf(`write it as a set of messages: %s contains "what is wrong" if …`, kind)))
			continue
		}
		reason, ok := value.(ast.Object)
		if !ok {
			continue
		}
		message := false
		for _, key := range reason.Keys() {
			name, isText := key.Value.(ast.String)
			message = message || name == "message"
			if isText && slices.Contains(reasonMembers(), string(name)) {
				continue
			}
			p := ruleProblem(rule, fmt.Sprintf("nothing reads %s of a reason", key), "a reason has "+strings.Join(reasonMembers(), ", "))
			p.Nearest = nearest.Name(string(name), reasonMembers())
			warnings = append(warnings, p)
		}
		if !message {
			warnings = append(warnings, ruleProblem(rule, "the reason has no message, so people read that a custom rule objects", `add "message", which says what is wrong`))
		}
	}
	return warnings
}

// wordless reports whether a reason is a value that says nothing, such as true. False and null do
// not object.
func wordless(reason ast.Value) bool {
	switch value := reason.(type) {
	case ast.Boolean:
		return bool(value)
	case ast.String:
		return strings.TrimSpace(string(value)) == ""
	case ast.Number:
		return true
	}
	return false
}

// raised returns the reason of a rule as it is written, or nil if it is made elsewhere.
func raised(rule *ast.Rule) ast.Value {
	term := rule.Head.Key
	if term == nil {
		term = rule.Head.Value
	}
	if term == nil {
		return nil
	}
	for _, e := range rule.Body { // what is computed is a variable of the compiler
		if (e.IsEquality() || e.IsAssignment()) && e.Operand(0).Equal(term) {
			return e.Operand(1).Value
		}
	}
	return term.Value
}
