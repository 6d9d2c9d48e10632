package gavel

import (
	"context"
	"errors"
	"slices"
)

// askPeople looks for an answer to a call that the policy asks about, or opens a question. An answer
// is a fact with which the policy judges again: only the rules of layer 3 permit a call because of
// an answer. Any failure denies. If a verifier must agree as well, the answer is used up only after
// the verifiers have allowed the call.
func (p *PDP) askPeople(ctx context.Context, event *Event, opts Options) {
	asked := event.Decision
	found, err := p.Approvals.Look(ctx, opts.question(event, &asked))
	if err != nil {
		event.Decision = asked.denied(approvalFailure(err))
		return
	}
	p.decideAgain(ctx, event, opts, found)
	if event.Decision.Asks != nil && p.Verifiers != nil {
		event.answer = &personAnswer{&asked, found}
		return
	}
	p.useAnswer(ctx, event, opts, &personAnswer{&asked, found})
}

// personAnswer is what approvals know about a call, and the decision that asked.
type personAnswer struct {
	original *Decision
	found    ApprovalFacts
}

// useAnswer uses up a person's answer if the call is allowed with it. It opens a question if the
// policy still asks.
func (p *PDP) useAnswer(ctx context.Context, event *Event, opts Options, a *personAnswer) {
	asked, found := a.original, a.found
	q := opts.question(event, asked)
	if event.Decision.Effect == Allow && found.Found {
		consumed, grant, err := p.Approvals.Consume(ctx, found.ID, found.Bound, event.Decision.Exec)
		if err == nil {
			event.Decision.Approval = &Pending{ID: consumed.ID, ExpiresAt: consumed.ExpiresAt, Comment: p.comments(ctx, consumed.ID, q).Comment, Grant: grant}
			return
		}
		if !codeIs(err, CodeApprovalConsumed, CodeApprovalExpired, CodeApprovalNotFound, CodeApprovalConflict) {
			event.Decision = asked.denied(approvalFailure(err))
			return
		}
		// Another call used the answer first, so this call has none and asks again.
		p.decideAgain(ctx, event, opts, ApprovalFacts{Looked: true, Bound: found.Bound, Seen: found.Seen, Trusted: found.Trusted})
	}
	switch {
	case event.Decision.Effect == Ask && opts.AskNobody:
		event.Decision = asked.denied(Reason{Layer: "gavel", Code: CodeNoApprovals,
			Message: "no answer covers the call as it is now: it has changed, or the answer was used", Fix: "ask again"})
	case event.Decision.Effect == Ask:
		p.open(ctx, event, opts)
	case event.Decision.Effect == Deny && found.Found && found.Decision == string(DenyAnswer):
		if pending := p.comments(ctx, found.ID, q); pending.Comment != "" {
			event.Decision.Approval = &pending
		}
	}
}

// question returns what people are asked about a call.
func (o *Options) question(event *Event, asked *Decision) Question {
	return Question{Facts: &event.Facts, Decision: asked, Caller: o.Caller, Issue: o.issue(), Person: o.Person, From: o.RequestedBy}
}

// comments returns an answered approval with people's comments, or the zero value if the asker may
// not see them.
func (p *PDP) comments(ctx context.Context, id string, q Question) Pending {
	commenter, ok := p.Approvals.(Commenter)
	if !ok {
		return Pending{}
	}
	pending, _ := commenter.Answered(ctx, id, q)
	return pending
}

// issue returns a value that distinguishes credentials of the same name, or "".
func (o *Options) issue() string {
	if o.Issue == nil {
		return ""
	}
	return o.Issue()
}

// open opens a question, or finds the one that is open, and adds it to the decision. If nobody can be
// asked, it decides again with that fact.
func (p *PDP) open(ctx context.Context, event *Event, opts Options) {
	asked := event.Decision
	facts := event.Facts
	answered := func(why string) ApprovalFacts {
		bound := event.Facts.Approval.Bound
		return ApprovalFacts{Looked: true, Bound: bound, Found: true, Binding: bound,
			State: string(ApprovalExpired), Expired: why, Seen: event.Facts.Approval.Seen}
	}
	q := Question{Facts: &facts, Decision: &asked, Caller: opts.Caller, Issue: opts.issue(), Person: opts.Person, From: opts.RequestedBy, ID: opts.ApprovalID, Timeout: opts.ApprovalTimeout, Call: event.call, Fallback: func() Outcome {
		later := facts
		later.Approval = answered(ExpiredTimeout)
		d := p.decideFacts(ctx, event.Snapshot, later, false)
		if d.Effect != Allow {
			d.Effect = Deny
		}
		return Outcome{Effect: d.Effect, Reasons: d.Reasons, Revision: d.Revision}
	}}
	opened, err := p.Approvals.Open(ctx, q)
	if err != nil {
		event.Decision = asked.denied(approvalFailure(err))
		return
	}
	if opened.State == ApprovalPending {
		event.Decision.Approval = &Pending{ID: opened.ID, ExpiresAt: opened.ExpiresAt}
		return
	}
	p.decideAgain(ctx, event, opts, answered(opened.Expired))
	if event.Decision.Effect == Ask { // the policy has no fallback for this
		event.Decision = event.Decision.denied(Reason{Layer: "gavel", Code: CodeNoApprovals,
			Message: "nobody can be asked: " + opened.Expired, Fix: "connect an approver"})
	}
}

// decideAgain decides the call again with an answer.
func (p *PDP) decideAgain(ctx context.Context, event *Event, opts Options, known ApprovalFacts) {
	event.Facts.Approval = known
	event.Decision = p.decideFacts(ctx, event.Snapshot, event.Facts, opts.Explain)
}

// finish adds the allowlist file's lines to a decision, and records uses.
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

// approvalFailure returns the reason to deny a call whose question or answer failed. It does not
// show the cause to the caller.
func approvalFailure(err error) Reason {
	reason := Reason{Layer: "gavel", Code: CodeNoApprovals, Message: "the call needs an answer, but the approvals store failed",
		Fix: "see the server's log"}
	var known *ApprovalError
	if errors.As(err, &known) {
		reason.Message, reason.Fix = "the call needs an answer: "+known.Message, known.Fix
	}
	return reason
}
