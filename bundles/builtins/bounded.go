package builtins

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
)

// Some of OPA's functions do not check for cancellation while they run, and may need unlimited
// time and memory. A policy's own Rego calls replacements that check the size of the arguments
// first. Arguments that are too large are an error, and an error denies.

// boundedPrefix is the prefix of the names of bounded functions.
const boundedPrefix = "gavel_bounded."

// argumentCheck returns an error if arguments are too large.
type argumentCheck func(args []*ast.Term) error

// argumentChecks is the table of bounded functions, by OPA's name.
func argumentChecks() map[string]argumentCheck {
	table := map[string]argumentCheck{
		"product":            func(args []*ast.Term) error { return checkDigits(maxDigits, elements(args[0])...) },
		"sum":                func(args []*ast.Term) error { return checkNumbers(elements(args[0])) },
		"numbers.range":      func(args []*ast.Term) error { return checkRange(args[0], args[1]) },
		"numbers.range_step": func(args []*ast.Term) error { return checkRange(args[0], args[1]) },
		"net.cidr_expand":    func(args []*ast.Term) error { return checkNetwork(args[0]) },
		"net.cidr_contains_matches": func(args []*ast.Term) error {
			return checkMax("pairs of networks", size(args[0])*size(args[1]), maxPairs)
		},
		"net.cidr_merge": func(args []*ast.Term) error { return checkMax("networks", size(args[0]), maxPatches) },
		"indexof":        checkSearch,
		"indexof_n":      checkSearch,
		"replace": func(args []*ast.Term) error {
			return checkMax("bytes of output", maxReplaced(args[0], size(args[2])), maxOutput)
		},
		"strings.replace_n": func(args []*ast.Term) error {
			widest := 0
			for _, value := range elements(args[0]) {
				widest = max(widest, size(value))
			}
			return checkMax("bytes of output", maxReplaced(args[1], widest), maxOutput)
		},
		"concat":  checkConcat,
		"sprintf": checkFormat,
		"regex.replace": func(args []*ast.Term) error {
			if err := checkMax("bytes of text", size(args[0]), maxScanned); err != nil {
				return err
			}
			return checkMax("bytes of output", maxReplaced(args[0], size(args[2])+strings.Count(stringValue(args[2]), "$")*size(args[0])), maxOutput)
		},
		"object.subset": func(args []*ast.Term) error {
			return checkMax("steps", countNodes(args[0])*countNodes(args[1]), maxSteps)
		},
		"json.patch":           func(args []*ast.Term) error { return checkMax("patches", size(args[1]), maxPatches) },
		"units.parse":          checkUnits,
		"units.parse_bytes":    checkUnits,
		"regex.template_match": func(args []*ast.Term) error { return checkMatch(args[0], args[1]) },
	}
	for _, name := range []string{"plus", "minus", "mul", "div", "rem", "abs", "round", "ceil", "floor", "format_int",
		"bits.and", "bits.or", "bits.xor", "bits.negate", "bits.rsh"} {
		table[name] = checkNumbers
	}
	for _, name := range []string{"regex.match", "re_match"} {
		table[name] = func(args []*ast.Term) error { return checkMatch(args[0], args[1]) }
	}
	for _, name := range []string{"regex.find_n", "regex.find_all_string_submatch_n", "regex.split"} {
		table[name] = func(args []*ast.Term) error {
			if err := checkMax("bytes of text", size(args[1]), maxScanned); err != nil {
				return err
			}
			return checkMatch(args[0], args[1])
		}
	}
	return table
}

// Bounded returns the options that make the bounded functions known to a query. Every query over
// rules that [UseBounded] has changed needs them.
func Bounded() []func(*rego.Rego) {
	var list []func(*rego.Rego)
	for name, refuse := range argumentChecks() {
		original, builtin := topdown.GetBuiltin(name), ast.BuiltinMap[name]
		arity := builtin.Decl.Arity()
		list = append(list, rego.FunctionDyn(&rego.Function{Name: boundedPrefix + name, Decl: builtin.Decl},
			func(bctx topdown.BuiltinContext, args []*ast.Term) (*ast.Term, error) {
				if err := refuse(args[:arity]); err != nil {
					return nil, fmt.Errorf("%s: %w", name, err)
				}
				var result *ast.Term
				err := original(bctx, args, func(term *ast.Term) error { result = term; return nil })
				return result, err
			}))
	}
	return list
}

// UseBounded makes modules of a compiler call the bounded functions, except the trusted ones. It
// runs after compilation, so that types, indices and locations stay those of the originals. It
// returns the calls of functions that no check can bound.
func UseBounded(compiler *ast.Compiler, trusted func(module string) bool) (problems []gavel.Problem) {
	table := argumentChecks()
	for name, module := range compiler.Modules {
		if trusted(name) {
			continue
		}
		ast.WalkExprs(module, func(e *ast.Expr) bool {
			terms, call := e.Terms.([]*ast.Term)
			if !call {
				return false
			}
			called := terms[0].String()
			if called == "json.match_schema" || called == "json.verify_schema" {
				// A policy that replaces the gavel root checks its configuration with them.
				if !module.Package.Path.Equal(ast.MustParseRef("data.gavel.check")) {
					problems = append(problems, gavel.Problem{File: strings.TrimPrefix(e.Location.File, "/"), Line: e.Location.Row, Column: e.Location.Col,
						Message: called + " is not available: a schema that refers to itself would crash the process",
						Fix:     "write the conditions as rules"})
				}
			}
			if _, bounded := table[called]; bounded {
				terms[0] = ast.NewTerm(ast.Ref{ast.VarTerm(boundedPrefix + called)})
			}
			return false
		})
	}
	return problems
}
