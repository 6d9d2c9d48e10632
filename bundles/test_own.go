package bundles

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"gavel/bundles/builtins"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"

	"gavel"
)

// runOwnTests runs the Rego tests of a policy. Failing tests are an error: the policy is not used.
func (s *Snapshot) runOwnTests(ctx context.Context, p *policy) error {
	if !p.tested {
		return nil
	}
	results, _, err := runTests(ctx, p, nil)
	if err != nil {
		return err
	}
	s.notes.Tests = len(results)
	var failed []gavel.Problem
	for _, result := range results {
		if !result.Pass() {
			failed = append(failed, testProblem(result))
		}
	}
	sortProblems(failed)
	return policyError(failed)
}

// runTests runs the Rego tests of a policy, each with a deadline. It also returns the compiler that
// has compiled the policy with its tests. prepare may change the runner; it may be nil.
func runTests(ctx context.Context, p *policy, prepare func(*tester.Runner)) ([]*tester.Result, *ast.Compiler, error) {
	sources, err := p.compilation.get()
	if err != nil {
		return nil, nil, err
	}
	modules := maps.Clone(sources.modules)
	maps.Copy(modules, sources.tests)
	store := inmem.NewFromObject(sources.testData(p.document))
	compiler := newTestCompiler()
	runner := tester.NewRunner().SetStore(store).SetModules(modules).SetParallel(1).SetCompiler(compiler).RaiseBuiltinErrors(true)
	if prepare != nil {
		prepare(runner)
	}
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, fmt.Errorf("run the policy's tests: %w", err)
	}
	defer store.Abort(ctx, txn)
	running, err := runner.RunTests(ctx, txn)
	if err != nil { // perhaps a recursion, which this compiler locates
		compiler = ast.NewCompiler().WithCapabilities(builtins.Capabilities())
		running, err = runner.SetCompiler(compiler).RunTests(ctx, txn)
	}
	if err != nil {
		return nil, nil, policyError(opaProblems(err))
	}
	var results []*tester.Result
	for result := range running {
		results = append(results, result)
	}
	return results, compiler, nil
}

// newTestCompiler returns a compiler that finds out whether there is a recursion, but not where.
// OPA's search for recursion starts at every rule, which takes a third of the time.
func newTestCompiler() *ast.Compiler {
	return ast.NewCompiler().WithCapabilities(builtins.Capabilities()).WithSkipStages(ast.StageCheckRecursion).
		WithStageAfterID(ast.StageSetGraph, ast.CompilerStageDefinition{Name: "CheckOrder", MetricName: "check_order",
			Stage: func(compiler *ast.Compiler) *ast.Error {
				if _, ordered := compiler.Graph.Sort(); !ordered {
					return ast.NewError(ast.RecursionErr, nil, "rules refer to themselves")
				}
				return nil
			}})
}

func testProblem(result *tester.Result) gavel.Problem {
	p := gavel.Problem{Message: fmt.Sprintf("test %s.%s fails", result.Package, result.Name), Fix: "run gavel test for details"}
	if result.Error != nil {
		p.Message = fmt.Sprintf("test %s.%s cannot run: %s", result.Package, result.Name, result.Error)
	}
	if result.Location != nil {
		p.File, p.Line, p.Column = strings.TrimPrefix(result.Location.File, "/"), result.Location.Row, result.Location.Col
	}
	return p
}
