package rego_test

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/rego"
)

func TestNoPackageOfThePolicyIsInACycle(t *testing.T) {
	uses := uses(compiled(t, modules(t)))
	require.Contains(t, uses["gavel.decision"], "gavel.decision.layers", "the graph of packages is empty or wrong")
	assert.Empty(t, cycle(uses), "these packages use one another in a circle: move what they share into a package below them")
}

func TestACycleOfPackagesIsFound(t *testing.T) {
	assert.Equal(t, "b → c → b", strings.Join(cycle(map[string][]string{"a": {"b"}, "b": {"c"}, "c": {"b"}}), " → "))
	assert.Empty(t, cycle(map[string][]string{"a": {"b", "c"}, "b": {"c"}}))
}

func TestTheReaderOfTheConfigurationUsesNoOtherPackage(t *testing.T) {
	assert.Empty(t, uses(compiled(t, modules(t)))["gavel.config"])
}

// What is computed once for each context must not read what was remembered of it.
func TestTheFrozenPartDoesNotReadItself(t *testing.T) {
	uses := uses(compiled(t, modules(t)))
	require.NotEmpty(t, uses["gavel.frozen"])
	for name := range reachable(uses, "gavel.frozen") {
		assert.NotContains(t, uses[name], "gavel.frozen", "%s is part of the frozen part", name)
	}
}

func TestNoPackageOfThePolicyHasMoreThanThreeFiles(t *testing.T) {
	files := map[string][]string{}
	for file, module := range modules(t) {
		name := packageOf(module)
		files[name] = append(files[name], file)
		assert.Equal(t, strings.ReplaceAll(path.Dir(file), "/", "."), name, "%s: a package stands in the folder of its name", file)
	}
	for name, list := range files {
		assert.LessOrEqual(t, len(list), 3, "%s has more than three files: %s", name, list)
	}
}

// OPA takes a name that nothing defines for undefined, and the rule never holds.
func TestEveryNameThatTheRulesUseIsDefined(t *testing.T) {
	modules := modules(t)
	compiler := compiled(t, modules)
	for file, module := range compiler.Modules {
		for _, ref := range refs(module) {
			known := len(compiler.GetRulesForVirtualDocument(ref)) > 0 || len(compiler.GetRulesWithPrefix(ref)) > 0
			assert.True(t, known || isData(ref), "%s uses %s, which nothing defines", file, ref)
		}
	}
}

// isData reports whether a reference is one to the tables of the catalog or to the schema.
func isData(ref ast.Ref) bool {
	return strings.HasPrefix(ref.String(), "data.gavel.catalog") || strings.HasPrefix(ref.String(), "data.gavel.config.schema")
}

// modules are the policy's own, without tests, by file.
func modules(t *testing.T) map[string]*ast.Module {
	t.Helper()
	found := map[string]*ast.Module{}
	require.NoError(t, fs.WalkDir(rego.Policy, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".rego") || strings.HasSuffix(file, "_test.rego") {
			return err
		}
		text, err := fs.ReadFile(rego.Policy, file)
		if err != nil {
			return err
		}
		found[file], err = ast.ParseModule(file, string(text))
		return err
	}))
	require.NotEmpty(t, found)
	return found
}

// compiled gives every reference its whole path.
func compiled(t *testing.T, modules map[string]*ast.Module) *ast.Compiler {
	t.Helper()
	compiler := ast.NewCompiler()
	compiler.Compile(modules)
	require.Empty(t, compiler.Errors)
	return compiler
}

// packageOf is the name of a module's package, as in gavel.tools.
func packageOf(module *ast.Module) string {
	return strings.TrimPrefix(module.Package.Path.String(), "data.")
}

// uses lists which packages each package refers to.
func uses(compiler *ast.Compiler) map[string][]string {
	found := map[string][]string{}
	for _, module := range compiler.Modules {
		found[packageOf(module)] = nil
	}
	for _, module := range compiler.Modules {
		name := packageOf(module)
		for _, ref := range refs(module) {
			other := strings.TrimPrefix(ref.String(), "data.")
			for !hasKey(found, other) && strings.Contains(other, ".") {
				other = other[:strings.LastIndex(other, ".")]
			}
			if hasKey(found, other) && other != name && !slices.Contains(found[name], other) {
				found[name] = append(found[name], other)
			}
		}
	}
	return found
}

func hasKey(m map[string][]string, key string) bool {
	_, ok := m[key]
	return ok
}

// refs are a module's references into the policy, as far as they are constant.
func refs(module *ast.Module) []ast.Ref {
	var found []ast.Ref
	ast.WalkRefs(module, func(ref ast.Ref) bool {
		ref = ref.ConstantPrefix()
		if ref.HasPrefix(ast.MustParseRef("data.gavel")) && len(ref) > 3 {
			found = append(found, ref)
		}
		return false
	})
	return found
}

// cycle is a way from a package back to itself, or nothing.
func cycle(uses map[string][]string) []string {
	done := map[string]bool{}
	var way []string
	var visit func(name string) []string
	visit = func(name string) []string {
		if i := slices.Index(way, name); i >= 0 {
			return append(slices.Clone(way[i:]), name)
		}
		if done[name] {
			return nil
		}
		way = append(way, name)
		for _, other := range slices.Sorted(slices.Values(uses[name])) {
			if found := visit(other); found != nil {
				return found
			}
		}
		way, done[name] = way[:len(way)-1], true
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if found := visit(name); found != nil {
			return found
		}
	}
	return nil
}

// reachable are the packages that one uses, and those that they use.
func reachable(uses map[string][]string, from string) map[string]bool {
	found := map[string]bool{}
	next := slices.Clone(uses[from])
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if !found[name] {
			found[name] = true
			next = append(next, uses[name]...)
		}
	}
	return found
}
