package bundles

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"

	"gavel"
	"gavel/bundles/config"
)

// builtinPrefix is the name prefix of the built-in policy's modules.
const builtinPrefix = "built-in/"

// program is a policy without its configuration: Rego and data. It never changes once it is
// compiled. Most policy changes affect only the configuration, and compiling is most of the
// work of loading, so a snapshot passes its program on to the next.
type program struct {
	identity string         // of everything it was made from
	reader   *config.Reader // of the configuration
	inline   bool           // the configuration stood among the data
	ownRego  bool           // the policy has Rego other than tests
	ownRoot  bool           // the policy has its own package gavel, which replaces the built-in one
	tested   bool           // the policy has *_test.rego
	// restored is true if an earlier process kept the program. Then it has no reader.
	restored bool
	// parts are what only explanations, tests and the like need once the queries are planned.
	parts      briefly[*parts]
	layerNames atomic.Pointer[[]string] // of the layers, in order; nil before the policy was asked
	defined    []string                 // which of the queries have rules
	base       ast.Object               // the data; stores share its members, which are read-only
	plans      plans
	words      map[string]words
	known      map[string]bool // tools that every frozen part covers
	masks      bool            // data.system.log.mask exists
	misindexed bool            // topdown's index loses rules
	// customPackages are the packages below custom with rules deny or ask.
	customPackages *ast.Term
	unread         []gavel.Problem // rules that no rule reads, and data that nothing defines
}

// parts are what a program is compiled from, and its compiler.
type parts struct {
	reader *config.Reader
	// Parsed: the modules in force, including the built-in ones, the policy's own
	// *_test.rego, and data. After compilation they are kept only for tests.
	modules map[string]*ast.Module
	tests   map[string]*ast.Module
	data    map[string]any

	compiler *ast.Compiler
}

// add combines modules and data. A policy with packages below gavel has its own root, and
// then the built-in root is left out completely.
func (p *policy) add(programs *Programs, builtin files, brought bundle.Bundle, atOnce int) error {
	made := p.made
	made.modules = map[string]*ast.Module{}
	var wrong []gavel.Problem
	for _, file := range brought.Modules {
		at := file.Parsed.Package.Location
		switch name := packageName(file.Parsed); {
		case strings.HasSuffix(file.Path, "_test.rego"):
			made.tests[file.Path], p.tested = file.Parsed, true
			wrong = append(wrong, misplaced(file.Parsed)...)
			continue
		case below(name, "gavel"):
			p.ownRoot = true
		case !below(name, "custom") && name != "system.log":
			wrong = append(wrong, gavel.Problem{File: strings.TrimPrefix(at.File, "/"), Line: at.Row, Column: at.Col,
				Message: fmt.Sprintf("nothing reads package %s", name),
				Fix:     "use package custom, or one below it, for rules deny and ask, and package system.log for mask"})
		}
		made.modules[file.Path], p.ownRego = file.Parsed, true
	}
	if err := problems(wrong); err != nil {
		return err
	}
	made.data = map[string]any{}
	if !p.ownRoot {
		root, err := programs.parseRoot(builtin.without(analyzerTables(builtin)), atOnce)
		if err != nil {
			return err
		}
		for _, file := range root.Modules {
			made.modules[builtinPrefix+strings.TrimPrefix(file.Path, "/")] = file.Parsed
		}
		maps.Copy(made.data, root.Data)
	}
	return p.addData(brought.Data)
}

func (p *policy) addData(data map[string]any) error {
	for key, value := range data {
		reserved := key == "custom" || key == "system" || (key == "gavel" && !p.ownRoot)
		if reserved {
			return problem("data", fmt.Sprintf("the policy's data has the key %q, which is reserved for Gavel", key), "use another key")
		}
		p.made.data[key] = value
	}
	return nil
}

// analyzerTables are the built-in files that only the analyzer reads; what they say about a
// call becomes facts. They are part of the policy, and so of its revision, but not of its
// data.
func analyzerTables(builtin files) (names []string) {
	for name := range builtin {
		if ofAnalyzer(name) {
			names = append(names, name)
		}
	}
	return names
}

func ofAnalyzer(name string) bool {
	below := strings.HasPrefix(name, "gavel/catalog/programs/") || strings.HasPrefix(name, "gavel/catalog/analysis/")
	return below && strings.HasSuffix(name, ".yaml")
}

// compile compiles the program, unless it is another policy's. One that is proven was checked before.
func (p *policy) compile(cfg Config) error {
	made := p.made
	if made == nil {
		return nil
	}
	var skipped []ast.StageID
	if !p.ownRego || p.proven && !replaces(made.modules) {
		skipped = checks()
	}
	modules, err := typed(made.modules)
	if err != nil {
		return err
	}
	compiler, err := compileModules(cfg, modules, skipped...)
	if err != nil {
		return err
	}
	if err := bindBounds(compiler); err != nil {
		return err
	}
	if p.customPackages, err = customPackages(made.modules); err != nil {
		return err
	}
	if p.ownRego && !p.ownRoot && !p.proven {
		wrong, warnings := unread(compiler)
		p.unread = slices.Concat(warnings, undefined(compiler, made.data), misnamed(compiler, made.data), unclear(compiler))
		if wrong = append(wrong, maskProblems(compiler)...); len(wrong) > 0 {
			return problems(wrong)
		}
	}
	value, err := ast.InterfaceToValue(made.data)
	if err != nil {
		return internal("read the policy's data", err)
	}
	object, ok := value.(ast.Object)
	if !ok {
		return fmt.Errorf("the policy's data is not an object")
	}
	p.base, p.words, p.known = object, wordsOf(compiler), coreTools(made.data)
	p.masks = masks(compiler, made.data)
	p.misindexed = p.ownRego && misindexed(compiler, p.ownRoot)
	p.defined = definedIn(compiler, compiledQueries())
	if made.compiler = compiler; !p.tested {
		made.modules, made.data = nil, nil
	}
	p.parts.put(made)
	return nil
}

// with is the program's data with a configuration, and what overrides it.
func (p *program) with(document *config.Document, overrides Overrides) (ast.Object, error) {
	configured, err := ast.InterfaceToValue(map[string]any(document.Data))
	if err != nil {
		return nil, internal("read the configuration", err)
	}
	data := ast.NewObject(field("config", ast.NewTerm(configured)))
	p.base.Foreach(data.Insert)
	overrides.insert(data)
	return data, nil
}

func compileModules(cfg Config, modules map[string]*ast.Module, skipped ...ast.StageID) (*ast.Compiler, error) {
	var facts any
	if err := json.Unmarshal(cfg.FactsSchema, &facts); err != nil {
		return nil, internal("read the schema of the facts", err)
	}
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.MustParseRef("schema.facts"), facts)
	compiled := func(skipped ...ast.StageID) *ast.Compiler {
		compiler := ast.NewCompiler().WithStrict(true).WithCapabilities(capabilities()).
			WithSchemas(schemas).WithUseTypeCheckAnnotations(true).WithEnablePrintStatements(false).
			WithSkipStages(skipped...)
		compiler.Compile(modules)
		return compiler
	}
	// OPA looks for recursion from each rule, which takes a quarter of compiling a policy's own
	// Rego. Rules that can be put in an order have none; for others OPA says where it is.
	compiler := compiled(append(skipped, ast.StageCheckRecursion)...)
	if compiler.Graph != nil {
		if _, ordered := compiler.Graph.Sort(); !ordered {
			compiler = compiled(skipped...)
		}
	}
	if compiler.Failed() {
		return nil, problems(compilerProblems(compiler))
	}
	return compiler, nil
}

// checks are the compiler stages that only look for mistakes, and the stages that exist only
// for them; they change no rule. The built-in modules passed them at release time (make
// check), so a start can skip them, which saves 60 of 150 ms. A policy's own Rego may
// conflict with the built-in modules, and then everything is checked. The skipped stages
// include types, which a query needs to call a function and a rule needs to replace one by
// with: a snapshot's queries are references, and no shipped rule uses with.
func checks() []ast.StageID {
	return []ast.StageID{
		ast.StageCheckUnusedImports, ast.StageCheckKeywordOverrides, ast.StageCheckDuplicateImports, ast.StageCheckVoidCalls,
		ast.StageParseMetadataBlocks, // of modules that were parsed without them
		ast.StageSetGraph, ast.StageCheckRuleConflicts, ast.StageCheckUndefinedFuncs, ast.StageCheckSafetyRuleHeads,
		ast.StageCheckRecursion, ast.StageCheckTypes, ast.StageCheckUnsafeBuiltins, ast.StageCheckDeprecatedBuiltins,
		ast.StageBuildRequiredCapabilities,
	}
}

// masks reports whether rules or data define data.system.log.mask, or a parent of it.
func masks(compiler *ast.Compiler, data map[string]any) bool {
	_, base := data["system"]
	return base || len(compiler.GetRulesWithPrefix(ast.MustParseRef("data.system"))) > 0
}

// coreTools are the names that every frozen part covers, whatever the call.
func coreTools(data map[string]any) map[string]bool {
	known := map[string]bool{}
	gavelData, _ := data["gavel"].(map[string]any)
	catalog, _ := gavelData["catalog"].(map[string]any)
	tools, _ := catalog["tools"].(map[string]any)
	for name := range tools {
		known[name] = true
	}
	ungrouped, _ := catalog["ungrouped"].([]any)
	for _, name := range ungrouped {
		if text, ok := name.(string); ok {
			known[text] = true
		}
	}
	return known
}
