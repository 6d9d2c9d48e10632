package bundles

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"gavel/bundles/builtins"
	"gavel/bundles/config"
	"gavel/internal/regoir"
)

// PreparedTest is a Rego test that can be run many times, for benchmarks.
type PreparedTest struct {
	Name      string // package and rule
	Evaluator Evaluator
	Run       func(context.Context) error
}

// PrepareTests returns the Rego tests of a policy, once for each evaluator. Tests that cannot be
// compiled are returned for topdown only.
func PrepareTests(ctx context.Context, cfg Config) ([]PreparedTest, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, err := readPolicy(cfg, nil)
	if err != nil {
		return nil, err
	}
	if _, err := newSnapshot(ctx, cfg, p); err != nil || !p.tested {
		return nil, err
	}
	if p.parsed, err = p.compilation.get(); err != nil {
		return nil, err
	}
	compiler, err := p.compileTests()
	if err != nil {
		return nil, err
	}
	instance, err := p.compileTestPlans(compiler, p.testNames())
	if err != nil {
		return nil, err
	}
	var runs []PreparedTest
	for _, name := range p.testNames() {
		walk, err := p.prepareTopdownTest(ctx, compiler, name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, PreparedTest{strings.TrimPrefix(name, "data."), Topdown, walk})
		if instance != nil {
			runs = append(runs, PreparedTest{strings.TrimPrefix(name, "data."), Compiled, func(ctx context.Context) error {
				_, err := instance.EvalRule(ctx, name, nil)
				return err
			}})
		}
	}
	return runs, nil
}

// testNames returns the references of the tests of a policy, each once.
func (p *policy) testNames() []string {
	var names []string
	for _, module := range p.parsed.tests {
		for _, rule := range module.Rules {
			ref := rule.Head.Ref()
			if name, ok := ref[0].Value.(ast.Var); ok && len(ref) == 1 && strings.HasPrefix(string(name), "test_") {
				names = append(names, module.Package.Path.String()+"."+string(name))
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// compileTests compiles a policy with its tests.
func (p *policy) compileTests() (*ast.Compiler, error) {
	modules := maps.Clone(p.parsed.modules)
	maps.Copy(modules, p.parsed.tests)
	compiler := newTestCompiler()
	if compiler.Compile(modules); compiler.Failed() { // perhaps a recursion, which this compiler locates
		compiler = ast.NewCompiler().WithCapabilities(builtins.Capabilities())
		compiler.Compile(modules)
	}
	if compiler.Failed() {
		return nil, policyError(opaProblems(compiler.Errors))
	}
	return compiler, nil
}

// compileTestPlans compiles the plans of tests. It returns nil if only topdown can run them.
func (p *policy) compileTestPlans(compiler *ast.Compiler, names []string) (*regoir.Instance, error) {
	if len(names) == 0 || regoir.PlannerDisagreement(compiler) != "" {
		return nil, nil
	}
	program, err := compilePlan(compiler, names...)
	var unsupported *regoir.UnsupportedError
	if errors.As(err, &unsupported) || errors.Is(err, errPlan) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("compile the policy's tests: %w", err)
	}
	value, err := ast.InterfaceToValue(p.parsed.testData(p.document))
	if err != nil {
		return nil, fmt.Errorf("read the policy's data: %w", err)
	}
	return program.Bind(value), nil
}

// testData returns the data for tests, including the configuration.
func (s *compilation) testData(document *config.Document) map[string]any {
	data := maps.Clone(s.data)
	data["config"] = map[string]any(document.Data)
	return data
}

// prepareTopdownTest returns a function that runs a test with topdown.
func (p *policy) prepareTopdownTest(ctx context.Context, compiler *ast.Compiler, name string) (func(context.Context) error, error) {
	query, err := rego.New(rego.Compiler(compiler), rego.Store(inmem.NewFromObject(p.parsed.testData(p.document))), rego.Query(name),
		rego.StrictBuiltinErrors(true), rego.GenerateJSON(keepTerm)).PrepareForEval(ctx)
	if err != nil {
		return nil, fmt.Errorf("prepare %s: %w", name, err)
	}
	return func(ctx context.Context) error {
		if _, err := query.Eval(ctx, rego.EvalMetrics(metrics.NoOp())); err != nil {
			return fmt.Errorf("evaluate %s: %w", name, err)
		}
		return nil
	}, nil
}
