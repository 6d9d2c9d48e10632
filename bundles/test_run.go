package bundles

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/cover"
	"github.com/open-policy-agent/opa/v1/tester"
)

// TestReport is the result of running a policy's Rego tests.
type TestReport struct {
	Tests []TestResult
	// Coverage is the percentage of the policy's Rego that its tests evaluated. It is 0 if the
	// policy has no Rego.
	Coverage float64
	// Uncovered lists the locations that no test evaluated, as file:line.
	Uncovered []string
}

// TestResult is the result of one Rego test.
type TestResult struct {
	Name     string // package and rule
	File     string
	Line     int
	Pass     bool
	Error    string // why it could not run
	Output   string // what it printed
	Duration time.Duration
}

// Test runs the Rego tests of a policy with topdown and, unless Config.Evaluator is Topdown, also
// in the compiled policy. A test fails if the two disagree. A policy that does not compile is an
// error; a failing test is not.
func Test(ctx context.Context, cfg Config) (*TestReport, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, err := readPolicy(cfg, nil)
	if err != nil {
		return nil, err
	}
	if _, err := newSnapshot(ctx, cfg, p); err != nil {
		return nil, err
	}
	report := &TestReport{}
	if !p.tested {
		return report, nil
	}
	if p.parsed, err = p.compilation.get(); err != nil {
		return nil, err
	}
	coverage := cover.New()
	results, compiler, err := runTests(ctx, p, func(r *tester.Runner) {
		r.SetCoverageQueryTracer(coverage).CapturePrintOutput(true)
	})
	if err != nil {
		return nil, err
	}
	if cfg.Evaluator != Topdown {
		if err := compareCompiledTests(ctx, p, compiler, results); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(results, func(r *tester.Result) bool { return !r.Pass() }) {
		cfg.CompileCache.recordPass(p.revision, len(results))
	}
	report.add(results)
	report.measure(coverage, p.ownModules())
	return report, nil
}

func (r *TestReport) add(results []*tester.Result) {
	for _, result := range results {
		r.Tests = append(r.Tests, testResult(result))
	}
	slices.SortFunc(r.Tests, func(a, b TestResult) int { return strings.Compare(a.Name, b.Name) })
}

func testResult(result *tester.Result) TestResult {
	r := TestResult{Name: strings.TrimPrefix(result.Package, "data.") + "." + result.Name,
		Pass: result.Pass(), Output: string(result.Output), Duration: result.Duration}
	if result.Location != nil {
		r.File, r.Line = strings.TrimPrefix(result.Location.File, "/"), result.Location.Row
	}
	if result.Error != nil {
		r.Error = result.Error.Error()
	}
	return r
}

// ownModules returns the modules of the policy without the shipped ones and without tests.
func (p *policy) ownModules() map[string]*ast.Module {
	own := map[string]*ast.Module{}
	for name, module := range p.parsed.modules {
		if !strings.HasPrefix(name, builtinPrefix) {
			own[name] = module
		}
	}
	return own
}

func (r *TestReport) measure(coverage *cover.Cover, own map[string]*ast.Module) {
	if len(own) == 0 {
		return
	}
	measured := coverage.Report(own)
	r.Coverage = measured.Coverage
	for file, lines := range measured.Files {
		for _, span := range lines.NotCovered {
			r.Uncovered = append(r.Uncovered, fmt.Sprintf("%s:%d", strings.TrimPrefix(file, "/"), span.Start.Row))
		}
	}
	slices.Sort(r.Uncovered)
}
