package bundles

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"

	"gavel"
)

// addModules combines the parsed modules of the policy with the shipped ones. If the policy has
// packages below gavel, it replaces the gavel root, and no shipped module is used.
func (p *policy) addModules(cache *CompileCache, builtin files, loaded bundle.Bundle, parallelism int) error {
	parsed := p.parsed
	parsed.modules = map[string]*ast.Module{}
	var problems []gavel.Problem
	for _, file := range loaded.Modules {
		at := file.Parsed.Package.Location
		switch name := packageName(file.Parsed); {
		case strings.HasSuffix(file.Path, "_test.rego"):
			parsed.tests[file.Path], p.tested = file.Parsed, true
			problems = append(problems, objectionsInTestFile(file.Parsed)...)
			continue
		case isBelow(name, "gavel"):
			if !p.replacesRoot && !hasPackage(loaded.Modules, "gavel.decision") {
				problems = append(problems, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
					Message: fmt.Sprintf("package %s replaces the whole shipped policy, and the policy has no rule %s", name, queryResult),
					Fix:     "use package custom for rules deny and ask, or copy the shipped rego folder whole"})
			}
			p.replacesRoot = true
		case !isBelow(name, "custom") && name != "system.log":
			problems = append(problems, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
				Message: fmt.Sprintf("nothing reads package %s", name),
				Fix:     "use package custom, or one below it, for rules deny and ask, and package system.log for mask"})
		}
		parsed.modules[file.Path], p.ownRego = file.Parsed, true
	}
	if err := policyError(problems); err != nil {
		return err
	}
	parsed.data = map[string]any{}
	if !p.replacesRoot {
		root, err := cache.parseBuiltin(builtin.without(analyzerTables(builtin)), parallelism)
		if err != nil {
			return err
		}
		for _, file := range root.Modules {
			parsed.modules[builtinPrefix+strings.TrimPrefix(file.Path, "/")] = file.Parsed
		}
		maps.Copy(parsed.data, root.Data)
	}
	return p.addData(loaded.Data)
}

// hasPackage reports whether one of the modules has a package.
func hasPackage(modules []bundle.ModuleFile, name string) bool {
	return slices.ContainsFunc(modules, func(file bundle.ModuleFile) bool {
		return packageName(file.Parsed) == name && !strings.HasSuffix(file.Path, "_test.rego")
	})
}

// addData combines the data of the policy with that of the shipped modules.
func (p *policy) addData(data map[string]any) error {
	for key, value := range data {
		reserved := key == "custom" || key == "system" || (key == "gavel" && !p.replacesRoot)
		if reserved {
			return newPolicyError("data", fmt.Sprintf("the policy's data has the key %q, which is reserved for Gavel", key), "use another key")
		}
		p.parsed.data[key] = value
	}
	return nil
}

// analyzerTables returns the names of the shipped files that only the analyzer reads. They are part
// of the revision, but not of the data of the policy: what they say about a call becomes facts.
func analyzerTables(builtin files) (names []string) {
	for name := range builtin {
		if isAnalyzerTable(name) {
			names = append(names, name)
		}
	}
	return names
}

func isAnalyzerTable(name string) bool {
	below := strings.HasPrefix(name, "gavel/catalog/programs/") || strings.HasPrefix(name, "gavel/catalog/analysis/")
	return below && strings.HasSuffix(name, ".yaml")
}
