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
	// Coverage is the percentage of the policy's own Rego that its tests evaluated; 0 if the
	// policy has no Rego.
	Coverage float64
	// Uncovered lists locations that no test reached, as file:line.
	Uncovered []string
}

// TestResult is one Rego test.
type TestResult struct {
	Name     string // package and rule
	File     string
	Line     int
	Pass     bool
	Error    string // why it could not run
	Output   string // what it printed
	Duration time.Duration
}

// Test runs the Rego tests of the policy that cfg names, with topdown and, unless that is
// Config.Evaluator, with the compiled policy: a test fails if they disagree. A policy that does not
// compile is an error; a failing test is not.
func Test(ctx context.Context, cfg Config) (*TestReport, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	p, err := read(cfg, nil)
	if err != nil {
		return nil, err
	}
	if _, err := compile(ctx, cfg, p); err != nil {
		return nil, err
	}
	report := &TestReport{}
	if !p.tested {
		return report, nil
	}
	if p.made, err = p.parts.get(); err != nil {
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
		if err := alsoCompiled(ctx, p, compiler, results); err != nil {
			return nil, err
		}
	}
	if !slices.ContainsFunc(results, func(r *tester.Result) bool { return !r.Pass() }) {
		cfg.Programs.pass(p.revision, len(results))
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

// ownModules are the policy's own modules other than tests.
func (p *policy) ownModules() map[string]*ast.Module {
	own := map[string]*ast.Module{}
	for name, module := range p.made.modules {
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
