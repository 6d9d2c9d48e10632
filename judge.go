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
		event.Decision.Reasons = []Reason{noPolicyReason()}
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
	job := &evaluationJob{p: p, ctx: ctx, snapshot: snapshot, call: call, opts: opts, began: began}
	late := p.watch(ctx, job)
	var analyzed time.Time
	if late != nil {
		event, analyzed = newEvent(snapshot, opts, began), p.Now()
		event.Facts, event.Decision = minimalFacts(&call), Decision{Revision: snapshot.Revision()}.denied(*late)
	} else {
		event, analyzed = job.event, job.analyzed
	}
	event.call, event.Analysis = &call, analyzed.Sub(began)
	if opts.Unverified && len(event.Decision.Verify) > 0 && event.Decision.Effect != Deny {
		event.Decision = event.Decision.denied(Reason{Layer: "gavel", Code: CodeUnverified,
			Message: "a verifier must agree to the call, and this way of asking cannot wait for it",
			Fix:     "ask with POST /v1/decisions, and again after a person's answer"})
	}
	if event.Decision.Effect == Ask && p.Approvals != nil {
		p.askPeople(ctx, event, opts)
	}
	event.Evaluation = p.Now().Sub(analyzed)
	if late == nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		event.Decision = event.Decision.denied(*p.timeLimitReason())
	}
	p.finish(event)
	event.Decision.setPins(&event.Facts, opts.Pins)
	if opts.Explain {
		event.explain()
	}
	return event
}

// explain adds the facts and the overrides to the decision. The policy has added its layers.
func (e *Event) explain() {
	e.Decision.Overrides, e.Decision.Facts = e.Snapshot.Overrides(), &e.Facts
}

func newEvent(snapshot Snapshot, opts Options, began time.Time) *Event {
	return &Event{Snapshot: snapshot, RequestedBy: opts.RequestedBy, Caller: opts.Caller, Timestamp: began}
}

// evaluationJob is the job of analyzing a call and evaluating the policy for it. It has its own copy
// of the call, because it may run on after its caller has given up.
type evaluationJob struct {
	p        *PDP
	ctx      context.Context // of the job
	snapshot Snapshot
	call     Call
	opts     Options
	began    time.Time
	// The result:
	event    *Event // with facts and decision
	analyzed time.Time
}

// minimalFacts returns the facts to log about a call that could not be analyzed in time.
func minimalFacts(call *Call) Facts {
	return Facts{Agent: AgentFacts{ID: call.Agent.ID}, Session: SessionFacts{Key: call.Session.Key}, Tool: ToolFacts{Name: call.Tool.Name, Params: call.Tool.Params}}
}

// do analyzes the call and evaluates the policy for it. A panic is a deny.
func (j *evaluationJob) do() {
	p := j.p
	if p.OnTimeSpent != nil {
		since := time.Now() // a real duration, so not the configured clock
		defer func() { p.OnTimeSpent(j.opts.Caller, time.Since(since)) }()
	}
	defer p.recovered(func(reason Reason) {
		j.event, j.analyzed = newEvent(j.snapshot, j.opts, j.began), p.Now()
		j.event.Decision = Decision{Reasons: []Reason{reason}, Revision: j.snapshot.Revision()}
	})
	j.event = newEvent(j.snapshot, j.opts, j.began)
	j.event.Facts = p.observe(j.ctx, j.snapshot, &j.call)
	j.analyzed = p.Now()
	p.observeState(&j.event.Facts)
	j.event.Decision = j.snapshot.Decide(j.ctx, j.event.Facts, j.opts.Explain)
}

// observeState adds the facts that come from the state of this PDP.
func (p *PDP) observeState(facts *Facts) {
	if p.File != nil {
		p.File.Observe(facts)
	}
	p.observePause(facts)
}

// observePause adds the fact whether the agent is paused now.
func (p *PDP) observePause(facts *Facts) {
	if p.Pauses != nil {
		facts.Pause = p.Pauses.Observe(&facts.Agent)
	}
}

// decideFacts evaluates the policy again for changed facts.
func (p *PDP) decideFacts(ctx context.Context, snapshot Snapshot, facts Facts, explain bool) Decision {
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
