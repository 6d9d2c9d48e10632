package bundles

import (
	"fmt"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
)

// Some OPA functions do not check for cancellation while they run, and may take unlimited
// time and memory. A policy's own Rego calls replacements that check the size of the
// arguments first. Arguments that are too large are an error, and an error denies.

// boundedPrefix is the name prefix of bounded functions.
const boundedPrefix = "gavel_bounded."

// bound checks the arguments of a function, and returns why they are refused.
type bound func(args []*ast.Term) error

// boundsOf is the table of functions that are bounded.
func boundsOf() map[string]bound {
	table := map[string]bound{
		"product":            func(args []*ast.Term) error { return digits(maxDigits, elements(args[0])...) },
		"sum":                func(args []*ast.Term) error { return eachNumber(elements(args[0])) },
		"numbers.range":      func(args []*ast.Term) error { return spans(args[0], args[1]) },
		"numbers.range_step": func(args []*ast.Term) error { return spans(args[0], args[1]) },
		"net.cidr_expand":    func(args []*ast.Term) error { return network(args[0]) },
		"net.cidr_contains_matches": func(args []*ast.Term) error {
			return most("networks times networks", size(args[0])*size(args[1]), maxPairs)
		},
		"net.cidr_merge": func(args []*ast.Term) error { return most("networks", size(args[0]), maxPatches) },
		"indexof":        search,
		"indexof_n":      search,
		"replace": func(args []*ast.Term) error {
			return most("bytes of output", grown(args[0], size(args[2])), maxText)
		},
		"strings.replace_n": func(args []*ast.Term) error {
			widest := 0
			for _, value := range elements(args[0]) {
				widest = max(widest, size(value))
			}
			return most("bytes of output", grown(args[1], widest), maxText)
		},
		"concat":  joined,
		"sprintf": formatted,
		"regex.replace": func(args []*ast.Term) error {
			if err := most("bytes of text", size(args[0]), maxSearch); err != nil {
				return err
			}
			return most("bytes of output", grown(args[0], size(args[2])+strings.Count(said(args[2]), "$")*size(args[0])), maxText)
		},
		"object.subset": func(args []*ast.Term) error {
			return most("steps", nodes(args[0])*nodes(args[1]), maxProduct)
		},
		"json.patch":           func(args []*ast.Term) error { return most("patches", size(args[1]), maxPatches) },
		"units.parse":          amount,
		"units.parse_bytes":    amount,
		"regex.template_match": func(args []*ast.Term) error { return matched(args[0], args[1]) },
	}
	for _, name := range []string{"plus", "minus", "mul", "div", "rem", "abs", "round", "ceil", "floor", "format_int",
		"bits.and", "bits.or", "bits.xor", "bits.negate", "bits.rsh"} {
		table[name] = eachNumber
	}
	for _, name := range []string{"regex.match", "re_match"} {
		table[name] = func(args []*ast.Term) error { return matched(args[0], args[1]) }
	}
	for _, name := range []string{"regex.find_n", "regex.find_all_string_submatch_n", "regex.split"} {
		table[name] = func(args []*ast.Term) error {
			if err := most("bytes of text", size(args[1]), maxSearch); err != nil {
				return err
			}
			return matched(args[0], args[1])
		}
	}
	return table
}

// boundedFunctions are the replacements for the functions of [boundsOf].
func boundedFunctions() []func(*rego.Rego) {
	var list []func(*rego.Rego)
	for name, refuse := range boundsOf() {
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

// bindBounds makes the policy's own modules call the bounded functions. It runs after
// compilation, so types, indices and locations are unchanged.
func bindBounds(compiler *ast.Compiler) error {
	table := boundsOf()
	var wrong []gavel.Problem
	for name, module := range compiler.Modules {
		if strings.HasPrefix(name, builtinPrefix) {
			continue
		}
		ast.WalkExprs(module, func(e *ast.Expr) bool {
			terms, call := e.Terms.([]*ast.Term)
			if !call {
				return false
			}
			called := terms[0].String()
			if called == "json.match_schema" || called == "json.verify_schema" {
				if packageName(module) != "gavel.check" { // the policy's own root, which checks the configuration
					wrong = append(wrong, gavel.Problem{File: strings.TrimPrefix(e.Location.File, "/"), Line: e.Location.Row, Column: e.Location.Col,
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
	sortProblems(wrong)
	return problems(wrong)
}
