package bundles

import (
	"maps"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// factsForCustom gives the compiler the type of input in package custom and below it, so that
// a misspelt fact is an error, not a rule that never fires.
const factsForCustom = `# METADATA
# scope: subpackages
# schemas:
#   - input: schema.facts
package custom
`

// typed returns the modules with that annotation, if there are any below custom. If a module
// already annotates package custom for its sub-packages, that annotation is completed,
// because only one is allowed.
func typed(modules map[string]*ast.Module) (map[string]*ast.Module, error) {
	custom := false
	for _, module := range modules {
		custom = custom || below(packageName(module), "custom")
	}
	if !custom {
		return modules, nil
	}
	added, err := ast.ParseModuleWithOpts(builtinPrefix+"custom.rego", factsForCustom,
		ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, internal("annotate package custom", err)
	}
	for _, module := range modules {
		for _, annotations := range module.Annotations {
			if packageName(module) == "custom" && annotations.Scope == "subpackages" {
				annotations.Schemas = append(annotations.Schemas, added.Annotations[0].Schemas...)
				return modules, nil
			}
		}
	}
	modules = maps.Clone(modules)
	modules[strings.TrimPrefix(added.Package.Location.File, "/")] = added
	return modules, nil
}
