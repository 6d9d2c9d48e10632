package gavel

import (
	"context"
	"sync"
	"time"
)

// Analyzer turns a call into facts. It is pure except for lookups of programs,
// never fails, and is safe for concurrent use.
type Analyzer interface {
	// Analyze returns the facts about a call. Of the policy, it uses the settings only, which may
	// be nil.
	Analyze(ctx context.Context, call Call, settings *AnalyzerSettings) Facts
}

// DecisionLog records decisions. Record blocks while its queue is full, and returns an error
// only if the event cannot be recorded; then the decision is denied.
type DecisionLog interface {
	Record(ctx context.Context, event Event) error
}

// Event is one decision on its way into the decision log.
type Event struct {
	Facts       Facts
	Decision    Decision
	Snapshot    Snapshot
	RequestedBy string // the caller, such as an address or "cli"
	Caller      string // the credential that the caller has shown; "" for none
	Timestamp   time.Time
	Analysis    time.Duration
	Evaluation  time.Duration

	call   *Call         // as the caller made it
	answer *personAnswer // set while verifiers must still agree
}

// PDP is the policy decision point: it takes a call through every step. Analyzer,
// Policy, NewID and Now are required. It is safe for concurrent use.
type PDP struct {
	Analyzer Analyzer
	Policy   Policy
	Log      DecisionLog // nil records nothing
	// Audit records security events: a refused request to leave the sandbox. Nil records none.
	Audit Audit
	// Approvals keeps questions and answers. If nil, an ask can never be answered.
	Approvals Approvals
	// File is the allowlist that answers extend; nil means there is none.
	File ApprovalsFile
	// Pauses knows which agents are paused; nil means that none is.
	Pauses Pauses
	// Sessions knows what directives have set for sessions; nil means that nothing is set.
	Sessions Sessions
	// Verifiers ask outside authorities; if nil, a call that needs one is denied.
	Verifiers Verifiers
	NewID     func() string    // a fresh UUID
	Now       func() time.Time // the wall clock
	Timeout   time.Duration    // of one decision; 0 means none
	OnPanic   func(any)        // called with a recovered panic; may be nil
	// OnOverdue is called when an evaluation has exceeded its time limit, with the number of
	// such evaluations still running; may be nil.
	OnOverdue func(stuck int)
	// OnTimeSpent is called with how long a caller's call took; may be nil.
	OnTimeSpent func(caller string, took time.Duration)

	watchdog watchdog
	changes  semaphore
}

// Options control how a call is answered.
type Options struct {
	Explain bool // add layers and facts
	Pins    bool // of a command that may run, add what it was judged by
	Change  bool // of a refused call, add the change that would permit it
	// ChangeTime limits how long all changes of the request may take; 0 is two seconds.
	ChangeTime  time.Duration
	RequestedBy string // for the decision log
	// Caller is the credential behind the request: it cannot answer an approval that it asks
	// for. "" means one caller without a name.
	Caller string
	// Person is the person behind the request, by name; "" for a shared credential.
	Person string
	// Issue distinguishes credentials of the same name, so that a replacement counts as
	// someone else; nil where names are never reused. It is called only for a question.
	Issue func() string
	// ApprovalID is the id that an approval gets if one has to be opened.
	ApprovalID string
	// ApprovalTimeout shortens how long a person has; 0 leaves it to the policy.
	ApprovalTimeout time.Duration
	// Unverified denies calls that need a verifier. It is for callers that take a person's answer
	// for the decision and do not ask for a decision again.
	Unverified bool
	// AskNobody denies a call that still needs an answer, instead of opening a question.
	AskNobody bool
	// BeginWait is called before verifiers are asked, which may take long: a server then counts the
	// request as waiting and no longer as running. The returned context ends when the client has
	// gone. leave is called afterwards. An error means that too many requests wait. May be nil.
	BeginWait func(ctx context.Context) (waiting context.Context, leave func(), err error)
}

// Decide answers one call. It never fails: any failure is a Deny.
func (p *PDP) Decide(ctx context.Context, call Call, opts Options) Decision {
	snapshot := p.Policy.Current()
	decisions := []Decision{p.decide(ctx, snapshot, call, opts)}
	p.addChanges(ctx, snapshot, []Call{call}, decisions, opts)
	return decisions[0]
}

// DecideAll answers calls in order, all with one snapshot and within one Timeout; calls that
// are too late are denied. Verifiers are asked in parallel, within a time limit of
// their own. Changes are looked for afterwards, within one time limit for all calls.
func (p *PDP) DecideAll(ctx context.Context, calls []Call, opts Options) []Decision {
	snapshot := p.Policy.Current()
	decisions := make([]Decision, len(calls))
	limited, cancel := p.deadline(ctx)
	defer cancel()
	var asking sync.WaitGroup
	for i := range calls {
		event := p.judge(limited, snapshot, calls[i], opts)
		if event.Decision.Asks == nil || p.Verifiers == nil {
			decisions[i] = p.record(ctx, event, calls[i].ID)
			continue
		}
		asking.Go(func() { // verifiers are asked about all calls at once
			p.askVerifiers(ctx, event, opts)
			decisions[i] = p.record(ctx, event, calls[i].ID)
		})
	}
	asking.Wait()
	p.addChanges(ctx, snapshot, calls, decisions, opts)
	return decisions
}

// Tools reports which tools the agent of a call may see, and why not the others.
func (p *PDP) Tools(ctx context.Context, call Call) ToolReport {
	snapshot := p.Policy.Current()
	if snapshot == nil {
		return ToolReport{Reasons: []Reason{noPolicyReason()}}
	}
	ctx, cancel := p.deadline(ctx)
	defer cancel()
	report, late := watched(ctx, p, func() (report ToolReport) {
		defer p.recovered(func(reason Reason) {
			report = ToolReport{Reasons: []Reason{reason}, Revision: snapshot.Revision()}
		})
		facts := p.observe(ctx, snapshot, &call)
		if p.Pauses != nil {
			facts.Pause = p.Pauses.Observe(&facts.Agent)
		}
		return snapshot.Tools(ctx, facts)
	})
	if late != nil {
		return ToolReport{Reasons: []Reason{*late}, Revision: snapshot.Revision()}
	}
	return report
}

// Observe returns the facts about a call, as a decision under the policy in force would see
// them. Without an error they are complete.
func (p *PDP) Observe(ctx context.Context, call Call) (Facts, error) {
	ctx, cancel := p.deadline(ctx)
	defer cancel()
	snapshot := p.Policy.Current()
	facts, late := watched(ctx, p, func() Facts { return p.observe(ctx, snapshot, &call) })
	if late != nil {
		return Facts{}, &ApprovalError{Code: CodeApprovalsUnavailable, Message: late.Message, Fix: late.Fix}
	}
	return facts, nil
}

// observe returns the facts about a call. The call must be the job's own: it gets what is stored
// for its session.
func (p *PDP) observe(ctx context.Context, snapshot Snapshot, call *Call) (facts Facts) {
	defer func() { facts.Time.At = p.Now().UTC().Format(time.RFC3339) }()
	if p.Sessions != nil {
		stored := p.Sessions.Observe(call) // before the analysis: where programs are looked up depends on the host
		call.Session.Stored = &stored
	}
	if snapshot == nil {
		return p.Analyzer.Analyze(ctx, *call, nil)
	}
	return p.Analyzer.Analyze(ctx, *call, snapshot.AnalyzerSettings())
}

func (p *PDP) decide(ctx context.Context, snapshot Snapshot, call Call, opts Options) Decision {
	event := p.judge(ctx, snapshot, call, opts)
	p.askVerifiers(ctx, event, opts)
	return p.record(ctx, event, call.ID)
}

// askVerifiers asks the verifiers about a call that everything else permits, until ctx ends. If they
// allow it, a person's answer is used up. A panic is a deny.
func (p *PDP) askVerifiers(ctx context.Context, event *Event, opts Options) {
	if event.Decision.Asks == nil || p.Verifiers == nil || opts.Unverified {
		return
	}
	defer p.recovered(func(reason Reason) { event.Decision = event.Decision.denied(reason) })
	since := p.Now()
	p.verify(ctx, event, opts)
	if event.answer != nil {
		limited, cancel := p.deadline(ctx)
		defer cancel()
		p.useAnswer(limited, event, opts, event.answer)
	}
	p.finish(event)
	event.Decision.setPins(&event.Facts, opts.Pins)
	if opts.Explain {
		event.explain()
	}
	event.Evaluation += p.Now().Sub(since)
}

// record gives a decision its id, and records it. A decision that cannot be recorded is a deny.
func (p *PDP) record(ctx context.Context, event *Event, call string) Decision {
	event.Decision.ID, event.Decision.Call = p.NewID(), call
	if err := p.write(ctx, event); err != nil {
		return event.Decision.denied(Reason{Layer: "gavel", Code: CodeLogUnavailable,
			Message: "the decision could not be recorded: " + err.Error(),
			Fix:     "free space for the decision log, or see the server's own log"})
	}
	return event.Decision
}

// write writes the decision to the log, and a refused elevation to the audit log. It does so even if
// the caller has gone, which happens while verifiers are asked.
func (p *PDP) write(ctx context.Context, event *Event) error {
	ctx = context.WithoutCancel(ctx)
	if p.Log != nil {
		if err := p.Log.Record(ctx, *event); err != nil {
			return err
		}
	}
	return p.noteElevation(ctx, event)
}

func (p *PDP) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, p.Timeout)
}

// recovered turns a panic into a reason to deny. It must be deferred itself.
func (p *PDP) recovered(deny func(Reason)) {
	v := recover()
	if v == nil {
		return
	}
	if p.OnPanic != nil {
		p.OnPanic(v)
	}
	deny(Reason{Layer: "gavel", Code: CodeInternal, Message: "an internal error occurred while deciding",
		Fix: "report this with the server's log"})
}

// denied returns the decision as a deny for one reason, without anything to run.
func (d Decision) denied(reason Reason) Decision {
	return Decision{ID: d.ID, Call: d.Call, Reasons: []Reason{reason}, Revision: d.Revision}
}

func noPolicyReason() Reason {
	return Reason{Layer: "gavel", Code: CodeNoPolicy, Message: "no policy is loaded",
		Fix: "see /v1/status for why loading failed"}
}
