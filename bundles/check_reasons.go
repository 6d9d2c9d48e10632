package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// reasonMembers are the members that a reason of a custom rule may have.
func reasonMembers() []string { return []string{"code", "fix", "message"} }

// incompleteReasons warns about reasons of custom rules that tell people less than their author
// meant: that have no message, or a member that nothing reads. They object all the same.
func incompleteReasons(compiler *ast.Compiler) (warnings []gavel.Problem) {
	for _, rule := range customRules(compiler) {
		if !slices.ContainsFunc(constantPath(rule), isObjectionName) {
			continue
		}
		value := reasonValue(rule)
		if isWordless(value) {
			kind := constantPath(rule)[slices.IndexFunc(constantPath(rule), isObjectionName)]
			warnings = append(warnings, ruleProblem(rule, "the rule gives no message, so people only read that a custom rule objects",
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
			warnings = append(warnings, ruleProblem(rule, "the reason has no message, so people only read that a custom rule objects", `add "message", which says what is wrong`))
		}
	}
	return warnings
}

// isWordless reports whether a reason says nothing, such as true. False and null do not object.
func isWordless(reason ast.Value) bool {
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

// reasonValue returns the reason of a rule as it is written, or nil if there is none.
func reasonValue(rule *ast.Rule) ast.Value {
	term := rule.Head.Key
	if term == nil {
		term = rule.Head.Value
	}
	if term == nil {
		return nil
	}
	for _, e := range rule.Body { // the compiler moves an expression in the head into the body
		if (e.IsEquality() || e.IsAssignment()) && e.Operand(0).Equal(term) {
			return e.Operand(1).Value
		}
	}
	return term.Value
}
