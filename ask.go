package gavel

import (
	"context"
	"errors"
	"slices"
)

// settle takes a call that the policy asks about to the people who answer. What
// they said is a fact, and the policy judges again with it: an answer permits a
// call only through the rules of layer 3. Any failure denies.
func (p *PDP) settle(ctx context.Context, event *Event, opts Options) {
	asked := event.Decision
	q := Question{Facts: &event.Facts, Decision: &asked, Caller: opts.Caller, Issue: opts.issue(), Person: opts.Person, From: opts.RequestedBy}
	found, err := p.Approvals.Look(ctx, q)
	if err != nil {
		event.Decision = asked.denied(unanswerable(err))
		return
	}
	p.again(ctx, event, opts, found)
	if event.Decision.Effect == Allow && found.Found {
		consumed, grant, err := p.Approvals.Consume(ctx, found.ID, found.Bound)
		if err == nil {
			event.Decision.Approval = &Pending{ID: consumed.ID, ExpiresAt: consumed.ExpiresAt, Grant: grant}
			return
		}
		if !codeIs(err, CodeApprovalConsumed, CodeApprovalExpired, CodeApprovalNotFound, CodeApprovalConflict) {
			event.Decision = asked.denied(unanswerable(err))
			return
		}
		// Another call was faster: this one has no answer, and asks again.
		p.again(ctx, event, opts, ApprovalFacts{Looked: true, Bound: found.Bound, Seen: found.Seen, Trusted: found.Trusted})
	}
	if event.Decision.Effect == Ask {
		p.open(ctx, event, opts)
	}
}

// issue tells credentials of one name apart.
func (o *Options) issue() string {
	if o.Issue == nil {
		return ""
	}
	return o.Issue()
}

// open puts the question to people, or returns the one that is being put.
func (p *PDP) open(ctx context.Context, event *Event, opts Options) {
	asked := event.Decision
	facts := event.Facts
	answered := func(why string) ApprovalFacts {
		bound := event.Facts.Approval.Bound
		return ApprovalFacts{Looked: true, Bound: bound, Found: true, Binding: bound,
			State: string(ApprovalExpired), Expired: why, Seen: event.Facts.Approval.Seen}
	}
	q := Question{Facts: &facts, Decision: &asked, Caller: opts.Caller, Issue: opts.issue(), Person: opts.Person, From: opts.RequestedBy, ID: opts.ApprovalID, Timeout: opts.ApprovalTimeout, Fallback: func() Outcome {
		later := facts
		later.Approval = answered(ExpiredTimeout)
		d := p.reconsider(ctx, event.Snapshot, later, false)
		if d.Effect != Allow {
			d.Effect = Deny
		}
		return Outcome{Effect: d.Effect, Reasons: d.Reasons, Revision: d.Revision}
	}}
	opened, err := p.Approvals.Open(ctx, q)
	if err != nil {
		event.Decision = asked.denied(unanswerable(err))
		return
	}
	if opened.State == ApprovalPending {
		event.Decision.Approval = &Pending{ID: opened.ID, ExpiresAt: opened.ExpiresAt}
		return
	}
	p.again(ctx, event, opts, answered(opened.Expired))
	if event.Decision.Effect == Ask { // a policy that asks nobody
		event.Decision = event.Decision.denied(Reason{Layer: "gavel", Code: CodeNoApprovals,
			Message: "nobody can be asked: " + opened.Expired, Fix: "connect an approver"})
	}
}

// again decides again, with what is known of an answer.
func (p *PDP) again(ctx context.Context, event *Event, opts Options, known ApprovalFacts) {
	event.Facts.Approval = known
	event.Decision = p.reconsider(ctx, event.Snapshot, event.Facts, opts.Explain)
}

// finish adds to a decision what the allowlist file knows, and tells it of use.
func (p *PDP) finish(event *Event) {
	if p.File == nil {
		return
	}
	for i := range event.Decision.Reasons {
		source := &event.Decision.Reasons[i].Source
		if file, line, ok := p.File.Locate(source.Path); ok {
			source.File, source.Line = file, line
		}
	}
	if event.Decision.Effect == Allow {
		p.File.Used(&event.Facts)
	}
}

func codeIs(err error, codes ...string) bool {
	var known *ApprovalError
	return errors.As(err, &known) && slices.Contains(codes, known.Code)
}

// unanswerable says why an ask becomes a deny. What the cause was is not for the
// one who asks.
func unanswerable(err error) Reason {
	reason := Reason{Layer: "gavel", Code: CodeNoApprovals, Message: "the call needs an answer, but the approvals store failed",
		Fix: "see the server's log"}
	var known *ApprovalError
	if errors.As(err, &known) {
		reason.Message, reason.Fix = "the call needs an answer: "+known.Message, known.Fix
	}
	return reason
}
