package main

import (
	"bytes"
	"context"
	"fmt"
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
	values   cache.InterQueryValueCache // compiled schemas and patterns, by their text
	tests    []test
	plan     *plan // of all tests; nil to evaluate with topdown alone
}

// test is one rule whose name begins with test_ or todo_.
type test struct {
	pkg, name string // data.gavel.tools_test, test_names
	query     string
	place     *ast.Location
	named     bool // it has named cases
}

func (t test) todo() bool { return strings.HasPrefix(t.name, tester.SkipTestPrefix) }

// result is the outcome of one test.
type result struct {
	test
	cases   int
	problem string // "" means that the test passed
	printed string
	took    time.Duration
}

// load compiles a bundle directory, including its tests.
func load(ctx context.Context, o options) (*suite, error) {
	content, err := loader.NewFileLoader().WithSkipBundleVerification(true).WithProcessAnnotation(true).
		WithFilter(ignored(o.ignore)).AsBundle(o.dir)
	if err != nil {
		return nil, fmt.Errorf("read the bundle %s: %w", o.dir, err)
	}
	s := &suite{store: inmem.NewWithOpts(inmem.OptRoundTripOnWrite(false)), values: cache.NewInterQueryValueCache(ctx, nil)}
	txn, err := s.store.NewTransaction(ctx, storage.WriteParams)
	if err != nil {
		return nil, fmt.Errorf("make a store for the data: %w", err)
	}
	s.compiler = ast.NewCompiler().WithEnablePrintStatements(true).WithPathConflictsCheck(storage.NonEmpty(ctx, s.store, txn))
	// OPA's runner compiles the bundle and marks the start of each named case. It runs no test,
	// because no test has an empty name.
	none, err := tester.NewRunner().SetCompiler(s.compiler).SetStore(s.store).CapturePrintOutput(true).
		SetBundles(map[string]*bundle.Bundle{o.dir: content}).Filter("^$").RunTests(ctx, txn)
	if err != nil {
		return nil, fmt.Errorf("compile the bundle %s: %w", o.dir, err)
	}
	for range none { // ends at once
		continue
	}
	if err := s.store.Commit(ctx, txn); err != nil {
		return nil, fmt.Errorf("keep the data of the bundle %s: %w", o.dir, err)
	}
	s.find(o)
	if len(s.tests) == 0 {
		return nil, fmt.Errorf("no test in %s has a name that matches %q", o.dir, o.run)
	}
	if !o.topdown {
		if s.plan, err = s.compile(ctx); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// ignored leaves out files whose names match one of the patterns.
func ignored(patterns []string) func(string, bundleInfo, int) bool {
	return func(name string, info bundleInfo, _ int) bool {
		return !info.IsDir() && slices.ContainsFunc(patterns, func(pattern string) bool {
			matches, err := path.Match(pattern, info.Name())
			return matches || err != nil // an invalid pattern excludes everything, which then fails for lack of tests
		})
	}
}

// find lists the tests by package and name.
func (s *suite) find(o options) {
	for _, module := range s.compiler.Modules {
		for _, rule := range module.Rules {
			name, ref, ok := testName(rule.Head)
			query := module.Package.Path.Extend(ref).String()
			if ok && o.run.MatchString(query) {
				s.tests = append(s.tests, test{pkg: module.Package.Path.String(), name: name, query: query,
					place: rule.Loc(), named: rule.Head.DocKind() == ast.PartialObjectDoc})
			}
		}
	}
	slices.SortFunc(s.tests, func(a, b test) int { return strings.Compare(a.query, b.query) })
}

// testName returns the part of a rule's name that makes it a test, and the name up to there.
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

// run runs one test in the compiled plan. A test that fails there, or is not in the plan, runs
// with topdown, which says what it printed and where an error was.
func (s *suite) run(ctx context.Context, t test, limit time.Duration) result {
	if t.todo() {
		return result{test: t, problem: "the test is a todo: finish it, or remove it"}
	}
	if s.plan == nil || !s.plan.has(t) {
		return s.attempt(ctx, t, limit, s.walk)
	}
	compiled := s.attempt(ctx, t, limit, s.plan.evaluate)
	if compiled.problem == "" {
		return compiled
	}
	walked := s.attempt(ctx, t, limit, s.walk)
	if walked.problem == "" {
		compiled.problem = "it passes with topdown, but not in the compiled plan: " + compiled.problem
		return compiled
	}
	return walked
}

// evaluator returns the value of a test, or nil.
type evaluator func(ctx context.Context, t test, tried *cases, printed *bytes.Buffer) (any, error)

// attempt runs one test with an evaluator.
func (s *suite) attempt(ctx context.Context, t test, limit time.Duration, with evaluator) result {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	begun := time.Now()
	tried, printed := &cases{}, &bytes.Buffer{}
	value, err := with(ctx, t, tried, printed)
	r := result{test: t, took: time.Since(begun), printed: printed.String(), cases: max(len(*tried), 1)}
	switch {
	case err != nil:
		r.problem = err.Error()
	case !t.named && value != true:
		r.problem = "the test is not true"
	case t.named && len(*tried) == 0:
		r.problem = "the test has no cases"
	case t.named:
		r.problem = tried.failed(value)
	}
	return r
}

// walk evaluates a test with topdown.
func (s *suite) walk(ctx context.Context, t test, tried *cases, printed *bytes.Buffer) (any, error) {
	prepared, err := rego.New(rego.Compiler(s.compiler), rego.Store(s.store), rego.Query(t.query), rego.StackTraces(true),
		rego.PrintHook(topdown.NewPrintHook(printed))).PrepareForEval(ctx)
	if err != nil {
		return nil, err
	}
	evaluation := []rego.EvalOption{rego.EvalInterQueryBuiltinValueCache(s.values)}
	if t.named {
		evaluation = append(evaluation, rego.EvalQueryTracer(tried))
	}
	results, err := prepared.Eval(ctx, evaluation...)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[0].Expressions[0].Value, nil
}
