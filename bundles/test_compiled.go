package bundles

import (
	"context"
	"errors"
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/tester"

	"gavel/internal/regoir"
)

// alsoCompiled runs the tests that have a result once more, in the compiled policy. A test
// whose result differs fails. Tests of a table, and modules that cannot be compiled, are
// topdown's only.
func alsoCompiled(ctx context.Context, p *policy, results []*tester.Result) error {
	modules := maps.Clone(p.modules)
	maps.Copy(modules, p.tests)
	compiler := ast.NewCompiler().WithCapabilities(capabilities())
	if compiler.Compile(modules); compiler.Failed() {
		return problems(opaProblems(compiler.Errors))
	}
	var queries []string
	for _, result := range results {
		if hasOneResult(result) {
			queries = append(queries, result.Package+"."+result.Name)
		}
	}
	if len(queries) == 0 || unlike(compiler) != "" {
		return nil
	}
	program, err := planned(compiler, queries...)
	var unsupported *regoir.UnsupportedError
	if errors.As(err, &unsupported) {
		return nil
	}
	if err != nil {
		return internal("compile the policy's tests", err)
	}
	data := maps.Clone(p.data)
	data["config"] = map[string]any(p.document.Data)
	value, err := ast.InterfaceToValue(data)
	if err != nil {
		return internal("read the policy's data", err)
	}
	instance := program.Bind(value)
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
