package approvalapi

import (
	"context"
	"sync"
	"time"

	"gavel"
	"gavel/approvals"
)

// conclusions are what holds for whoever asked, now that people have said yes. A client that lost
// its connection and waits again is told the same. If several requests have joined a question, one
// of them is told yes, since an answer permits one call.
type conclusions struct {
	mu     sync.Mutex
	by     map[string]*conclusion // by the id of the approval
	pruned time.Time
}

type conclusion struct {
	requests int       // that joined the question; the lock of conclusions guards it and until
	until    time.Time // when nobody can wait for the approval any more

	mu    sync.Mutex
	made  bool
	view  decisionView
	taken bool // somebody was told yes
}

// pruneEvery is how often conclusions are looked through for those that are over.
const pruneEvery = time.Second

// of returns the conclusion of an approval.
func (c *conclusions) of(id string, now, until time.Time) *conclusion {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]*conclusion{}
	}
	if now.Sub(c.pruned).Abs() >= pruneEvery { // the clock may have been set
		c.pruned = now
		for known, one := range c.by {
			if !now.Before(one.until) {
				delete(c.by, known)
			}
		}
	}
	one, known := c.by[id]
	if !known {
		one = &conclusion{}
		c.by[id] = one
	}
	if until.After(one.until) {
		one.until = until
	}
	return one
}

// joined counts a request that waits for an approval, or is going to.
func (c *conclusions) joined(a *gavel.Approval, now time.Time) {
	one := c.of(a.ID, now, a.ExpiresAt.Add(2*approvals.Grace))
	c.mu.Lock()
	defer c.mu.Unlock()
	one.requests++
}

// sole reports whether at most one request was made.
func (c *conclusions) sole(one *conclusion) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return one.requests <= 1
}

// conclude says what holds after a question has ended. Whoever asked runs the command without
// asking for a decision again, so the call is decided once more here: the policy, the files and
// the pauses are those of now, and the answer is used up.
func (a *API) conclude(ctx context.Context, waited *gavel.Approval, from gavel.Caller) decisionView {
	view := decided(*waited)
	yes := waited.Answer == gavel.AllowOnce || waited.Answer == gavel.AllowAlways
	if !yes || !approvals.AskedBy(waited, from) {
		return view
	}
	now := a.cfg.PDP.Now()
	last := a.last.of(waited.ID, now, now.Add(2*approvals.Grace))
	sole := a.last.sole(last)
	last.mu.Lock()
	defer last.mu.Unlock()
	if !last.made {
		last.view, last.made = a.decideAgain(ctx, waited, view, from), true
	}
	if last.taken && !sole && last.view.Effect == gavel.Allow.String() && waited.Answer == gavel.AllowOnce {
		return refused(view, gavel.Reason{Layer: "gavel", Code: gavel.CodeNoApprovals, Message: "the answer permits one call, and another request has used it", Fix: "ask again"})
	}
	last.taken = true
	return last.view
}

// decideAgain decides a call that people have permitted.
func (a *API) decideAgain(ctx context.Context, answered *gavel.Approval, view decisionView, from gavel.Caller) decisionView {
	call, known := a.cfg.People.CallOf(answered.ID)
	if !known {
		return refused(view, gavel.Reason{Layer: "gavel", Code: gavel.CodeNoApprovals, Message: "people have permitted the call, but Gavel no longer knows what it was",
			Fix: "ask again within 15 seconds: the answer is then used"})
	}
	call.Caller = speaker(from)
	options := asking(from)
	options.AskNobody = true
	d := a.cfg.PDP.Decide(context.WithoutCancel(ctx), call, options) // the answer is used, even if the client has just gone
	if d.Effect != gavel.Allow {
		return refused(view, d.Reasons...)
	}
	view.Effect = gavel.Allow.String()
	if d.Approval != nil {
		view.Grant = d.Approval.Grant
	}
	return view
}

// refused is a no, whatever people have said: clients may read only the decision.
func refused(view decisionView, reasons ...gavel.Reason) decisionView {
	no := string(gavel.DenyAnswer)
	view.Decision, view.Effect, view.Reasons = &no, gavel.Deny.String(), reasons
	return view
}

// asking are the options of decisions that a caller asks for here.
func asking(from gavel.Caller) gavel.Options {
	return gavel.Options{RequestedBy: from.From, Caller: from.Credential, Person: from.Person, Issue: func() string { return from.Issue }, Unverified: true}
}
