package gavel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// asking is a policy that asks, until somebody has answered.
type asking struct{ fallback gavel.Effect }

func (asking) Revision() string { return "r" }

func (a asking) Decide(_ context.Context, facts gavel.Facts, _ bool) gavel.Decision {
	d := gavel.Decision{Effect: gavel.Ask, Terms: &gavel.Terms{}, Reasons: []gavel.Reason{{Code: "asked"}}, Revision: "r"}
	switch known := facts.Approval; {
	case known.State == "resolved" && known.Decision == "allow-once":
		d.Effect = gavel.Allow
	case known.State == "resolved":
		d.Effect = gavel.Deny
	case known.State == "expired":
		d.Effect, d.Reasons = a.fallback, []gavel.Reason{{Code: "fallback"}}
	}
	return d
}

func (asking) Tools(context.Context, gavel.Facts) gavel.ToolReport { return gavel.ToolReport{} }

func (asking) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (asking) Overrides() []string                       { return nil }

func (asking) Masks() bool { return false }

func (asking) Mask(context.Context, map[string]any) ([]gavel.MaskRule, error) { return nil, nil }

// people answer as a test says.
type people struct {
	found    gavel.ApprovalFacts
	opened   gavel.Approval
	look     error
	open     error
	consume  error
	asked    []string // what was called
	fallback gavel.Outcome
}

func (p *people) Look(context.Context, gavel.Question) (gavel.ApprovalFacts, error) {
	p.asked = append(p.asked, "look")
	return p.found, p.look
}

func (p *people) Open(_ context.Context, q gavel.Question) (gavel.Approval, error) {
	p.asked = append(p.asked, "open")
	p.fallback = q.Fallback()
	return p.opened, p.open
}

func (p *people) Consume(context.Context, string, string, *gavel.Exec) (gavel.Approval, *gavel.Grant, error) {
	p.asked = append(p.asked, "consume")
	return gavel.Approval{ID: "a1"}, nil, p.consume
}

func TestAsksAreSettledWithPeople(t *testing.T) {
	pending := gavel.Approval{ID: "a1", State: gavel.ApprovalPending}
	answered := func(answer string) gavel.ApprovalFacts {
		return gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: answer}
	}
	used := &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed}
	for name, c := range map[string]struct {
		people   people
		fallback gavel.Effect
		want     gavel.Effect
		code     string
		calls    []string
		id       string
	}{
		"nobody has answered: one is opened": {people: people{opened: pending}, want: gavel.Ask, code: "asked", calls: []string{"look", "open"}, id: "a1"},
		"yes is used up":                     {people: people{found: answered("allow-once")}, want: gavel.Allow, code: "asked", calls: []string{"look", "consume"}, id: "a1"},
		"a no is a denial":                   {people: people{found: answered("deny")}, want: gavel.Deny, code: "asked", calls: []string{"look"}},
		"another call was faster: a new one is opened": {people: people{found: answered("allow-once"), opened: pending, consume: used},
			want: gavel.Ask, code: "asked", calls: []string{"look", "consume", "open"}, id: "a1"},
		"an answer that cannot be used up permits nothing": {people: people{found: answered("allow-once"), consume: errors.New("disk")},
			want: gavel.Deny, code: gavel.CodeNoApprovals, calls: []string{"look", "consume"}},
		"nobody can look":       {people: people{look: errors.New("disk")}, want: gavel.Deny, code: gavel.CodeNoApprovals, calls: []string{"look"}},
		"nothing can be opened": {people: people{open: errors.New("disk")}, want: gavel.Deny, code: gavel.CodeNoApprovals, calls: []string{"look", "open"}},
		"no route, and the fallback denies": {people: people{opened: gavel.Approval{State: gavel.ApprovalExpired, Expired: gavel.ExpiredNoRoute}},
			want: gavel.Deny, code: "fallback", calls: []string{"look", "open"}},
		"no route, and the fallback allows": {people: people{opened: gavel.Approval{State: gavel.ApprovalExpired, Expired: gavel.ExpiredNoRoute}},
			fallback: gavel.Allow, want: gavel.Allow, code: "fallback", calls: []string{"look", "open"}},
		"no route, and a policy that still asks": {people: people{opened: gavel.Approval{State: gavel.ApprovalExpired}},
			fallback: gavel.Ask, want: gavel.Deny, code: gavel.CodeNoApprovals, calls: []string{"look", "open"}},
	} {
		t.Run(name, func(t *testing.T) {
			who := c.people
			pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{asking{c.fallback}}, NewID: func() string { return "id" }, Now: time.Now, Approvals: &who}
			d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
			assert.Equal(t, c.want, d.Effect)
			assert.Equal(t, c.code, d.Reasons[0].Code)
			assert.Equal(t, c.calls, who.asked)
			id := ""
			if d.Approval != nil {
				id = d.Approval.ID
			}
			assert.Equal(t, c.id, id)
			if c.fallback != gavel.Allow {
				assert.Equal(t, gavel.Deny, who.fallback.Effect, "a fallback that is not an allow denies")
			}
		})
	}
}

func TestACallWithoutPermissionToAskIsAllowedOnlyByAnExistingAnswer(t *testing.T) {
	for name, c := range map[string]struct {
		people people
		want   gavel.Effect
		calls  []string
	}{
		"nobody has answered": {people{}, gavel.Deny, []string{"look"}},
		"an answer":           {people{found: gavel.ApprovalFacts{Looked: true, Found: true, State: "resolved", Decision: "allow-once"}}, gavel.Allow, []string{"look", "consume"}},
		"an answer that another call used": {people{consume: &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed},
			found: gavel.ApprovalFacts{Looked: true, Found: true, State: "resolved", Decision: "allow-once"}}, gavel.Deny, []string{"look", "consume"}},
	} {
		who := c.people
		pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{asking{}}, NewID: func() string { return "id" }, Now: time.Now, Approvals: &who}
		d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{AskNobody: true})
		assert.Equal(t, c.want, d.Effect, name)
		assert.Equal(t, c.calls, who.asked, name)
	}
}

// panicking is a policy that asks, and panics when it decides again with an answer.
type panicking struct{ asking }

func (p panicking) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	if facts.Approval.Found {
		panic("a bug")
	}
	return p.asking.Decide(ctx, facts, explain)
}

func TestAPolicyThatPanicsAboutAnAnswerDenies(t *testing.T) {
	who := people{found: gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: "allow-once"}}
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{panicking{}}, NewID: func() string { return "id" }, Now: time.Now, Approvals: &who}
	d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, gavel.CodeInternal, d.Reasons[0].Code)
	assert.Equal(t, []string{"look"}, who.asked, "the answer is not used up")
}

// tardy are people whose answer is found only after the time limit of the decision.
type tardy struct{ people }

func (s *tardy) Consume(ctx context.Context, _, _ string, _ *gavel.Exec) (gavel.Approval, *gavel.Grant, error) {
	<-ctx.Done()
	return gavel.Approval{ID: "a1"}, nil, nil
}

func TestAnAnswerThatIsUsedAfterTheTimeLimitPermitsNothing(t *testing.T) {
	who := &tardy{people{found: gavel.ApprovalFacts{Looked: true, Found: true, ID: "a1", State: "resolved", Decision: "allow-once"}}}
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{asking{}}, NewID: func() string { return "id" }, Now: time.Now, Approvals: who, Timeout: 50 * time.Millisecond}
	d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, gavel.CodeEvaluationTimeout, d.Reasons[0].Code)
}

func TestWithoutApprovalsAnAskStaysAnAsk(t *testing.T) {
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{asking{}}, NewID: func() string { return "id" }, Now: time.Now}
	assert.Equal(t, gavel.Ask, pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{}).Effect)
}
