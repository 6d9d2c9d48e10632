package bundles

import (
	"fmt"
	"maps"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// customAnnotation tells the compiler the type of input in package custom and below, so that a
// misspelt fact is an error and not a rule that never fires.
const customAnnotation = `# METADATA
# scope: subpackages
# schemas:
#   - input: schema.facts
package custom
`

// withFactsSchema returns modules with customAnnotation added, if any module is below custom. If a
// module already annotates package custom with the scope subpackages, it adds the schema there,
// because OPA allows only one such annotation.
func withFactsSchema(modules map[string]*ast.Module) (map[string]*ast.Module, error) {
	custom := false
	for _, module := range modules {
		custom = custom || isBelow(packageName(module), "custom")
	}
	if !custom {
		return modules, nil
	}
	added, err := ast.ParseModuleWithOpts(builtinPrefix+"custom.rego", customAnnotation,
		ast.ParserOptions{ProcessAnnotation: true, RegoVersion: ast.RegoV1})
	if err != nil {
		return nil, fmt.Errorf("annotate package custom: %w", err)
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
