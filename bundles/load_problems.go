package bundles

import (
	"errors"
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/bundles/builtins"
	"gavel/internal/nearest"
)

// opaProblems converts OPA's errors into problems with locations.
func opaProblems(err error) []gavel.Problem {
	var known *gavel.PolicyError
	if errors.As(err, &known) {
		return known.Problems
	}
	var several ast.Errors
	if !errors.As(err, &several) {
		return []gavel.Problem{{Message: err.Error()}}
	}
	list := make([]gavel.Problem, 0, len(several))
	for _, e := range several {
		p := gavel.Problem{Message: fmt.Sprintf("%s: %s", e.Code, e.Message)}
		if e.Location != nil {
			p.File, p.Line, p.Column = strings.TrimPrefix(e.Location.File, "/"), e.Location.Row, e.Location.Col
		}
		explainOPA(&p, e)
		list = append(list, p)
	}
	return list
}

// compilerProblems converts the errors of a compiler. If a function does not exist, the problem
// names the nearest one in the same package.
func compilerProblems(compiler *ast.Compiler) []gavel.Problem {
	list := opaProblems(compiler.Errors)
	for i, p := range list {
		_, name, undefined := strings.Cut(p.Message, "undefined function data.")
		if !undefined {
			continue
		}
		last := strings.LastIndexByte(name, '.')
		var functions []string
		for _, module := range compiler.Modules {
			if last < 0 || packageName(module) != name[:last] {
				continue
			}
			for _, rule := range module.Rules {
				if len(rule.Head.Args) > 0 {
					functions = append(functions, constantPath(rule)[0])
				}
			}
		}
		list[i].Nearest = nearest.Name(name[last+1:], functions)
	}
	return list
}

// explainOPA adds the nearest valid name and a fix, which OPA's errors lack.
func explainOPA(p *gavel.Problem, e *ast.Error) {
	if strings.Contains(e.Message, "keyword is required before rule body") || strings.Contains(e.Message, "keyword is required for partial set rules") {
		p.Message += "; the file is written in Rego v0, and Gavel reads Rego v1"
		p.Fix = "rewrite it with: opa fmt --v0-v1 --write FILE"
		return
	}
	if _, name, undefined := strings.Cut(e.Message, "undefined function "); undefined {
		if why, use, ok := builtins.ExplainExcluded(name); ok {
			p.Message, p.Fix = p.Message+", which is not available: "+why, use
			return
		}
		explainFunction(p, name)
		return
	}
	if e.Code == ast.ParseErr && e.Message == "package expected" {
		p.Fix = "begin the file with package custom, or a package below it"
		return
	}
	if e.Code == ast.ParseErr {
		p.Fix = "correct the line, or the one before it: look for a bracket or a value that is missing"
	}
	switch detail := e.Details.(type) {
	case *ast.RefErrInvalidDetail:
		explainReference(p, detail)
	case *ast.UnificationErrDetail:
		p.Message = fmt.Sprintf("%s: these values can never be equal: one is %s, the other %s", e.Code, detail.Left, detail.Right)
		p.Fix = "compare values of the same type; gavel schema facts prints the type of every fact"
	}
}

// explainFunction explains a call of a function that does not exist.
func explainFunction(p *gavel.Problem, name string) {
	p.Fix = "correct the name, or define the function"
	if strings.HasPrefix(name, "data.") {
		p.Fix = "correct the import or the name of the function, or add the file that defines it"
		return
	}
	p.Nearest = nearest.Name(name, builtins.Names())
}

// explainReference explains a reference to something that does not exist in facts, rules or
// data.
func explainReference(p *gavel.Problem, detail *ast.RefErrInvalidDetail) {
	if detail.Pos >= len(detail.Ref) {
		return
	}
	step, ok := detail.Ref[detail.Pos].Value.(ast.String)
	if !ok {
		return
	}
	// OPA's message has the rest of the reference too, with variables that it generated.
	p.Message = fmt.Sprintf("%s: undefined ref: %s", ast.TypeErr, detail.Ref[:detail.Pos+1])
	var names []string
	for _, value := range detail.OneOf {
		if name, ok := value.(ast.String); ok {
			names = append(names, string(name))
		}
	}
	p.Nearest = nearest.Name(string(step), names)
	p.Fix = "correct the name; gavel schema facts prints every fact"
	if len(names) > 0 && len(names) <= 12 {
		p.Fix = fmt.Sprintf("use one of %s; gavel schema facts prints every fact", strings.Join(names, ", "))
	}
}
