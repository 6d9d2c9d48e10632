package bundles

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/bundles/builtins"
	"gavel/bundles/config"
)

// builtinPrefix is the prefix of the names of shipped modules.
const builtinPrefix = "built-in/"

// compiledRego is a policy without its configuration: its Rego and data, with the shipped ones,
// compiled. It never changes. Most changes of a policy affect only the configuration, and compiling
// takes most of the time of a load, so a snapshot passes it to the next.
type compiledRego struct {
	identity     string         // hash of everything it was made from
	reader       *config.Reader // of the configuration; nil if restored
	inline       bool           // the configuration is part of the data
	ownRego      bool           // the policy has Rego other than tests
	replacesRoot bool           // the policy has a package gavel, which replaces the shipped one
	tested       bool           // the policy has *_test.rego
	restored     bool           // it comes from a LoadCache

	base           ast.Object // the data; stores share its members, which nobody may change
	texts          map[string]ruleText
	coveredTools   map[string]bool // the tools that every frozen part covers
	customPackages *ast.Term       // the packages below custom that have rules deny or ask
	masks          bool            // data.system.log.mask exists
	skipIndex      bool            // topdown must not use OPA's rule index (indexMayMissRules)
	warnings       []gavel.Problem // rules of the policy that do nothing, or not what their author meant

	defined    []string                 // which of compiledQueries have rules
	layerNames atomic.Pointer[[]string] // the layers in order; nil before a snapshot has asked for them
	plans      compiledPlans
	// compilation is only needed for explanations, tests and the like once all plans are
	// compiled.
	compilation lazy[*compilation]
}

// compilation is what compiledRego is compiled from, and the compiler. It takes most of the memory
// of a policy.
type compilation struct {
	reader *config.Reader
	// The parsed modules in force, including the shipped ones; those of the policy's tests; and
	// the data. Without tests, modules and data are dropped after compilation.
	modules map[string]*ast.Module
	tests   map[string]*ast.Module
	data    map[string]any

	compiler *ast.Compiler
}

// compiler returns the compiler, with the compiled rules.
func (c *compiledRego) compiler() (*ast.Compiler, error) {
	compilation, err := c.compilation.get()
	if err != nil {
		return nil, err
	}
	return compilation.compiler, nil
}

// compile compiles the policy, unless its compiled Rego is reused.
func (p *policy) compile(cfg Config) error {
	parsed := p.parsed
	if parsed == nil {
		return nil
	}
	var skipped []ast.StageID
	if !p.ownRego || p.passedBefore && !usesWith(parsed.modules) {
		skipped = checkStages()
	}
	modules, err := withFactsSchema(parsed.modules)
	if err != nil {
		return err
	}
	compiler, err := compileModules(cfg, modules, skipped...)
	if err != nil {
		return err
	}
	unbounded := builtins.UseBounded(compiler, isShipped)
	sortProblems(unbounded)
	if err := policyError(unbounded); err != nil {
		return err
	}
	if p.customPackages, err = customPackages(parsed.modules); err != nil {
		return err
	}
	if p.ownRego && !p.replacesRoot && !p.passedBefore {
		problems, warnings := unreadRules(compiler)
		p.warnings = slices.Concat(warnings, undefinedData(compiler, parsed.data), impossibleToolNames(compiler, parsed.data), incompleteReasons(compiler))
		if problems = append(problems, maskProblems(compiler)...); len(problems) > 0 {
			return policyError(problems)
		}
	}
	value, err := ast.InterfaceToValue(parsed.data)
	if err != nil {
		return fmt.Errorf("read the policy's data: %w", err)
	}
	base, ok := value.(ast.Object)
	if !ok {
		return fmt.Errorf("the policy's data is not an object")
	}
	p.base, p.texts, p.coveredTools = base, ruleTexts(compiler), coveredTools(parsed.data)
	p.masks = definesMask(compiler, parsed.data)
	p.skipIndex = p.ownRego && indexMayMissRules(compiler, p.replacesRoot)
	p.defined = definedQueries(compiler, compiledQueries())
	if parsed.compiler = compiler; !p.tested {
		parsed.modules, parsed.data = nil, nil
	}
	p.compilation.set(parsed)
	return nil
}

// withConfiguration returns the data of the policy with a configuration and overrides.
func (c *compiledRego) withConfiguration(document *config.Document, overrides Overrides) (ast.Object, error) {
	configured, err := ast.InterfaceToValue(map[string]any(document.Data))
	if err != nil {
		return nil, fmt.Errorf("read the configuration: %w", err)
	}
	data := ast.NewObject(field("config", ast.NewTerm(configured)))
	c.base.Foreach(data.Insert)
	overrides.insert(data)
	return data, nil
}

// compileModules compiles modules, and skips some stages of OPA's compiler.
func compileModules(cfg Config, modules map[string]*ast.Module, skipped ...ast.StageID) (*ast.Compiler, error) {
	var facts any
	if err := json.Unmarshal(cfg.FactsSchema, &facts); err != nil {
		return nil, fmt.Errorf("read the schema of the facts: %w", err)
	}
	schemas := ast.NewSchemaSet()
	schemas.Put(ast.MustParseRef("schema.facts"), facts)
	compile := func(skipped ...ast.StageID) *ast.Compiler {
		compiler := ast.NewCompiler().WithStrict(true).WithCapabilities(builtins.Capabilities()).
			WithSchemas(schemas).WithUseTypeCheckAnnotations(true).WithEnablePrintStatements(false).
			WithSkipStages(skipped...)
		compiler.Compile(modules)
		return compiler
	}
	// OPA's search for recursion starts at every rule, which takes a quarter of the time. If the
	// dependency graph can be sorted, there is no recursion. Otherwise OPA's search says where.
	compiler := compile(append(skipped, ast.StageCheckRecursion)...)
	if compiler.Graph != nil {
		if _, sorted := compiler.Graph.Sort(); !sorted {
			compiler = compile(skipped...)
		}
	}
	if compiler.Failed() {
		return nil, policyError(compilerProblems(compiler))
	}
	return compiler, nil
}

// checkStages returns the stages of OPA's compiler that only look for mistakes, and those that only
// they need. Skipping them changes no rule, and saves 60 of 150 ms when Gavel starts. The shipped
// Rego passed them before it was released (make check). Rego of a policy may conflict with it, so
// then nothing is skipped.
//
// One of the stages computes types. Without types, a query cannot call a function, and "with"
// cannot replace one. The queries of a snapshot are references, and no shipped rule replaces a
// function.
func checkStages() []ast.StageID {
	return []ast.StageID{
		ast.StageCheckUnusedImports, ast.StageCheckKeywordOverrides, ast.StageCheckDuplicateImports, ast.StageCheckVoidCalls,
		ast.StageParseMetadataBlocks, // of modules that were parsed without them
		ast.StageSetGraph, ast.StageCheckRuleConflicts, ast.StageCheckUndefinedFuncs, ast.StageCheckSafetyRuleHeads,
		ast.StageCheckRecursion, ast.StageCheckTypes, ast.StageCheckUnsafeBuiltins, ast.StageCheckDeprecatedBuiltins,
		ast.StageBuildRequiredCapabilities,
	}
}

// usesWith reports whether a module of the policy uses "with", which may need types (checkStages).
func usesWith(modules map[string]*ast.Module) (found bool) {
	for name, module := range modules {
		if isShipped(name) {
			continue
		}
		ast.WalkWiths(module, func(*ast.With) bool {
			found = true
			return true
		})
	}
	return found
}

// isShipped reports whether a module is part of the shipped policy.
func isShipped(module string) bool { return strings.HasPrefix(module, builtinPrefix) }

// definesMask reports whether rules or data define data.system.log.mask, or a parent of it.
func definesMask(compiler *ast.Compiler, data map[string]any) bool {
	_, base := data["system"]
	return base || len(compiler.GetRulesWithPrefix(ast.MustParseRef("data.system"))) > 0
}
