package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/internal/cases"
	"gavel/internal/strictjson"
)

// testReport is the JSON output of gavel test.
type testReport struct {
	Tests     int           `json:"tests"`
	Cases     int           `json:"cases"`
	Calls     int           `json:"calls"`
	Coverage  float64       `json:"coverage"` // of the policy's own Rego, in percent
	Uncovered []string      `json:"uncovered"`
	Failures  []testFailure `json:"failures"`
	Skipped   string        `json:"skipped,omitempty"` // why the cases were not run
}

// testFailure is one failed test or decision case.
type testFailure struct {
	Name    string `json:"name"`
	File    string `json:"file"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

func (a *app) testCommand() *cobra.Command {
	var verbose bool
	cmd := &cobra.Command{
		Use:   "test [PATH]",
		Short: "Run a policy's Rego tests and its decision cases",
		Long: `Run the Rego tests of a policy (*_test.rego) and its decision cases
(testdata/*.txtar below a policy directory). Without a path it tests --policy, or
else the current directory. It is an error if there is nothing to run.

Rego tests run with OPA's topdown and with the compiled policy, and fail if the two
disagree; --evaluator chooses one of them.`,
		Example: `  gavel test policy
  gavel test --output json policy`,
		Args: atMostOne("policy"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.test(cmd.Context(), cmp.Or(first(args), a.policy, "."), verbose)
		},
	}
	a.addPolicyElse(cmd, "the current directory")
	a.addEvaluator(cmd)
	cmd.Flags().BoolVar(&verbose, "verbose", false, "list the Rego lines that no test covers")
	return cmd
}

func (a *app) test(ctx context.Context, path string, verbose bool) error {
	a.evaluator = cmp.Or(a.evaluator, bundles.Both)
	if err := a.sharePrograms(); err != nil { // the cases are decided by the policy that was tested
		return err
	}
	tests, err := bundles.Test(ctx, a.source(path, nil))
	if err != nil {
		return located(path, err)
	}
	report := testReport{Tests: len(tests.Tests), Coverage: tests.Coverage, Uncovered: tests.Uncovered}
	for _, test := range tests.Tests {
		if !test.Pass {
			report.Failures = append(report.Failures, regoFailure(path, test))
		}
	}
	if err := a.runCases(ctx, path, &report); err != nil {
		return err
	}
	if report.Tests == 0 && report.Cases == 0 {
		return fix(fmt.Errorf("%s has neither a Rego test nor a decision case", path),
			"write *_test.rego, or testdata/*.txtar; gavel init writes an example of both")
	}
	if len(report.Failures) > 0 {
		a.failed()
	}
	if a.json() {
		return strictjson.Write(a.stdout, report)
	}
	a.showTests(report, verbose)
	return nil
}

func regoFailure(policy string, t bundles.TestResult) testFailure {
	f := testFailure{Name: t.Name, File: fileOf(policy, t.File), Line: t.Line, Message: "the test fails"}
	if t.Error != "" {
		f.Message = "the test cannot run: " + t.Error
	}
	if t.Output != "" {
		f.Message += "\n" + t.Output
	}
	return f
}

// runCases decides the cases of a policy directory. A policy whose tests fail is not loaded;
// its cases are then left out, and the report says so.
func (a *app) runCases(ctx context.Context, policy string, report *testReport) error {
	list, err := ownCases(policy)
	if err != nil || len(list) == 0 {
		return err
	}
	report.Cases = len(list)
	if len(report.Failures) > 0 {
		report.Skipped = "the cases were not run: a policy whose tests fail is not loaded"
		return nil
	}
	own, err := a.load(ctx, policy)
	if err != nil {
		return err
	}
	for _, c := range list {
		if err := a.runCase(ctx, own, c, report); err != nil {
			return fmt.Errorf("run %s: %w", c.Path, err)
		}
	}
	return nil
}

func (a *app) runCase(ctx context.Context, pdp *gavel.PDP, c cases.Case, report *testReport) error {
	if c.HasPolicy() {
		defer a.unsigned()()
		dir, err := os.MkdirTemp("", "gavel-case-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir) //nolint:errcheck // the system cleans up its own temporary files
		if err := c.WritePolicy(dir); err != nil {
			return err
		}
		if pdp, err = a.load(ctx, dir); err != nil {
			return err
		}
	}
	pdp, verifiers := asIn(&c, pdp)
	for i, call := range c.Calls {
		report.Calls++
		got := pdp.Decide(ctx, call, gavel.Options{RequestedBy: "test"})
		if err := c.Compare(i, got); err != nil {
			report.Failures = append(report.Failures, testFailure{Name: c.Name, File: c.Path, Line: c.Line(i), Message: err.Error()})
		}
	}
	if err := verifiers.Unasked(); err != nil {
		report.Failures = append(report.Failures, testFailure{Name: c.Name, File: c.Path, Line: 1, Message: err.Error()})
	}
	return nil
}

func (a *app) showTests(r testReport, verbose bool) {
	for _, f := range r.Failures {
		a.printf("%s:%d: %s: %s\n", clean(f.File), f.Line, clean(f.Name), a.paint(red, "FAIL"))
		a.printf("%s\n", indented(f.Message))
	}
	if r.Skipped != "" {
		a.printf("%s\n", r.Skipped)
	}
	if verbose {
		for _, where := range r.Uncovered {
			a.printf("not covered: %s\n", clean(where))
		}
	}
	a.printf("%s, %s with %s", count(r.Tests, "Rego test", "Rego tests"),
		count(r.Cases, "case", "cases"), count(r.Calls, "call", "calls"))
	if r.Tests > 0 {
		a.printf("; coverage %.1f %%", r.Coverage)
	}
	if len(r.Failures) == 0 {
		a.printf("; %s\n", a.paint(green, "all pass"))
		return
	}
	a.printf("; %s\n", a.paint(red, fmt.Sprintf("%d failed", len(r.Failures))))
}
