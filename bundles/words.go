package bundles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// words are what a rule says of itself in its METADATA.
type words struct{ title, description, message, fix, file string }

// Rule is one rule that gives a reason, for documentation.
type Rule struct {
	Code, Title, Description, Message, Fix string
	File                                   string // where the rule stands
}

// Rules lists every rule that can give a reason, by code.
func (s *Snapshot) Rules() []Rule {
	list := make([]Rule, 0, len(s.words))
	for code, w := range s.words {
		list = append(list, Rule{code, w.title, w.description, w.message, w.fix, w.file})
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// wordsOf collects the words of every rule that has a code.
func wordsOf(compiler *ast.Compiler) map[string]words {
	found := map[string]words{}
	for _, annotated := range compiler.GetAnnotationSet().Flatten() {
		custom := annotated.Annotations.Custom
		code, _ := custom["code"].(string)
		if code == "" {
			continue
		}
		message, _ := custom["message"].(string)
		fix, _ := custom["fix"].(string)
		found[code] = words{annotated.Annotations.Title, annotated.Annotations.Description, message, fix,
			strings.TrimPrefix(annotated.Annotations.Location.File, "/")}
	}
	return found
}

// fill formats a reason's message and fix, as rego/gavel/reason does for stock OPA.
func (w words) fill(code string, args, fixArgs *ast.Term) (layer, message, fix string) {
	layer, _, _ = strings.Cut(code, ".")
	message, fix = format(w.message, args), format(w.fix, fixArgs)
	return layer, message, fix
}

func format(template string, args *ast.Term) string {
	var values []any
	_ = each(args, func(arg *ast.Term) { values = append(values, native(arg)) }) // no list, no arguments
	if len(values) == 0 {
		return template
	}
	return fmt.Sprintf(template, values...)
}

func native(term *ast.Term) any {
	switch value := term.Value.(type) {
	case ast.String:
		return string(value)
	case ast.Number:
		if n, ok := value.Int(); ok {
			return n
		}
	}
	return term.String()
}

// customPackages lists the packages that may object, each as the steps below
// custom. Rules in deeper packages than rego/gavel/custom reads would never be
// asked, so they are an error.
func customPackages(modules map[string]*ast.Module) (*ast.Term, error) {
	var wrong []gavel.Problem
	found := map[string][]string{}
	for _, module := range modules {
		name := packageName(module)
		if !below(name, "custom") || !objects(module) {
			continue
		}
		steps := strings.Split(name, ".")[1:]
		if len(steps) > 3 {
			at := module.Package.Location
			wrong = append(wrong, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
				Message: fmt.Sprintf("package %s is nested too deeply for its rules to be asked", name),
				Fix:     "use at most three levels below custom"})
		}
		found[name] = steps
	}
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

// objects reports whether a module has a rule deny or ask.
func objects(module *ast.Module) bool {
	return slices.ContainsFunc(module.Rules, func(rule *ast.Rule) bool {
		name := rule.Head.Ref()[0].Value.String()
		return strings.Trim(name, `"`) == "deny" || strings.Trim(name, `"`) == "ask"
	})
}
