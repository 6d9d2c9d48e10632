package gavel

import (
	"context"
	"errors"
	"time"
)

// judge returns a new event with the facts and the decision about a call. It asks no verifier.
func (p *PDP) judge(ctx context.Context, snapshot Snapshot, call Call, opts Options) (event *Event) {
	began := p.Now()
	if snapshot == nil {
		event = newEvent(nil, opts, began)
		event.Decision.Reasons = []Reason{noPolicy()}
		return event
	}
	defer p.recovered(func(reason Reason) {
		if event == nil {
			event = newEvent(snapshot, opts, began)
		}
		event.Decision = Decision{Reasons: []Reason{reason}, Revision: snapshot.Revision()}
	})
	ctx, cancel := p.deadline(ctx)
	defer cancel()
	seen, late := watched(ctx, p, func() view { return p.look(ctx, snapshot, call, opts, began) })
	if late != nil {
		seen = view{newEvent(snapshot, opts, began), p.Now()}
		seen.event.Facts, seen.event.Decision = unread(call), Decision{Revision: snapshot.Revision()}.denied(*late)
	}
	event = seen.event
	event.Analysis = seen.analyzed.Sub(began)
	if opts.Unverified && len(event.Decision.Verify) > 0 && event.Decision.Effect != Deny {
		event.Decision = event.Decision.denied(Reason{Layer: "gavel", Code: CodeUnverified,
			Message: "a verifier must agree to the call, and this way of asking cannot wait for it",
			Fix:     "ask with POST /v1/decisions, and again after a person's answer"})
	}
	if event.Decision.Effect == Ask && p.Approvals != nil {
		p.settle(ctx, event, opts)
	}
	event.Evaluation = p.Now().Sub(seen.analyzed)
	if late == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		event.Decision = event.Decision.denied(*p.tooLate())
	}
	p.finish(event)
	event.Decision.pinned(&event.Facts, opts.Pins)
	if opts.Explain {
		event.explain()
	}
	return event
}

// explain adds to the decision what it was made from. Its layers are the policy's to add.
func (e *Event) explain() {
	e.Decision.Overrides, e.Decision.Facts = e.Snapshot.Overrides(), &e.Facts
}

func newEvent(snapshot Snapshot, opts Options, began time.Time) *Event {
	return &Event{Snapshot: snapshot, RequestedBy: opts.RequestedBy, Caller: opts.Caller, Timestamp: began}
}

// view is the result of analysis and policy for a call.
type view struct {
	event    *Event // with facts and decision
	analyzed time.Time
}

// unread is the log's record of a call that could not be analyzed in time.
func unread(call Call) Facts {
	return Facts{Agent: AgentFacts{ID: call.Agent.ID}, Session: SessionFacts{Key: call.Session.Key}, Tool: ToolFacts{Name: call.Tool.Name, Params: call.Tool.Params}}
}

// look analyzes a call and has the policy judge it. A panic is a deny.
func (p *PDP) look(ctx context.Context, snapshot Snapshot, call Call, opts Options, began time.Time) (seen view) {
	if p.Spent != nil {
		since := time.Now() // of this machine's work, which has no other clock
		defer func() { p.Spent(opts.Caller, time.Since(since)) }()
	}
	defer p.recovered(func(reason Reason) {
		seen = view{newEvent(snapshot, opts, began), p.Now()}
		seen.event.Decision = Decision{Reasons: []Reason{reason}, Revision: snapshot.Revision()}
	})
	event := newEvent(snapshot, opts, began)
	event.Facts = p.observe(ctx, snapshot, call)
	seen = view{event, p.Now()}
	p.observeState(&event.Facts)
	event.Decision = snapshot.Decide(ctx, event.Facts, opts.Explain)
	return seen
}

// observeState adds what the state of this PDP says about a call.
func (p *PDP) observeState(facts *Facts) {
	if p.File != nil {
		p.File.Observe(facts)
	}
	if p.Pauses != nil {
		facts.Pause = p.Pauses.Observe(&facts.Agent)
	}
}

// reconsider makes the policy judge facts again.
func (p *PDP) reconsider(ctx context.Context, snapshot Snapshot, facts Facts, explain bool) Decision {
	ctx, cancel := p.deadline(ctx)
	defer cancel()
	decision, late := watched(ctx, p, func() (d Decision) {
		defer p.recovered(func(reason Reason) { d = Decision{Reasons: []Reason{reason}, Revision: snapshot.Revision()} })
		return snapshot.Decide(ctx, facts, explain)
	})
	if late != nil {
		return Decision{Revision: snapshot.Revision()}.denied(*late)
	}
	return decision
}
