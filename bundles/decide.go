package bundles

import (
	"context"
	"errors"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
	"gavel/bundles/ruleindex"
	"gavel/internal/regoir"
)

// Decide implements gavel.Snapshot. Any failure is a deny: gavel.policy_error, or
// gavel.evaluation_timeout if the context ended first. The caller's facts are not changed.
func (s *Snapshot) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	buffer := s.results.newBuffer()
	buffer.facts = facts
	frozen, err := s.completeInto(ctx, buffer)
	if err != nil {
		return s.denyFailed(ctx, err)
	}
	var found *result
	var layers []gavel.Layer
	cached := false
	if explain {
		found, layers, err = s.explainedResult(ctx, &buffer.facts, frozen)
	} else {
		found, cached, err = s.cachedResult(ctx, &buffer.facts, frozen)
	}
	if err != nil {
		return s.denyFailed(ctx, err)
	}
	decision, err := s.newDecision(found, &buffer.facts)
	if err != nil {
		return s.denyFailed(ctx, err)
	}
	decision.Layers = layers
	if cached { // nothing was evaluated, so nothing else can refer to the buffer
		s.results.recycle(buffer)
	}
	return decision
}

// completedFacts are facts with what the snapshot adds to them. The rest may be shared with the
// caller's facts.
type completedFacts struct {
	facts    gavel.Facts
	exec     gavel.ExecFacts
	segments []gavel.Segment
}

// complete adds to facts what the snapshot knows: the local time if a rule may read it, which
// allowlist entries and rules may apply, and how configured filters read their arguments. It
// returns the frozen part. Memory that the caller's facts refer to is not changed.
func (s *Snapshot) complete(ctx context.Context, facts *gavel.Facts) (*frozenPart, error) {
	buffer := completedFacts{facts: *facts}
	frozen, err := s.completeInto(ctx, &buffer)
	*facts = buffer.facts
	return frozen, err
}

// completeInto is complete for the facts in a buffer. It changes them in place.
func (s *Snapshot) completeInto(ctx context.Context, buffer *completedFacts) (*frozenPart, error) {
	facts := &buffer.facts
	facts.Time = s.localTime(facts.Time)
	frozen, err := s.frozenPartFor(ctx, facts)
	if err != nil || facts.Exec == nil {
		return frozen, err
	}
	if buffer.segments == nil {
		buffer.segments = make([]gavel.Segment, 0, len(facts.Exec.Segments)) // an empty list, because nil means unknown
	}
	buffer.exec, buffer.segments = *facts.Exec, append(buffer.segments[:0], facts.Exec.Segments...)
	for i := range buffer.segments {
		s.matchSegment(facts, &buffer.segments[i])
		classify(frozen.safeBins, &buffer.segments[i])
	}
	buffer.exec.Segments = buffer.segments
	facts.Exec = &buffer.exec
	return frozen, nil
}

// matchSegment looks up the allowlist entries and rules for a segment's program and wrappers.
func (s *Snapshot) matchSegment(facts *gavel.Facts, segment *gavel.Segment) {
	agent, home := facts.Agent.ID, facts.Environment.Home
	match := s.index.Match(agent, home, segment.Executable, func() ruleindex.Query {
		return ruleindex.NewQuery(facts.Environment.Workspace, segment.Executable, segment.Argv, segment.Hazards, segment.Opaque, segment.Dynamic)
	})
	segment.Match = &match
	segment.Wrappers = slices.Clone(segment.Wrappers)
	for i := range segment.Wrappers {
		wrapper := &segment.Wrappers[i]
		match := s.index.Match(agent, home, wrapper.Executable, func() ruleindex.Query {
			return ruleindex.NewQuery(facts.Environment.Workspace, wrapper.Executable, wrapper.Argv, wrapper.Hazards, "", []int{})
		})
		wrapper.Match = &match
	}
}

// input returns the whole input of the policy, for evaluations that need every member of it.
func (s *Snapshot) input(facts *gavel.Facts, frozen *frozenPart) (ast.Value, error) {
	b := newInputBuilder(frozen)
	input := regoir.Materialize(ast.NewTerm(b.input(facts))).Value
	return input, b.err
}

// denyFailed is the decision if an evaluation failed. The error of a rule may quote its input, so
// it is in the message, which only the caller gets, and not in the log.
func (s *Snapshot) denyFailed(ctx context.Context, err error) gavel.Decision {
	code, message, fix := gavel.CodePolicyError, err.Error(), "run gavel check and gavel test on the policy"
	if errors.Is(err, errEvaluatorsDiffer) {
		code, fix = gavel.CodeEvaluatorsDiffer, "report it with the policy and the call; --evaluator topdown decides meanwhile"
	}
	if ctx.Err() != nil || topdown.IsCancel(err) || errors.Is(err, context.DeadlineExceeded) {
		code, message, fix = gavel.CodeEvaluationTimeout, "the policy did not decide in time", "look for a slow rule in the policy, or raise the time limit"
	}
	return gavel.Decision{Effect: gavel.Deny, Revision: s.revision,
		Reasons: []gavel.Reason{{Layer: "gavel", Code: code, Message: message, Fix: fix}}}
}
