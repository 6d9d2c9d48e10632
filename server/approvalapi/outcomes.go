package approvalapi

import (
	"context"
	"sync"
	"time"

	"gavel"
	"gavel/approvals"
)

// outcomes keeps the final decisions on approved calls, so that a client that lost its connection and
// waits again gets the same one. If several requests have joined a question, only one of them gets a
// yes, because an answer permits one call.
type outcomes struct {
	mu     sync.Mutex
	byID   map[string]*outcome // by the id of the approval
	pruned time.Time
}

type outcome struct {
	requests int       // that joined the question; guarded by the lock of outcomes, as is until
	until    time.Time // after this, nobody can still wait for the approval

	mu      sync.Mutex
	decided bool
	view    decisionView
	allowed bool // a request got a yes
}

// pruneEvery is the interval at which old outcomes are removed.
const pruneEvery = time.Second

// get returns the outcome of an approval, and creates it if needed.
func (c *outcomes) get(id string, now, until time.Time) *outcome {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]*outcome{}
	}
	if now.Sub(c.pruned).Abs() >= pruneEvery { // the clock may have been set
		c.pruned = now
		for known, result := range c.byID {
			if !now.Before(result.until) {
				delete(c.byID, known)
			}
		}
	}
	result, known := c.byID[id]
	if !known {
		result = &outcome{}
		c.byID[id] = result
	}
	if until.After(result.until) {
		result.until = until
	}
	return result
}

// join counts a request that waits or will wait for an approval.
func (c *outcomes) join(a *gavel.Approval, now time.Time) {
	result := c.get(a.ID, now, a.ExpiresAt.Add(2*approvals.Grace))
	c.mu.Lock()
	defer c.mu.Unlock()
	result.requests++
}

// single reports whether at most one request has joined.
func (c *outcomes) single(result *outcome) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return result.requests <= 1
}

// finalDecision returns the decision after a question has ended. The client runs the command without
// asking for another decision, so the call is decided again here, with the current policy, files and
// pauses, and the answer is used up.
func (a *API) finalDecision(ctx context.Context, waited *gavel.Approval, from gavel.Caller) decisionView {
	view := decided(*waited)
	yes := waited.Answer == gavel.AllowOnce || waited.Answer == gavel.AllowAlways
	if !yes || !approvals.AskedBy(waited, from) {
		return view
	}
	now := a.cfg.PDP.Now()
	result := a.outcomes.get(waited.ID, now, now.Add(2*approvals.Grace))
	sole := a.outcomes.single(result)
	result.mu.Lock()
	defer result.mu.Unlock()
	if !result.decided {
		result.view, result.decided = a.decideAgain(ctx, waited, view, from), true
	}
	if result.allowed && !sole && result.view.Effect == gavel.Allow.String() && waited.Answer == gavel.AllowOnce {
		return withDenial(view, gavel.Reason{Layer: "gavel", Code: gavel.CodeNoApprovals, Message: "the answer permits one call, and another request has used it", Fix: "ask again"})
	}
	result.allowed = true
	return result.view
}

// decideAgain decides a call again that people have approved.
func (a *API) decideAgain(ctx context.Context, answered *gavel.Approval, view decisionView, from gavel.Caller) decisionView {
	call, known := a.cfg.People.CallOf(answered.ID)
	if !known {
		return withDenial(view, gavel.Reason{Layer: "gavel", Code: gavel.CodeNoApprovals, Message: "people have permitted the call, but Gavel no longer knows what it was",
			Fix: "ask again within 15 seconds: the answer is then used"})
	}
	call.Caller = speaker(from)
	options := optionsFor(from)
	options.AskNobody = true
	d := a.cfg.PDP.Decide(context.WithoutCancel(ctx), call, options) // even if the client has just gone: the answer is used up
	if d.Effect != gavel.Allow {
		return withDenial(view, d.Reasons...)
	}
	view.Effect = gavel.Allow.String()
	if d.Approval != nil {
		view.Grant = d.Approval.Grant
	}
	return view
}

// withDenial returns a view that denies, whatever people answered. Its Decision is deny as well,
// because some clients read nothing else.
func withDenial(view decisionView, reasons ...gavel.Reason) decisionView {
	no := string(gavel.DenyAnswer)
	view.Decision, view.Effect, view.Reasons = &no, gavel.Deny.String(), reasons
	return view
}

// optionsFor returns the options of decisions for a caller.
func optionsFor(from gavel.Caller) gavel.Options {
	return gavel.Options{RequestedBy: from.From, Caller: from.Credential, Person: from.Person, Issue: func() string { return from.Issue }, Unverified: true}
}
