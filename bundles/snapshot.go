package bundles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/regoir"
	"gavel/internal/secrets"
)

// Snapshot is one compiled policy. It implements gavel.Snapshot, never changes,
// and is safe for concurrent use.
type Snapshot struct {
	*program
	revision string
	source   string
	document *config.Document
	text     []byte                   // of the document's file; nil if it has none
	leads    func(path string) string // Config.Leads
	verify   func(context.Context, *Snapshot) error
	masker   *secrets.Masker // of what reasons quote
	store    storage.Store
	root     ast.Object // what the store contains
	logger   *slog.Logger
	// evaluator decides; bound are the compiled queries with this snapshot's data, once they
	// are planned.
	evaluator Evaluator
	forgets   bool // Config.Forgets
	bound     atomic.Pointer[map[string]*regoir.Instance]
	queries   briefly[map[string]rego.PreparedEvalQuery] // prepared for topdown
	proofs    Proofs                                     // of the load; may be nil
	layers    []string                                   // of the policy, in order
	lists     *lists
	contexts  *contexts
	answers   *answers
	searches  *gavel.Searches
	overrides Overrides
	notes     Notes
	zone      *time.Location
}

// Revision implements gavel.Snapshot.
func (s *Snapshot) Revision() string { return s.revision }

// Overrides implements gavel.Snapshot.
func (s *Snapshot) Overrides() []string { return s.overrides.Text() }

// Decide implements gavel.Snapshot. Any failure is a deny: gavel.policy_error, or
// gavel.evaluation_timeout when the context ended first.
func (s *Snapshot) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	c := s.answers.space()
	c.facts = facts
	frozen, err := s.completeIn(ctx, c)
	if err != nil {
		return s.failed(ctx, err)
	}
	var found *answer
	var layers []gavel.Layer
	cached := false
	if explain {
		found, layers, err = s.explained(ctx, &c.facts, frozen)
	} else {
		found, cached, err = s.answer(ctx, &c.facts, frozen)
	}
	if err != nil {
		return s.failed(ctx, err)
	}
	decision, err := s.decision(found, &c.facts)
	if err != nil {
		return s.failed(ctx, err)
	}
	decision.Layers = layers
	if cached { // no evaluation has seen the facts, so nothing else can have kept a part of them
		s.answers.reuse(c)
	}
	return decision
}

// input builds the policy's input, whole: completed facts with the frozen part.
func (s *Snapshot) input(facts *gavel.Facts, frozen *remembered) (ast.Value, error) {
	q := newQuestion(frozen)
	input := regoir.Materialize(ast.NewTerm(q.input(facts))).Value
	return input, q.wrong
}

// complete adds what the snapshot knows to facts: the time where a rule may read it, which allowlist entries match, and how filters that the configuration describes read
// their arguments. It returns the frozen part. What the facts point to is the caller's
// and stays as it is.
func (s *Snapshot) complete(ctx context.Context, facts *gavel.Facts) (*remembered, error) {
	c := completed{facts: *facts}
	frozen, err := s.completeIn(ctx, &c)
	*facts = c.facts
	return frozen, err
}

// completed are completed facts, with what is not the caller's.
type completed struct {
	facts    gavel.Facts
	exec     gavel.ExecFacts
	segments []gavel.Segment
}

// completeIn is complete for facts that the caller has already put into c. It changes them.
func (s *Snapshot) completeIn(ctx context.Context, c *completed) (*remembered, error) {
	facts := &c.facts
	facts.Time = s.timeOf(facts.Time)
	frozen, err := s.frozen(ctx, facts)
	if err != nil || facts.Exec == nil {
		return frozen, err
	}
	if c.segments == nil {
		c.segments = make([]gavel.Segment, 0, len(facts.Exec.Segments)) // a list without segments is not a missing one
	}
	c.exec, c.segments = *facts.Exec, append(c.segments[:0], facts.Exec.Segments...)
	for i := range c.segments {
		s.match(facts, &c.segments[i])
		classify(frozen.bins, &c.segments[i])
	}
	c.exec.Segments = c.segments
	facts.Exec = &c.exec
	return frozen, nil
}

// match looks up the entries and the rules for a segment's program and for its wrappers.
func (s *Snapshot) match(facts *gavel.Facts, segment *gavel.Segment) {
	agent, home := facts.Agent.ID, facts.Environment.Home
	match := s.lists.match(agent, home, segment.Executable, func() rulePart {
		return partOf(facts.Environment.Workspace, segment.Executable, segment.Argv, segment.Hazards, segment.Opaque, segment.Dynamic)
	})
	segment.Match = &match
	segment.Wrappers = slices.Clone(segment.Wrappers)
	for i := range segment.Wrappers {
		wrapper := &segment.Wrappers[i]
		match := s.lists.match(agent, home, wrapper.Executable, func() rulePart {
			return partOf(facts.Environment.Workspace, wrapper.Executable, wrapper.Argv, wrapper.Hazards, "", []int{})
		})
		wrapper.Match = &match
	}
}

// walk runs a prepared query with topdown, and returns its term, or nil when it is undefined.
func (s *Snapshot) walk(ctx context.Context, query string, input ast.Value, options ...rego.EvalOption) (*ast.Term, error) {
	if err := ctx.Err(); err != nil { // the cancel below comes from another goroutine, perhaps too late
		return nil, fmt.Errorf("evaluate %s: %w", query, err)
	}
	cancel := topdown.NewCancel()
	stop := context.AfterFunc(ctx, cancel.Cancel)
	defer stop()
	options = append(options, rego.EvalParsedInput(regoir.Materialize(ast.NewTerm(input)).Value), rego.EvalExternalCancel(cancel), rego.EvalMetrics(metrics.NoOp()), rego.EvalRuleIndexing(!s.misindexed))
	queries, err := s.queries.within(ctx)
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
		return nil, fmt.Errorf("evaluate %s: the result is not a term", query)
	}
	return term, nil
}

// failed is the answer when an evaluation failed. A rule's error may quote its input, so only
// the policy's caller gets it, in the message.
func (s *Snapshot) failed(ctx context.Context, err error) gavel.Decision {
	code, message, fix := gavel.CodePolicyError, err.Error(), "run gavel check and gavel test on the policy"
	if errors.Is(err, errDiffer) {
		code, fix = gavel.CodeEvaluatorsDiffer, "report it with the policy and the call; --evaluator topdown decides meanwhile"
	}
	if ctx.Err() != nil || topdown.IsCancel(err) || errors.Is(err, context.DeadlineExceeded) {
		code, message, fix = gavel.CodeEvaluationTimeout, "the policy did not decide in time", "look for a slow rule in the policy, or raise the time limit"
	}
	return gavel.Decision{Effect: gavel.Deny, Revision: s.revision,
		Reasons: []gavel.Reason{{Layer: "gavel", Code: code, Message: message, Fix: fix}}}
}

// Tools implements gavel.Snapshot.
func (s *Snapshot) Tools(ctx context.Context, facts gavel.Facts) gavel.ToolReport {
	report, err := s.tools(ctx, &facts)
	if err != nil {
		return gavel.ToolReport{Reasons: s.failed(ctx, err).Reasons, Revision: s.revision}
	}
	return report
}

// Masks implements gavel.Snapshot.
func (s *Snapshot) Masks() bool { return s.masks }

// Mask implements gavel.Snapshot.
func (s *Snapshot) Mask(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error) {
	value, err := ast.InterfaceToValue(event)
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	term, err := s.eval(ctx, queryMask, value)
	if err != nil || term == nil {
		return nil, err
	}
	return maskRules(term)
}
