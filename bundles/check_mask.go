package bundles

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// maskProblems finds rules of package system.log that mask nothing: rules other than mask that no
// rule reads, and masks whose constant path is not part of a decision. They are errors, because
// their author relies on them.
func maskProblems(compiler *ast.Compiler) (problems []gavel.Problem) {
	for _, rule := range rulesBelow(compiler, "system.log") {
		steps := constantPath(rule)
		if steps[0] != "mask" && !isRead(compiler, rule) {
			p := ruleProblem(rule, fmt.Sprintf("no rule reads system.log.%s", strings.Join(steps, ".")), "call it mask, or delete it")
			p.Nearest = nearest.Name(steps[0], []string{"mask"})
			problems = append(problems, p)
			continue
		}
		if path, ok := maskPath(rule); ok && path != "/input" && path != "/result" && !strings.HasPrefix(path, "/input/") && !strings.HasPrefix(path, "/result/") {
			problems = append(problems, ruleProblem(rule, fmt.Sprintf("the location %q is not part of a decision that can be masked", path),
				"start it with /input/ or /result/, as in /input/tool/params/command"))
		}
	}
	return problems
}

// maskPath returns the path that a rule masks. It returns false if the path is not a constant.
func maskPath(rule *ast.Rule) (path string, constant bool) {
	key := rule.Head.Key
	if key == nil {
		return "", false
	}
	if object, ok := key.Value.(ast.Object); ok {
		if key = object.Get(ast.StringTerm("path")); key == nil {
			return "", false
		}
	}
	text, constant := key.Value.(ast.String)
	return string(text), constant
}
