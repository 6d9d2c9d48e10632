package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Custom Rego can only object, with rules named deny and ask. An objection that is never evaluated
// is worse than none, because its author relies on it. So an objection that rego/gavel/custom
// would not find is an error.

// customPackages returns the packages that may object, each as the list of its names below custom.
func customPackages(modules map[string]*ast.Module) (*ast.Term, error) {
	var problems []gavel.Problem
	found := map[string][]string{}
	for _, module := range modules {
		name := packageName(module)
		if !isBelow(name, "custom") {
			continue
		}
		objects := false
		for _, rule := range module.Rules {
			objection, message, fix := checkObjection(rule, name)
			if message != "" {
				problems = append(problems, ruleProblem(rule, message, fix))
			}
			objects = objects || objection
		}
		if objects {
			found[name] = strings.Split(name, ".")[1:]
		}
	}
	sortProblems(problems)
	names := make([]string, 0, len(found))
	for name := range found {
		names = append(names, name)
	}
	slices.Sort(names)
	terms := make([]*ast.Term, len(names))
	for i, name := range names {
		terms[i] = stringsTerm(found[name])
	}
	return ast.ArrayTerm(terms...), policyError(problems)
}

// checkObjection reports whether a rule of a package objects, and whether rego/gavel/custom would
// not find it. Then message says why.
func checkObjection(rule *ast.Rule, name string) (objects bool, message, fix string) {
	steps := constantPath(rule)
	at := slices.IndexFunc(steps, isObjectionName)
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

func isObjectionName(step string) bool { return step == "deny" || step == "ask" }

// constantPath returns the names at the start of a rule's reference, up to the first variable.
func constantPath(rule *ast.Rule) (steps []string) {
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

// objectionsInTestFile finds objections in a test file. Test files are not part of the policy, so
// unless the package is one for tests, such a rule is a mistake.
func objectionsInTestFile(module *ast.Module) (problems []gavel.Problem) {
	name := packageName(module)
	if !isBelow(name, "custom") || strings.HasSuffix(name, "_test") {
		return nil
	}
	for _, rule := range module.Rules {
		if objects, _, _ := checkObjection(rule, name); objects {
			problems = append(problems, ruleProblem(rule, "the rule is in a test file, and test files are not part of the policy",
				"move it to a file whose name does not end in _test.rego"))
		}
	}
	return problems
}

// ruleProblem returns a problem at the location of a rule.
func ruleProblem(rule *ast.Rule, message, fix string) gavel.Problem {
	at := rule.Location
	return gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col, Message: message, Fix: fix}
}
