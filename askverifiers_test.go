package gavel_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// verifying is a policy whose calls a verifier must agree to, after a person if it asks.
type verifying struct {
	asking
	asks bool
}

func (v verifying) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	d := gavel.Decision{Effect: gavel.Allow, Reasons: []gavel.Reason{{Code: "allowed"}}, Revision: "r"}
	if v.asks {
		d = v.asking.Decide(ctx, facts, explain)
	}
	d.Verify = []string{"webhook"}
	switch {
	case d.Effect != gavel.Allow:
	case !facts.Verification.Asked:
		d.Effect, d.Reasons = gavel.Deny, []gavel.Reason{{Code: "verifier.unasked"}}
		d.Asks = &gavel.Asks{Verifiers: []gavel.AskedVerifier{{Name: "webhook"}}}
	case facts.Verification.Answers[0].Outcome != gavel.VerifierAllowed:
		d.Effect, d.Reasons = gavel.Deny, []gavel.Reason{{Code: "verifier." + facts.Verification.Answers[0].Outcome}}
	}
	return d
}

// outside answers as a test says, and counts.
type outside struct {
	outcome string
	asked   atomic.Int64
	wait    func(ctx context.Context)
}

func (o *outside) Ask(ctx context.Context, _ *gavel.Decision, _ *gavel.Facts) []gavel.VerifierAnswer {
	o.asked.Add(1)
	if o.wait != nil {
		o.wait(ctx)
	}
	return []gavel.VerifierAnswer{{Verifier: "webhook", Outcome: o.outcome}}
}

func verified(policy gavel.Snapshot, who *outside, people gavel.Approvals) *gavel.PDP {
	pdp := &gavel.PDP{Analyzer: nothing{}, Policy: only{policy}, NewID: func() string { return "id" }, Now: time.Now}
	if who != nil {
		pdp.Verifiers = who
	}
	pdp.Approvals = people
	return pdp
}

func TestACallIsAllowedOnlyWithItsVerifiersAnswer(t *testing.T) {
	for outcome, want := range map[string]gavel.Effect{gavel.VerifierAllowed: gavel.Allow, gavel.VerifierDenied: gavel.Deny, gavel.VerifierEnded: gavel.Deny, "": gavel.Deny} {
		d := verified(verifying{}, &outside{outcome: outcome}, nil).Decide(t.Context(), gavel.Call{}, gavel.Options{})
		assert.Equal(t, want, d.Effect, outcome)
		assert.Equal(t, []string{"webhook"}, d.Verify)
	}
	d := verified(verifying{}, nil, nil).Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, "verifier.unasked", d.Reasons[0].Code, "without verifiers nobody can agree")
}

// pausing is a policy that denies calls of paused agents, and a list of them.
type pausing struct {
	verifying
	paused atomic.Bool
}

func (v *pausing) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	if facts.Pause.State == gavel.PausePaused {
		return gavel.Decision{Reasons: []gavel.Reason{{Code: "agent.paused"}}}
	}
	return v.verifying.Decide(ctx, facts, explain)
}

func (v *pausing) Observe(*gavel.AgentFacts) gavel.PauseFacts {
	if v.paused.Load() {
		return gavel.PauseFacts{State: gavel.PausePaused}
	}
	return gavel.PauseFacts{}
}

func TestAnAgentThatIsPausedWhileVerifiersAreAskedIsDenied(t *testing.T) {
	policy := &pausing{}
	who := &outside{outcome: gavel.VerifierAllowed, wait: func(context.Context) { policy.paused.Store(true) }}
	pdp := verified(policy, who, nil)
	pdp.Pauses = policy
	d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, "agent.paused", d.Reasons[0].Code)
	assert.EqualValues(t, 1, who.asked.Load())
}

func TestTheTimeLimitOfADecisionDoesNotLimitVerifiers(t *testing.T) {
	for name, decide := range map[string]func(*gavel.PDP) gavel.Decision{
		"one call": func(p *gavel.PDP) gavel.Decision { return p.Decide(t.Context(), gavel.Call{}, gavel.Options{}) },
		"several": func(p *gavel.PDP) gavel.Decision {
			return p.DecideAll(t.Context(), make([]gavel.Call, 3), gavel.Options{})[2]
		},
	} {
		who := &outside{outcome: gavel.VerifierAllowed, wait: func(ctx context.Context) {
			_, limited := ctx.Deadline()
			assert.False(t, limited, "%s: the time limit is not passed on", name)
		}}
		pdp := verified(verifying{}, who, nil)
		pdp.Timeout = time.Minute
		assert.Equal(t, gavel.Allow, decide(pdp).Effect, name)
	}
}

func TestCallsOfABatchAreVerifiedConcurrently(t *testing.T) {
	const calls = 5
	for name, policy := range map[string]verifying{"calls that nobody else is asked about": {}, "calls to which a person has agreed": {asks: true}} {
		var waiting atomic.Int64
		all := make(chan struct{})
		who := &outside{outcome: gavel.VerifierAllowed, wait: func(context.Context) {
			if waiting.Add(1) == calls {
				close(all)
			}
			<-all // returns only if all are asked at once
		}}
		person := &patient{people: people{found: gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: "allow-once"}}}
		for _, d := range verified(policy, who, person).DecideAll(t.Context(), make([]gavel.Call, calls), gavel.Options{}) {
			assert.Equal(t, gavel.Allow, d.Effect, name)
		}
	}
}

// patient is people who can be asked by several at a time.
type patient struct {
	mu sync.Mutex
	people
}

func (p *patient) Consume(ctx context.Context, id, bound string, exec *gavel.Exec) (gavel.Approval, *gavel.Grant, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.people.Consume(ctx, id, bound, exec)
}

func TestACallThatEndsDuringVerificationDoesNotConsumeAnAnswer(t *testing.T) {
	person := &people{found: gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: "allow-once"}}
	who := &outside{wait: func(context.Context) { panic("x") }}
	d := verified(verifying{asks: true}, who, person).Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.CodeInternal, d.Reasons[0].Code)
	assert.Equal(t, []string{"look"}, person.asked)
}

func TestVerifiersAreAskedAfterAPersonAnsweredAndBeforeTheAnswerIsConsumed(t *testing.T) {
	yes := gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: "allow-once"}
	for outcome, calls := range map[string][]string{gavel.VerifierAllowed: {"look", "consume"}, gavel.VerifierDenied: {"look"}} {
		who, person := &outside{outcome: outcome}, &people{found: yes}
		d := verified(verifying{asks: true}, who, person).Decide(t.Context(), gavel.Call{}, gavel.Options{})
		assert.Equal(t, outcome == gavel.VerifierAllowed, d.Effect == gavel.Allow, outcome)
		assert.Equal(t, calls, person.asked, outcome)
		assert.Equal(t, int64(1), who.asked.Load())
	}
	who, person := &outside{outcome: gavel.VerifierAllowed}, &people{opened: gavel.Approval{ID: "a1", State: gavel.ApprovalPending}}
	d := verified(verifying{asks: true}, who, person).Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Ask, d.Effect)
	assert.Zero(t, who.asked.Load(), "a person is asked first")
}

func TestNoVerifierIsAskedIfTooManyRequestsWait(t *testing.T) {
	who := &outside{outcome: gavel.VerifierAllowed}
	d := verified(verifying{}, who, nil).Decide(t.Context(), gavel.Call{}, gavel.Options{BeginWait: func(context.Context) (context.Context, func(), error) {
		return nil, nil, errors.New("too many")
	}})
	assert.Equal(t, "verifier.busy", d.Reasons[0].Code)
	assert.Zero(t, who.asked.Load())
}

func TestACallerThatSkipsVerificationIsDenied(t *testing.T) {
	person := &people{}
	d := verified(verifying{asks: true}, &outside{outcome: gavel.VerifierAllowed}, person).Decide(t.Context(), gavel.Call{}, gavel.Options{Unverified: true})
	assert.Equal(t, gavel.CodeUnverified, d.Reasons[0].Code)
	assert.Empty(t, person.asked, "nobody is asked in vain")
	d = verified(verifying{}, &outside{outcome: gavel.VerifierAllowed}, nil).Decide(t.Context(), gavel.Call{}, gavel.Options{Unverified: true})
	assert.Equal(t, gavel.Deny, d.Effect)
}

func TestAVerifierThatPanicsDenies(t *testing.T) {
	who := &outside{wait: func(context.Context) { panic("x") }}
	d := verified(verifying{}, who, nil).Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.CodeInternal, d.Reasons[0].Code)
}

// recorder notes whether a decision could be recorded as a whole.
type recorder struct{ ended []error }

func (r *recorder) Record(ctx context.Context, _ gavel.Event) error {
	r.ended = append(r.ended, ctx.Err())
	return nil
}

func TestADecisionIsRecordedInFullEvenIfItsCallerIsGone(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	who := &outside{outcome: gavel.VerifierEnded, wait: func(context.Context) { leave() }}
	pdp, log := verified(verifying{}, who, nil), &recorder{}
	pdp.Log = log
	assert.Equal(t, gavel.Deny, pdp.Decide(ctx, gavel.Call{}, gavel.Options{}).Effect)
	assert.Equal(t, []error{nil}, log.ended)
}

// stalling is a policy that does not finish when it judges with the answers of verifiers.
type stalling struct{ verifying }

func (s stalling) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	if facts.Verification.Asked {
		<-ctx.Done()
		<-time.After(time.Hour)
	}
	return s.verifying.Decide(ctx, facts, explain)
}

func TestAPolicyThatIsTooSlowWithTheVerifiersAnswersDenies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pdp := verified(stalling{}, &outside{outcome: gavel.VerifierAllowed}, nil)
		pdp.Timeout = time.Second
		d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
		assert.Equal(t, gavel.Deny, d.Effect)
		if assert.Len(t, d.Reasons, 1) {
			assert.Equal(t, gavel.CodeEvaluationTimeout, d.Reasons[0].Code)
		}
		assert.Equal(t, "r", d.Revision)
		time.Sleep(2 * time.Hour) // the evaluation ends
	})
}
