package bundles

import (
	"context"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"
)

// compareCompiledTests runs tests again in the compiled policy. A test with another outcome fails.
// Table tests, and tests that cannot be compiled, run in topdown only. compiler has compiled the
// policy with its tests, and results are those of topdown.
func compareCompiledTests(ctx context.Context, p *policy, compiler *ast.Compiler, results []*tester.Result) error {
	var queries []string
	for _, result := range results {
		if hasSingleResult(result) {
			queries = append(queries, result.Package+"."+result.Name)
		}
	}
	instance, err := p.compileTestPlans(compiler, queries)
	if instance == nil || err != nil {
		return err
	}
	for _, result := range results {
		if !hasSingleResult(result) {
			continue
		}
		got, err := instance.EvalRule(ctx, result.Package+"."+result.Name, nil)
		if pass := err == nil && got != nil && !ast.ValueEqual(got.Value, ast.Boolean(false)); pass != result.Pass() {
			result.Error = errors.Join(errEvaluatorsDiffer, err)
		}
	}
	return nil
}

// hasSingleResult reports whether a test ran and is not a table test.
func hasSingleResult(result *tester.Result) bool {
	return !result.Skip && result.Error == nil && len(result.SubResults) == 0
}
