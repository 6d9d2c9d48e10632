package bundles

import (
	"context"
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"
)

// alsoCompiled runs the tests that have a result once more, in the compiled policy. A test
// whose result differs fails. Tests of a table, and modules that cannot be compiled, are
// topdown's only. The compiler has compiled the policy with the tests.
func alsoCompiled(ctx context.Context, p *policy, compiler *ast.Compiler, results []*tester.Result) error {
	var queries []string
	for _, result := range results {
		if hasOneResult(result) {
			queries = append(queries, result.Package+"."+result.Name)
		}
	}
	instance, err := p.plannedTests(compiler, queries)
	if instance == nil || err != nil {
		return err
	}
	for _, result := range results {
		if !hasOneResult(result) {
			continue
		}
		got, err := instance.EvalRule(ctx, result.Package+"."+result.Name, nil)
		if pass := err == nil && got != nil && !ast.ValueEqual(got.Value, ast.Boolean(false)); pass != result.Pass() {
			result.Error = errors.Join(errDiffer, err)
		}
	}
	return nil
}

// hasOneResult reports whether a test has one result.
func hasOneResult(result *tester.Result) bool {
	return !result.Skip && result.Error == nil && len(result.SubResults) == 0
}
