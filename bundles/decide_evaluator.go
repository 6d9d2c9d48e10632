package bundles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
	"gavel/internal/regoir"
)

// Evaluator says what evaluates the policy.
type Evaluator string

// The evaluators. Topdown always evaluates explanations, the coverage of tests, and queries that
// cannot be compiled.
const (
	// Compiled evaluates OPA's plan of the policy, translated to Go (internal/regoir). Until the
	// policy is compiled, in the background, topdown decides. A Store compiles at once. A single
	// Load compiles after some decisions, because compiling takes longer than they do.
	Compiled Evaluator = "compiled"
	Topdown  Evaluator = "topdown" // OPA's own evaluator, which walks the syntax tree
	// Both uses both evaluators from the first decision on, and denies if they differ.
	Both Evaluator = "both"
)

// Evaluators returns all evaluators.
func Evaluators() []Evaluator { return []Evaluator{Compiled, Topdown, Both} }

func (e Evaluator) valid() bool { return e == "" || e == Compiled || e == Topdown || e == Both }

// ActiveEvaluator returns what evaluates the policy at present, and the queries that topdown
// evaluates because they could not be compiled.
func (s *Snapshot) ActiveEvaluator() (string, []gavel.Uncompiled) {
	if s.evaluator == Topdown || !s.plans.ready.Load() {
		return string(Topdown), nil
	}
	if s.evaluator == Both {
		return string(Both), s.plans.uncompiled
	}
	return string(Compiled), s.plans.uncompiled
}

// errEvaluatorsDiffer means that the evaluators return different values.
var errEvaluatorsDiffer = errors.New("the two evaluators of the policy disagree")

// eval evaluates one of the queries. It returns nil if the value is undefined.
func (s *Snapshot) eval(ctx context.Context, query string, input ast.Value) (*ast.Term, error) {
	value, err := s.evalDeferred(ctx, query, input)
	return regoir.Materialize(value), err
}

// evalDeferred is eval for a value that only get, each and regoir.Whole read.
func (s *Snapshot) evalDeferred(ctx context.Context, query string, input ast.Value) (*ast.Term, error) {
	if err := ctx.Err(); err != nil { // a cancellation comes from another goroutine, perhaps too late
		return nil, fmt.Errorf("evaluate %s: %w", query, err)
	}
	instance := s.instance(query)
	if instance == nil {
		return s.evalTopdown(ctx, query, input)
	}
	value, err := instance.EvalRuleLazy(ctx, query, input)
	if err != nil {
		err = fmt.Errorf("evaluate %s: %w", query, err)
	}
	if s.evaluator != Both {
		return value, err
	}
	topdownValue, topdownErr := s.evalTopdown(ctx, query, input)
	return s.compare(query, evalOutcome{regoir.Materialize(value), err}, evalOutcome{topdownValue, topdownErr})
}

// evalTopdown evaluates one of the queries with topdown. It returns nil if the value is undefined.
func (s *Snapshot) evalTopdown(ctx context.Context, query string, input ast.Value, options ...rego.EvalOption) (*ast.Term, error) {
	if err := ctx.Err(); err != nil { // the cancellation below comes from another goroutine, perhaps too late
		return nil, fmt.Errorf("evaluate %s: %w", query, err)
	}
	cancel := topdown.NewCancel()
	stop := context.AfterFunc(ctx, cancel.Cancel)
	defer stop()
	options = append(options, rego.EvalParsedInput(regoir.Materialize(ast.NewTerm(input)).Value), rego.EvalExternalCancel(cancel),
		rego.EvalMetrics(metrics.NoOp()), rego.EvalRuleIndexing(!s.skipIndex))
	queries, err := s.prepared.getContext(ctx)
	if err != nil {
		return nil, err
	}
	results, err := queries[query].Eval(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", query, err)
	}
	if len(results) == 0 || len(results[0].Expressions) == 0 {
		return nil, nil
	}
	term, ok := results[0].Expressions[0].Value.(*ast.Term)
	if !ok {
		return nil, fmt.Errorf("evaluate %s: the result is a %T, not a term", query, results[0].Expressions[0].Value)
	}
	return term, nil
}

// evalOutcome is what an evaluator returned.
type evalOutcome struct {
	value *ast.Term
	err   error
}

// compare returns the value on which both evaluators agree. If either has an error, so has compare,
// which denies. One may find an error that the other never gets to.
func (s *Snapshot) compare(query string, compiled, walked evalOutcome) (*ast.Term, error) {
	switch {
	case topdown.IsCancel(compiled.err) || topdown.IsCancel(walked.err) || compiled.err != nil && walked.err != nil:
		return nil, errors.Join(walked.err, compiled.err)
	case compiled.err != nil || walked.err != nil:
		err := errors.Join(walked.err, compiled.err)
		s.logger.Warn("only one evaluator of the policy found an error", "query", query, "revision", s.revision, "compiled", compiled.err != nil, "error", err)
		return nil, err
	case compiled.value == nil && walked.value == nil:
		return nil, nil
	}
	path := difference(compiled.value, walked.value)
	if path == "" {
		return walked.value, nil
	}
	s.logger.Error("the two evaluators of the policy disagree; the call is denied", slog.String("query", query),
		slog.String("revision", s.revision), slog.String("at", path))
	return nil, fmt.Errorf("evaluate %s: %w at %s", query, errEvaluatorsDiffer, path)
}

// difference returns the path of the first difference between two values, or "". It does not
// return the values, because a call may carry secrets that the log must not have.
func difference(a, b *ast.Term) string {
	const here = "."
	switch {
	case a == nil || b == nil:
		return here
	case ast.ValueEqual(a.Value, b.Value):
		return ""
	}
	x, okX := a.Value.(ast.Object)
	y, okY := b.Value.(ast.Object)
	if !okX || !okY {
		return here
	}
	path := ""
	x.Until(func(k, v *ast.Term) bool {
		if other := y.Get(k); difference(v, other) != "" {
			path = here + k.String()
			if other != nil {
				path += difference(v, other)
			}
		}
		return path != ""
	})
	if path == "" {
		return here
	}
	return path
}
