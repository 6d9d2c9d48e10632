package bundles

import (
	"context"
	"fmt"
	"maps"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"

	"gavel"
)

// selfTest runs the policy's own tests. A policy whose tests fail is not used.
func (s *Snapshot) selfTest(ctx context.Context, p *policy) error {
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
	return problems(failed)
}

// runTests runs the policy's tests, each with a deadline, and returns what compiled the policy
// with them.
func runTests(ctx context.Context, p *policy, prepare func(*tester.Runner)) ([]*tester.Result, *ast.Compiler, error) {
	made, err := p.parts.get()
	if err != nil {
		return nil, nil, err
	}
	modules := maps.Clone(made.modules)
	maps.Copy(modules, made.tests)
	store := inmem.NewFromObject(made.testData(p.document))
	compiler := orderly()
	runner := tester.NewRunner().SetStore(store).SetModules(modules).SetParallel(1).SetCompiler(compiler).RaiseBuiltinErrors(true)
	if prepare != nil {
		prepare(runner)
	}
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, nil, internal("run the policy's tests", err)
	}
	defer store.Abort(ctx, txn)
	running, err := runner.RunTests(ctx, txn)
	if err != nil { // OPA says where a recursion is
		compiler = ast.NewCompiler().WithCapabilities(capabilities())
		running, err = runner.SetCompiler(compiler).RunTests(ctx, txn)
	}
	if err != nil {
		return nil, nil, problems(opaProblems(err))
	}
	var results []*tester.Result
	for result := range running {
		results = append(results, result)
	}
	return results, compiler, nil
}

// orderly returns a compiler that only says whether there is a recursion, not where. OPA looks for it
// from each rule, which takes a third of compiling a policy with its tests.
func orderly() *ast.Compiler {
	return ast.NewCompiler().WithCapabilities(capabilities()).WithSkipStages(ast.StageCheckRecursion).
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
