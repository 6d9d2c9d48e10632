package rego_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/rego"
)

// OPA looks the arguments of a call up before the call, also where the call is negated. So
// `not contains(input.x, "a")` does not hold if input.x is missing, and neither does the rule:
// a rule that denies is silent then.
func TestNoNegatedCallReadsWhatMayBeMissing(t *testing.T) {
	compiler := compiled(t, modules(t))
	optional := optionalFacts(t)
	require.Contains(t, optional, "refusal", "the schema of the facts has no members that may be missing")
	for _, found := range doubtfulNegations(compiler, optional) {
		t.Errorf("%s: %s may be missing, and then the rule does not hold: ask for it before, or negate a helper that looks at it", found.at, found.ref)
	}
}

func TestADoubtfulNegationIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		rule string
		want int
	}{
		"a member that may be missing":            {`deny if not startswith(input.exec.refusal.kind, "a")`, 1},
		"one in a list of what is good":           {`deny if not input.exec.refusal.kind in {"a"}`, 1},
		"one that a function of ours gets":        {"deny if not _f(input.refusal)\n_f(x) if x", 1},
		"one of an element":                       {`deny if { some one in input.exec.segments; not contains(one.refusal, "a") }`, 1},
		"an element of a list":                    {`deny if not startswith(input.exec.argv[0], "/")`, 1},
		"a member under a name of the call":       {`deny if not "a" in data.gavel.catalog.known[input.tool.name]`, 1},
		"the value of a rule that may be silent":  {"deny if not startswith(_x, \"a\")\n_x := \"b\" if input.tool.name == \"c\"", 1},
		"one that the rule asks for":              {`deny if { startswith(input.exec.refusal.kind, "a"); not endswith(input.exec.refusal.kind, "b") }`, 0},
		"one that has a name before":              {`deny if { kind := input.exec.refusal.kind; not startswith(kind, "a") }`, 0},
		"one that a helper looks at":              {"deny if not _good\n_good if startswith(input.exec.refusal.kind, \"a\")", 0},
		"one that is compared":                    {`deny if not input.exec.refusal.kind == "a"`, 0},
		"a member that is always there":           {`deny if not startswith(input.tool.name, "a")`, 0},
		"the value of a rule that has a default":  {"deny if not startswith(_x, \"a\")\ndefault _x := \"\"\n_x := \"b\" if input.tool.name == \"c\"", 0},
		"a set, which is empty if nothing is in":  {"deny if not \"a\" in _x\n_x contains input.tool.name", 0},
		"the value of a rule that passes on one":  {"deny if not startswith(_x, \"a\")\n_x := input.exec.refusal.kind", 1},
		"a table of the catalog":                  {`deny if not input.tool.name in data.gavel.catalog.known`, 0},
		"the value of a rule without a condition": {"deny if not startswith(_x, \"a\")\n_x := \"b\"", 0},
	} {
		t.Run(name, func(t *testing.T) {
			module, err := ast.ParseModule("a.rego", "package gavel.a\n"+c.rule)
			require.NoError(t, err)
			found := doubtfulNegations(compiled(t, map[string]*ast.Module{"a.rego": module}), map[string]bool{"refusal": true})
			assert.Len(t, found, c.want, "%v", found)
		})
	}
}

// negation is an argument of a negated call.
type negation struct {
	at  string // file and line
	ref ast.Ref
}

// doubtfulNegations are the arguments of negated calls that may be missing. The compiler has
// given each argument that is a reference a variable of its own, before the call.
func doubtfulNegations(compiler *ast.Compiler, optional map[string]bool) []negation {
	var found []negation
	for _, module := range compiler.Modules {
		ast.WalkBodies(module, func(body ast.Body) bool {
			arguments, asked := references(body)
			for _, e := range body {
				if !e.Negated || !e.IsCall() {
					continue
				}
				for _, operand := range e.Operands() {
					ref, ok := arguments[operand.String()]
					if ok && !asked[ref.String()] && mayBeMissing(compiler, ref, optional) {
						found = append(found, negation{fmt.Sprintf("%s:%d", e.Location.File, e.Location.Row), ref})
					}
				}
			}
			return false
		})
	}
	return found
}

// references are the references behind variables that the compiler made for the arguments of
// negated calls, and those that other conditions of the body demand.
func references(body ast.Body) (arguments map[string]ast.Ref, asked map[string]bool) {
	arguments, asked = map[string]ast.Ref{}, map[string]bool{}
	negated := map[string]bool{}
	for _, e := range body {
		if e.Negated {
			for _, operand := range e.Operands() {
				negated[operand.String()] = true
			}
		}
	}
	for _, e := range body {
		if e.Generated && e.IsEquality() && negated[e.Operand(0).String()] {
			if ref, ok := e.Operand(1).Value.(ast.Ref); ok {
				arguments[e.Operand(0).String()] = ref
				continue
			}
		}
		if !e.Negated {
			ast.WalkRefs(e, func(ref ast.Ref) bool {
				asked[ref.String()] = true
				return false
			})
		}
	}
	return arguments, asked
}

// mayBeMissing reports whether a reference can be undefined: it has a step that is not a name, or
// the name of a fact that not every call has, or leads to a rule that does not always hold.
func mayBeMissing(compiler *ast.Compiler, ref ast.Ref, optional map[string]bool) bool {
	if !ref.IsGround() {
		return true
	}
	if isData(ref) {
		return false
	}
	if ref.HasPrefix(ast.DefaultRootRef) {
		return !slices.ContainsFunc(compiler.GetRulesForVirtualDocument(ref), func(rule *ast.Rule) bool { return always(compiler, rule, optional) })
	}
	return slices.ContainsFunc(ref[1:], func(step *ast.Term) bool {
		name, ok := step.Value.(ast.String)
		return !ok || optional[string(name)]
	})
}

// always reports whether a rule has a value for every input: by a default, as a set or an
// object, or because its value is all there is of it, and is made of what is never missing.
func always(compiler *ast.Compiler, rule *ast.Rule, optional map[string]bool) bool {
	if rule.Default || rule.Head.Key != nil {
		return true
	}
	for _, e := range rule.Body {
		if e.Generated && e.IsEquality() {
			if ref, ok := e.Operand(1).Value.(ast.Ref); ok && mayBeMissing(compiler, ref, optional) {
				return false
			}
		} else if whole, ok := e.Terms.(*ast.Term); !e.Generated && !(ok && whole.Equal(ast.BooleanTerm(true))) {
			return false
		}
	}
	return true
}

// optionalFacts are the names of the facts that the schema does not require somewhere. Facts
// without one that it requires are denied (gavel.agent.complete).
func optionalFacts(t *testing.T) map[string]bool {
	t.Helper()
	var schema any
	require.NoError(t, json.Unmarshal(rego.FactsSchema, &schema))
	found := map[string]bool{}
	var walk func(any)
	walk = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, child := range node {
				walk(child)
			}
		case map[string]any:
			members, _ := node["properties"].(map[string]any)
			required, _ := node["required"].([]any)
			for name := range members {
				if !slices.Contains(required, any(name)) {
					found[name] = true
				}
			}
			for _, child := range node {
				walk(child)
			}
		}
	}
	walk(schema)
	return found
}
