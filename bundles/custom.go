package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Custom Rego can only object. An objection that is never evaluated is worse than none,
// because its author relies on it. So objections that rego/gavel/custom would not find are
// errors.

// customPackages lists the packages that may object, each as its path elements below custom.
func customPackages(modules map[string]*ast.Module) (*ast.Term, error) {
	var wrong []gavel.Problem
	found := map[string][]string{}
	for _, module := range modules {
		name := packageName(module)
		if !below(name, "custom") {
			continue
		}
		objects := false
		for _, rule := range module.Rules {
			kind, message, fix := objection(rule, name)
			if message != "" {
				wrong = append(wrong, ruleProblem(rule, message, fix))
			}
			objects = objects || kind
		}
		if objects {
			found[name] = strings.Split(name, ".")[1:]
		}
	}
	sortProblems(wrong)
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	terms := make([]*ast.Term, len(names))
	for i, name := range names {
		terms[i] = texts(found[name])
	}
	return ast.ArrayTerm(terms...), problems(wrong)
}

// objection reports whether a rule of a package raises objections, and any problem with it.
func objection(rule *ast.Rule, name string) (objects bool, message, fix string) {
	steps := ruleSteps(rule)
	at := slices.IndexFunc(steps, isObjection)
	switch {
	case at < 0:
		return false, "", ""
	case at > 0:
		return true, fmt.Sprintf("nothing evaluates the rule %s", strings.Join(steps, ".")),
			fmt.Sprintf("write rule %s in package %s.%s", steps[at], name, strings.Join(steps[:at], "."))
	case len(rule.Head.Args) > 0:
		return true, fmt.Sprintf("%s is a function, and nothing calls it", steps[0]), "write it as a set: " + steps[0] + " contains reason if …"
	case strings.Count(name, ".") > 3:
		return true, fmt.Sprintf("package %s is nested too deeply, so its rules are not evaluated", name), "use at most three levels below custom"
	}
	return true, "", ""
}

func isObjection(step string) bool { return step == "deny" || step == "ask" }

// ruleSteps are the constant elements at the start of a rule's name.
func ruleSteps(rule *ast.Rule) (steps []string) {
	for i, term := range rule.Head.Ref() {
		switch value := term.Value.(type) {
		case ast.Var:
			if i > 0 {
				return steps
			}
			steps = append(steps, string(value))
		case ast.String:
			steps = append(steps, string(value))
		default:
			return steps
		}
	}
	return steps
}

// misplaced finds objections in test files. Test files do not take part in decisions, so
// outside a test package such a rule is a mistake.
func misplaced(module *ast.Module) (wrong []gavel.Problem) {
	name := packageName(module)
	if !below(name, "custom") || strings.HasSuffix(name, "_test") {
		return nil
	}
	for _, rule := range module.Rules {
		if kind, _, _ := objection(rule, name); kind {
			wrong = append(wrong, ruleProblem(rule, "the rule is in a test file, and test files are not part of the policy",
				"move it to a file whose name does not end in _test.rego"))
		}
	}
	return wrong
}

func ruleProblem(rule *ast.Rule, message, fix string) gavel.Problem {
	at := rule.Location
	return gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col, Message: message, Fix: fix}
}
