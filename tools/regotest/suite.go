package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/bundle"
	"github.com/open-policy-agent/opa/v1/loader"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/cache"
)

// suite is a compiled bundle with its tests. It is safe for concurrent use.
type suite struct {
	compiler *ast.Compiler
	store    storage.Store
	values   cache.InterQueryValueCache // compiled schemas and patterns
	tests    []test
	plan     *plan // nil if only topdown evaluates
}

// test is one rule whose name begins with test_ or todo_.
type test struct {
	pkg, name string // data.gavel.tools_test, test_names
	query     string
	location  *ast.Location
	hasCases  bool // test_x[name]
}

func (t test) todo() bool { return strings.HasPrefix(t.name, tester.SkipTestPrefix) }

// result is the outcome of one test.
type result struct {
	test
	cases   int
	problem string // "" means that the test passed
	printed string
	elapsed time.Duration
}

// load compiles a bundle directory, including its tests.
func load(ctx context.Context, o options) (*suite, error) {
	content, err := loader.NewFileLoader().WithSkipBundleVerification(true).WithProcessAnnotation(true).
		WithFilter(ignoreFilter(o.ignore)).AsBundle(o.dir)
	if err != nil {
		return nil, fmt.Errorf("read the bundle %s: %w", o.dir, err)
	}
	s := &suite{store: inmem.NewWithOpts(inmem.OptRoundTripOnWrite(false)), values: cache.NewInterQueryValueCache(ctx, nil)}
	txn, err := s.store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return nil, fmt.Errorf("create a store for the data: %w", err)
	}
	s.compiler = ast.NewCompiler().WithEnablePrintStatements(true).WithPathConflictsCheck(storage.NonEmpty(ctx, s.store, txn))
	// OPA's runner compiles the bundle and inserts the events that mark the start of a case. It runs
	// no test, because no test has an empty name.
	none, err := tester.NewRunner().SetCompiler(s.compiler).SetStore(s.store).CapturePrintOutput(true).
		SetBundles(map[string]*bundle.Bundle{o.dir: content}).Filter("^$").RunTests(ctx, txn)
	if err != nil {
		return nil, fmt.Errorf("compile the bundle %s: %w", o.dir, err)
	}
	for range none { // wait until the runner has closed the channel
		continue
	}
	if err := s.store.Commit(ctx, txn); err != nil {
		return nil, fmt.Errorf("store the data of the bundle %s: %w", o.dir, err)
	}
	s.findTests(o)
	if len(s.tests) == 0 {
		return nil, fmt.Errorf("no test in %s has a name that matches %q", o.dir, o.run)
	}
	if !o.topdown {
		if s.plan, err = s.compilePlan(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ignoreFilter returns a filter that excludes files whose names match one of the patterns.
func ignoreFilter(patterns []string) func(string, fs.FileInfo, int) bool {
	return func(_ string, info fs.FileInfo, _ int) bool {
		return !info.IsDir() && slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, err := path.Match(pattern, info.Name())
			return matches || err != nil // an invalid pattern excludes everything, so the run fails for lack of tests
		})
	}
}

// findTests collects the selected tests, sorted by package and name.
func (s *suite) findTests(o options) {
	for _, module := range s.compiler.Modules {
		for _, rule := range module.Rules {
			name, ref, ok := testName(rule.Head)
			query := module.Package.Path.Extend(ref).String()
			if ok && o.run.MatchString(query) {
				s.tests = append(s.tests, test{pkg: module.Package.Path.String(), name: name, query: query,
					location: rule.Loc(), hasCases: rule.Head.DocKind() == ast.PartialObjectDoc})
			}
		}
	}
	slices.SortFunc(s.tests, func(a, b test) int { return strings.Compare(a.query, b.query) })
}

// testName returns the name of the test that a rule belongs to, and the reference to it. It returns
// false for a rule that is not a test.
func testName(head *ast.Head) (string, ast.Ref, bool) {
	ref := head.Ref().GroundPrefix()
	for i, part := range ref {
		var name string
		switch value := part.Value.(type) {
		case ast.Var: // the first part
			name = string(value)
		case ast.String:
			name = string(value)
		}
		if strings.HasPrefix(name, tester.TestPrefix) || strings.HasPrefix(name, tester.SkipTestPrefix) {
			return name, ref[:i+1], true
		}
	}
	return "", ref, false
}

// run runs one test with the compiled plan. It uses topdown for a test that fails there, to find
// out why, and for a test that is not in the plan.
func (s *suite) run(ctx context.Context, t test, limit time.Duration) result {
	if t.todo() {
		return result{test: t, problem: "the test is a todo: finish or remove it"}
	}
	if s.plan == nil || !s.plan.has(t) {
		return s.evaluate(ctx, t, limit, s.topdown)
	}
	compiled := s.evaluate(ctx, t, limit, s.plan.evaluate)
	if compiled.problem == "" {
		return compiled
	}
	interpreted := s.evaluate(ctx, t, limit, s.topdown)
	if interpreted.problem == "" {
		compiled.problem = "it passes with topdown, but not with the compiled plan: " + compiled.problem
		return compiled
	}
	return interpreted
}

// evaluator returns the value of a test, or nil if it is undefined.
type evaluator func(ctx context.Context, t test, recorded *cases, printed *bytes.Buffer) (any, error)

// evaluate runs one test with an evaluator.
func (s *suite) evaluate(ctx context.Context, t test, limit time.Duration, with evaluator) result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	start := time.Now()
	recorded, printed := &cases{}, &bytes.Buffer{}
	value, err := with(ctx, t, recorded, printed)
	r := result{test: t, elapsed: time.Since(start), printed: printed.String(), cases: max(len(*recorded), 1)}
	switch {
	case err != nil:
		r.problem = err.Error()
	case !t.hasCases && value != true:
		r.problem = "the test is not true"
	case t.hasCases && len(*recorded) == 0:
		r.problem = "the test has no cases"
	case t.hasCases:
		r.problem = recorded.failed(value)
	}
	return r
}

// topdown evaluates a test with OPA's topdown.
func (s *suite) topdown(ctx context.Context, t test, recorded *cases, printed *bytes.Buffer) (any, error) {
	prepared, err := rego.New(rego.Compiler(s.compiler), rego.Store(s.store), rego.Query(t.query), rego.StackTraces(true),
		rego.PrintHook(topdown.NewPrintHook(printed))).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	evaluation := []rego.EvalOption{rego.EvalInterQueryBuiltinValueCache(s.values)}
	if t.hasCases {
		evaluation = append(evaluation, rego.EvalQueryTracer(recorded))
	}
	results, err := prepared.Eval(ctx, evaluation...)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[0].Expressions[0].Value, nil
}
