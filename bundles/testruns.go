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

	"gavel/bundles/config"
	"gavel/internal/regoir"
)

// TestRun is one Rego test that can be run many times.
type TestRun struct {
	Name      string // package and rule
	Evaluator Evaluator
	Run       func(context.Context) error
}

// TestRuns returns the Rego tests of the policy that cfg names, each for both evaluators. What
// cannot be compiled is only for topdown.
func TestRuns(ctx context.Context, cfg Config) ([]TestRun, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, err := read(cfg, nil)
	if err != nil {
		return nil, err
	}
	if _, err := compile(ctx, cfg, p); err != nil || !p.tested {
		return nil, err
	}
	if p.made, err = p.parts.get(); err != nil {
		return nil, err
	}
	compiler, err := p.compiledTests()
	if err != nil {
		return nil, err
	}
	instance, err := p.plannedTests(compiler, p.testNames())
	if err != nil {
		return nil, err
	}
	var runs []TestRun
	for _, name := range p.testNames() {
		walk, err := p.walkedTest(ctx, compiler, name)
		if err != nil {
			return nil, err
		}
		runs = append(runs, TestRun{strings.TrimPrefix(name, "data."), Topdown, walk})
		if instance != nil {
			runs = append(runs, TestRun{strings.TrimPrefix(name, "data."), Compiled, func(ctx context.Context) error {
				_, err := instance.EvalRule(ctx, name, nil)
				return err
			}})
		}
	}
	return runs, nil
}

// testNames are the tests of the policy, each once.
func (p *policy) testNames() []string {
	var names []string
	for _, module := range p.made.tests {
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

// compiledTests compiles the policy with its tests.
func (p *policy) compiledTests() (*ast.Compiler, error) {
	modules := maps.Clone(p.made.modules)
	maps.Copy(modules, p.made.tests)
	compiler := orderly()
	if compiler.Compile(modules); compiler.Failed() { // OPA says where a recursion is
		compiler = ast.NewCompiler().WithCapabilities(capabilities())
		compiler.Compile(modules)
	}
	if compiler.Failed() {
		return nil, problems(opaProblems(compiler.Errors))
	}
	return compiler, nil
}

// plannedTests compiles tests for the compiled policy; nil for tests that only topdown can run.
func (p *policy) plannedTests(compiler *ast.Compiler, names []string) (*regoir.Instance, error) {
	if len(names) == 0 || regoir.PlannerDisagreement(compiler) != "" {
		return nil, nil
	}
	program, err := planned(compiler, names...)
	var unsupported *regoir.UnsupportedError
	if errors.As(err, &unsupported) || errors.Is(err, errPlan) {
		return nil, nil
	}
	if err != nil {
		return nil, internal("compile the policy's tests", err)
	}
	value, err := ast.InterfaceToValue(p.made.testData(p.document))
	if err != nil {
		return nil, internal("read the policy's data", err)
	}
	return program.Bind(value), nil
}

// testData is the data of tests, with a configuration.
func (made *parts) testData(document *config.Document) map[string]any {
	data := maps.Clone(made.data)
	data["config"] = map[string]any(document.Data)
	return data
}

// walkedTest prepares a test for topdown.
func (p *policy) walkedTest(ctx context.Context, compiler *ast.Compiler, name string) (func(context.Context) error, error) {
	query, err := rego.New(rego.Compiler(compiler), rego.Store(inmem.NewFromObject(p.made.testData(p.document))), rego.Query(name),
		rego.StrictBuiltinErrors(true), rego.GenerateJSON(asTerm)).PrepareForEval(ctx)
	if err != nil {
		return nil, internal("prepare "+name, err)
	}
	return func(ctx context.Context) error {
		if _, err := query.Eval(ctx, rego.EvalMetrics(metrics.NoOp())); err != nil {
			return fmt.Errorf("evaluate %s: %w", name, err)
		}
		return nil
	}, nil
}
