package bundles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// maskRules reads data.system.log.mask as OPA does: a pointer to remove, or an
// object with op, path and value.
func maskRules(term *ast.Term) ([]gavel.MaskRule, error) {
	var list []gavel.MaskRule
	var wrong error
	err := each(term, func(element *ast.Term) {
		if pointer, ok := element.Value.(ast.String); ok {
			list = append(list, gavel.MaskRule{Op: "remove", Path: string(pointer)})
			return
		}
		rule := gavel.MaskRule{Op: getText(element, "op"), Path: getText(element, "path")}
		if value := get(element, "value"); value != nil {
			if rule.Value, wrong = ast.JSON(value.Value); wrong != nil {
				return
			}
		}
		list = append(list, rule)
	})
	return list, errors.Join(err, wrong)
}

// maskProblems finds rules of package system.log that hide nothing: those that are not called
// mask and that no rule reads, and those whose location is written out and is none of a
// decision. A decision that cannot be masked cannot be recorded, and is denied.
func maskProblems(compiler *ast.Compiler) (wrong []gavel.Problem) {
	for _, rule := range rulesBelow(compiler, "system.log") {
		steps := ruleSteps(rule)
		if steps[0] != "mask" && !isRead(compiler, rule) {
			p := ruleProblem(rule, fmt.Sprintf("no rule reads system.log.%s", strings.Join(steps, ".")), "call it mask, or delete it")
			p.Nearest = nearest.Name(steps[0], []string{"mask"})
			wrong = append(wrong, p)
			continue
		}
		if path, ok := maskPath(rule); ok && path != "/input" && path != "/result" && !strings.HasPrefix(path, "/input/") && !strings.HasPrefix(path, "/result/") {
			wrong = append(wrong, ruleProblem(rule, fmt.Sprintf("the location %q is not part of a decision that can be masked", path),
				"start it with /input/ or /result/, as in /input/tool/params/command"))
		}
	}
	return wrong
}

// maskPath is the location that a rule masks, if it is written out.
func maskPath(rule *ast.Rule) (path string, written bool) {
	key := rule.Head.Key
	if key == nil {
		return "", false
	}
	if object, ok := key.Value.(ast.Object); ok {
		if key = object.Get(ast.StringTerm("path")); key == nil {
			return "", false
		}
	}
	text, written := key.Value.(ast.String)
	return string(text), written
}
