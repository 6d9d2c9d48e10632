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

// undefinedData warns about references in custom rules to data that neither a rule nor a data file
// defines. To OPA they are undefined, so that the condition never holds. References to data.config
// are not examined, because they depend on the configuration.
func undefinedData(compiler *ast.Compiler, data map[string]any) (warnings []gavel.Problem) {
	config := ast.MustParseRef("data.config")
	seen := map[string]bool{}
	for _, rule := range customRules(compiler) {
		ast.WalkRefs(rule, func(ref ast.Ref) bool {
			prefix := ref.ConstantPrefix()
			if len(prefix) < 2 || !prefix.HasPrefix(ast.DefaultRootRef) || prefix.HasPrefix(config) || len(compiler.GetRules(prefix)) > 0 {
				return false
			}
			known, names := resolveInData(data, prefix[1:])
			if known == len(prefix)-1 {
				return false
			}
			// The missing step may be a package or a rule. The loop ends, because the whole
			// reference has no rules.
			for len(compiler.GetRulesWithPrefix(prefix[:known+2])) > 0 {
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
					Nearest: nearest.Name(string(name), append(names, namesBelow(compiler, prefix[:known+1])...)),
					Fix:     "correct the name, or put the value into data.yaml"})
			}
			return false
		})
	}
	return warnings
}

// namesBelow returns the names of packages and rules directly below a reference.
func namesBelow(compiler *ast.Compiler, above ast.Ref) (names []string) {
	for _, rule := range compiler.GetRulesWithPrefix(above) {
		if ref := rule.Ref(); len(ref) > len(above) {
			if name, ok := ref[len(above)].Value.(ast.String); ok {
				names = append(names, string(name))
			}
		}
	}
	return names
}

// resolveInData follows a reference through data. It returns how many steps exist, and the names
// that exist in place of the next one. It does not look below a value that is not an object.
func resolveInData(data any, steps ast.Ref) (known int, names []string) {
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
