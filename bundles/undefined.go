package bundles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/nearest"
)

// undefined finds references of the policy's own rules to data that neither a rule nor a data
// file defines. OPA takes them for undefined, so such a condition never holds. What is below
// data.config depends on the configuration, and is not looked at.
func undefined(compiler *ast.Compiler, data map[string]any) (warnings []gavel.Problem) {
	config := ast.MustParseRef("data.config")
	seen := map[string]bool{}
	for _, rule := range ownRules(compiler) {
		ast.WalkRefs(rule, func(ref ast.Ref) bool {
			prefix := ref.ConstantPrefix()
			if len(prefix) < 2 || !prefix.HasPrefix(ast.DefaultRootRef) || prefix.HasPrefix(config) || len(compiler.GetRules(prefix)) > 0 {
				return false
			}
			known, names := lookedUp(data, prefix[1:])
			if known == len(prefix)-1 {
				return false
			}
			for len(compiler.GetRulesWithPrefix(prefix[:known+2])) > 0 { // it ends before the whole: that has no rules
				known, names = known+1, nil
			}
			at, missing := rule.Location, prefix[:known+2]
			if location := ref[0].Location; location != nil {
				at = location
			}
			if key := fmt.Sprint(at.File, at.Row, missing); !seen[key] {
				seen[key] = true
				name, _ := missing[known+1].Value.(ast.String)
				warnings = append(warnings, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
					Message: fmt.Sprintf("nothing defines %s, so it has no value", missing),
					Nearest: nearest.Name(string(name), append(names, ruleNames(compiler, prefix[:known+1])...)),
					Fix:     "correct the name, or put the value into data.yaml"})
			}
			return false
		})
	}
	return warnings
}

// ruleNames are the names of packages and rules directly below a reference.
func ruleNames(compiler *ast.Compiler, above ast.Ref) (names []string) {
	for _, rule := range compiler.GetRulesWithPrefix(above) {
		if ref := rule.Ref(); len(ref) > len(above) {
			if name, ok := ref[len(above)].Value.(ast.String); ok {
				names = append(names, string(name))
			}
		}
	}
	return names
}

// lookedUp follows a reference through data, and returns how many of its steps are there, and
// the names that are there instead of the next one. What is below a value that is not an object
// is not looked at.
func lookedUp(data any, steps ast.Ref) (known int, names []string) {
	for i, step := range steps {
		object, ok := data.(map[string]any)
		if !ok {
			return len(steps), nil
		}
		name, _ := step.Value.(ast.String)
		if data, ok = object[string(name)]; !ok {
			return i, slices.Sorted(maps.Keys(object))
		}
	}
	return len(steps), nil
}
