package bundles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
	"gavel/internal/regoir"
)

// Evaluator says what evaluates the policy.
type Evaluator string

// The evaluators. Explanations, tests' coverage and what cannot be compiled are always for
// OPA's topdown.
const (
	// Compiled evaluates OPA's plan of the policy in Go (internal/regoir). Planning starts
	// beside decisions, which are topdown's until it is done: at once for a Store, and for a
	// single Load when it has decided some calls, because planning takes longer than they do.
	Compiled Evaluator = "compiled"
	Topdown  Evaluator = "topdown" // of OPA, which walks the syntax tree
	// Both evaluates with both, from the first decision on, compares, and denies on a
	// difference.
	Both Evaluator = "both"
)

// Evaluators lists all evaluators.
func Evaluators() []Evaluator { return []Evaluator{Compiled, Topdown, Both} }

func (e Evaluator) valid() bool { return e == "" || e == Compiled || e == Topdown || e == Both }

// Evaluated returns what evaluates the policy at present, and which queries topdown evaluates
// because they could not be compiled.
func (s *Snapshot) Evaluated() (string, []gavel.Uncompiled) {
	if s.evaluator == Topdown || !s.plans.ready.Load() {
		return string(Topdown), nil
	}
	if s.evaluator == Both {
		return string(Both), s.plans.left
	}
	return string(Compiled), s.plans.left
}

// errDiffer means that the two evaluators have different values.
var errDiffer = errors.New("the two evaluators of the policy disagree")

// eval evaluates one of the queries, and returns its term, or nil when it is undefined.
func (s *Snapshot) eval(ctx context.Context, query string, input ast.Value) (*ast.Term, error) {
	value, err := s.evalDeferred(ctx, query, input)
	return regoir.Materialize(value), err
}

// evalDeferred is eval for a value that is only read here, by get and each.
func (s *Snapshot) evalDeferred(ctx context.Context, query string, input ast.Value) (*ast.Term, error) {
	if err := ctx.Err(); err != nil { // a cancel comes from another goroutine, perhaps too late
		return nil, fmt.Errorf("evaluate %s: %w", query, err)
	}
	instance := s.compiled(query)
	if instance == nil {
		return s.walk(ctx, query, input)
	}
	value, err := instance.EvalRuleLazy(ctx, query, input)
	if err != nil {
		err = fmt.Errorf("evaluate %s: %w", query, err)
	}
	if s.evaluator != Both {
		return value, err
	}
	walked, walkedErr := s.walk(ctx, query, input)
	return s.compare(query, outcome{regoir.Materialize(value), err}, outcome{walked, walkedErr})
}

// outcome is what an evaluator returned.
type outcome struct {
	value *ast.Term
	err   error
}

// compare returns what both evaluators say. An error of one is the result, because it denies;
// each may find errors that the other skips.
func (s *Snapshot) compare(query string, compiled, walked outcome) (*ast.Term, error) {
	a, b := compiled, walked
	switch {
	case topdown.IsCancel(a.err) || topdown.IsCancel(b.err) || a.err != nil && b.err != nil:
		return nil, errors.Join(b.err, a.err)
	case a.err != nil || b.err != nil:
		s.logger.Warn("only one evaluator of the policy found an error", "query", query, "revision", s.revision, "compiled", a.err != nil, "error", errors.Join(a.err, b.err))
		return nil, errors.Join(b.err, a.err)
	case a.value == nil && b.value == nil:
		return nil, nil
	}
	where := difference(a.value, b.value)
	if where == "" {
		return b.value, nil
	}
	s.logger.Error("the two evaluators of the policy disagree; the call is denied", slog.String("query", query),
		slog.String("revision", s.revision), slog.String("at", where))
	return nil, fmt.Errorf("evaluate %s: %w at %s", query, errDiffer, where)
}

// difference is the path of the first difference between two values, "" if there is none. The
// log must not quote the values: a call may carry secrets.
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
	found := ""
	x.Until(func(k, v *ast.Term) bool {
		if other := y.Get(k); difference(v, other) != "" {
			found = here + k.String()
			if other != nil {
				found += difference(v, other)
			}
		}
		return found != ""
	})
	if found == "" {
		return here
	}
	return found
}
