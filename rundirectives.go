package gavel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// noDirectivesError says that the policy in force does not judge directives.
type noDirectivesError struct{}

func (noDirectivesError) Error() string { return "the policy does not judge directives" }

// DirectiveServices are the parts that directives need in addition to the decision point. Read and
// Sessions are required.
type DirectiveServices struct {
	Read     func(text string) (facts MessageFacts, rest string)
	Sessions SessionKeeper
	Answers  AnswerFunc // if nil, no question can be answered
}

// CarryOutDirectives has the policy judge the directives of a message, and carries out those that it
// permits. A refusal names everything that the sender lacks.
// It never fails: a directive that cannot be judged, recorded or stored is refused.
func (p *PDP) CarryOutDirectives(ctx context.Context, with DirectiveServices, written IncomingMessage, opts Options) DirectivesAnswer {
	message, rest := with.Read(written.Text)
	answer := DirectivesAnswer{Text: rest, Directives: []DirectiveOutcome{}}
	snapshot := p.Policy.Current()
	if snapshot != nil {
		answer.Revision = snapshot.Revision()
	}
	if len(message.Directives) == 0 {
		return answer
	}
	message.Mentioned = written.Mentioned
	facts, verdicts, err := p.judgeDirectives(ctx, snapshot, written.Call, message)
	replies := make([]string, 0, len(message.Directives))
	for i := range message.Directives {
		verdict := DirectiveVerdict{Reasons: []Reason{{Layer: "gavel", Code: CodePolicyError, Message: "the directive cannot be judged", Fix: "see the server's log"}}}
		if err == nil {
			verdict = verdicts[i]
		} else if errors.As(err, &noDirectivesError{}) {
			verdict.Reasons[0].Message, verdict.Reasons[0].Fix = err.Error(), "use a policy that does, such as the built-in one"
		}
		d := directiveRun{p, &with, &facts, &message.Directives[i], &opts}
		outcome := d.carryOut(ctx, &verdict)
		if outcome.Action == DirectiveInline {
			answer.Message = &Message{Inline: Inline{Elevated: verdict.Values.Elevated}}
		}
		answer.Directives = append(answer.Directives, outcome)
		replies = append(replies, outcome.Reply)
	}
	answer.Reply = strings.Join(replies, "\n")
	return answer
}

// judgeDirectives has the policy judge a message, with the facts that a call would have.
func (p *PDP) judgeDirectives(ctx context.Context, snapshot Snapshot, call Call, message MessageFacts) (facts Facts, verdicts []DirectiveVerdict, err error) {
	judge, ok := snapshot.(DirectiveJudge)
	if !ok {
		return facts, nil, noDirectivesError{}
	}
	ctx, cancel := p.deadline(ctx)
	defer cancel()
	type judged struct {
		facts    Facts
		verdicts []DirectiveVerdict
		err      error
	}
	done, late := watched(ctx, p, func() (j judged) {
		defer p.recovered(func(reason Reason) { j.err = errors.New(reason.Message) })
		j.facts = p.observe(ctx, snapshot, &call)
		p.observeState(&j.facts)
		j.facts.Message = message
		j.verdicts, j.err = judge.Directives(ctx, j.facts)
		return j
	})
	switch {
	case late != nil:
		return facts, nil, errors.New(late.Message)
	case done.err == nil && len(done.verdicts) != len(message.Directives):
		return done.facts, nil, noDirectivesError{}
	}
	return done.facts, done.verdicts, done.err
}

// directiveRun is one directive that is being carried out.
type directiveRun struct {
	p         *PDP
	with      *DirectiveServices
	facts     *Facts
	directive *DirectiveFacts
	opts      *Options
}

// carryOut carries out a directive that the policy permits, after recording it.
func (d *directiveRun) carryOut(ctx context.Context, v *DirectiveVerdict) DirectiveOutcome {
	done := DirectiveOutcome{Name: d.directive.Name, Action: v.Action}
	kind := map[string]string{DirectiveStore: AuditDirectiveSet, DirectiveInline: AuditDirectiveSet, DirectiveShow: AuditDirectiveShown,
		DirectiveAnswer: AuditDirectiveAnswered}[v.Action]
	if kind == "" {
		return d.refuse(ctx, v.Reasons...)
	}
	if err := d.audit(ctx, kind, v, nil); err != nil {
		return d.unrecorded()
	}
	switch v.Action {
	case DirectiveShow:
		done.Settings, done.Reply = v.Current, shownSettings(v.Current)
	case DirectiveInline:
		done.Reply = fmt.Sprintf("Elevated mode is %s for this message.", v.Values.Elevated)
	case DirectiveStore:
		stored, err := d.with.Sessions.Set(ctx, StoredSession{Key: d.facts.Session.Key, Agent: d.facts.Agent.ID, StoredValues: v.Values, By: d.sender(),
			ExpiresAt: d.p.Now().UTC().Truncate(time.Second).Add(time.Duration(v.TimeoutMs) * time.Millisecond)})
		if err != nil {
			return d.refuse(ctx, notStoredReason(err))
		}
		done.Session, done.Reply = &stored, fmt.Sprintf("Set for this session until %s: %s.", stored.ExpiresAt.Format(time.RFC3339), shownValues(v.Values))
	case DirectiveAnswer:
		return d.answer(ctx, v, done)
	}
	return done
}

// answer resolves a question in the same way as any other answer: the asker cannot answer, and only
// the approvers of the question can.
func (d *directiveRun) answer(ctx context.Context, v *DirectiveVerdict, done DirectiveOutcome) DirectiveOutcome {
	if d.with.Answers == nil {
		return d.refuse(ctx, Reason{Layer: "gavel", Code: CodeNoApprovals, Message: "there are no questions to answer here", Fix: "run gavel serve"})
	}
	id, state, err := d.with.Answers(ctx, AnswerRequest{ID: v.ID, Answer: v.Answer, By: d.opts.Caller, Issue: d.opts.issue(), From: d.opts.RequestedBy, Person: v.Person, Comment: "by " + d.sender() + ", in a message"})
	if err != nil && id == "" {
		reason := Reason{Layer: "gavel", Code: CodeNoApprovals, Message: "the answer could not be recorded", Fix: "see the server's log"}
		if known := (*ApprovalError)(nil); errors.As(err, &known) {
			reason.Code, reason.Message, reason.Fix = known.Code, known.Message, known.Fix
		}
		return d.refuse(ctx, reason)
	}
	done.Approval, done.State, done.Reply = id, state, fmt.Sprintf("Answered %s with %s.", id, v.Answer)
	if err != nil {
		done.Reply = fmt.Sprintf("Answered %s with %s, but: %s.", id, v.Answer, err)
	}
	return done
}

// refuse refuses the directive, with all reasons in the reply and in the log.
func (d *directiveRun) refuse(ctx context.Context, reasons ...Reason) DirectiveOutcome {
	if len(reasons) == 0 {
		reasons = []Reason{{Layer: "gavel", Code: CodePolicyError, Message: "the policy neither permits nor refuses the directive", Fix: "report this; it is a bug in the policy"}}
	}
	if err := d.audit(ctx, AuditDirectiveRefused, nil, reasons); err != nil {
		return d.unrecorded()
	}
	lines := make([]string, len(reasons))
	for i, r := range reasons {
		lines[i] = fmt.Sprintf("- %s (%s)", r.Message, r.Code)
		if r.Source.Path != "" {
			lines[i] = fmt.Sprintf("- %s (%s, %s)", r.Message, r.Code, r.Source.Path)
		}
		if r.Fix != "" {
			lines[i] += ": " + r.Fix
		}
	}
	return DirectiveOutcome{Name: d.directive.Name, Action: DirectiveRefuse, Reason: reasons,
		Reply: fmt.Sprintf("/%s is refused:\n%s", d.directive.Name, strings.Join(lines, "\n"))}
}

// unrecorded refuses a directive that could not be recorded.
func (d *directiveRun) unrecorded() DirectiveOutcome {
	return DirectiveOutcome{Name: d.directive.Name, Action: DirectiveRefuse, Reply: fmt.Sprintf("/%s is refused: it could not be recorded.", d.directive.Name),
		Reason: []Reason{{Layer: "gavel", Code: CodeLogUnavailable, Message: "the directive could not be recorded", Fix: "free space for the decision log, or see the server's own log"}}}
}

// audit records the result of the directive. A refused /elevated is a security event.
func (d *directiveRun) audit(ctx context.Context, kind string, v *DirectiveVerdict, reasons []Reason) error {
	if d.p.Audit == nil {
		return nil
	}
	detail := map[string]any{"directive": d.directive.Name, "sender": d.sender()}
	if d.facts.Session.Key != "" {
		detail["session"] = d.facts.Session.Key
	}
	event := AuditEvent{Kind: kind, Timestamp: d.p.Now().UTC(), By: d.opts.Caller, From: d.opts.RequestedBy, Agent: d.facts.Agent.ID, Detail: detail}
	if kind == AuditDirectiveRefused && d.directive.Name == LayerElevated {
		event.Kind = AuditElevationRefused
	}
	if v != nil {
		event.Approval = v.ID
		if values := shownValues(v.Values); values != "" {
			detail["values"], detail["for"] = values, v.Action
		}
		if v.Answer != "" {
			detail["answer"] = v.Answer
		}
		if v.Person != "" {
			detail["person"] = v.Person
		}
	}
	if len(reasons) > 0 {
		gates := []any{}
		for _, r := range reasons {
			gates = append(gates, map[string]any{"code": r.Code, "path": r.Source.Path})
		}
		detail["gates"] = gates
	}
	return d.p.Audit.Audit(ctx, event)
}

// sender returns the channel and id of the message's sender.
func (d *directiveRun) sender() string {
	s := &d.facts.Sender
	if s.Channel == "" && s.ID == "" {
		return "an unknown sender"
	}
	return s.Channel + ":" + s.ID
}

func notStoredReason(err error) Reason {
	reason := Reason{Layer: "gavel", Code: CodeSessionsUnusable, Message: "the value could not be stored", Fix: "repair sessions.json in the state directory"}
	if known := (*InputError)(nil); errors.As(err, &known) {
		reason.Message, reason.Fix = known.Message, known.Fix
	}
	return reason
}

// shownValues lists values that are set, as in ask=always node=mac-1.
func shownValues(v StoredValues) string {
	var list []string
	for _, pair := range [...][2]string{{"host", v.Host}, {"security", v.Security}, {"ask", v.Ask}, {"node", v.Node}, {"elevated", v.Elevated}} {
		if pair[1] != "" {
			list = append(list, pair[0]+"="+pair[1])
		}
	}
	return strings.Join(list, " ")
}

// shownSettings lists values with where each comes from.
func shownSettings(settings []DirectiveSetting) string {
	lines := []string{"Current values:"}
	for _, s := range settings {
		value, from := s.Value, s.Source.From
		if value == "" {
			value = "none"
		}
		if s.Source.Path != "" && from != "session" {
			from = s.Source.Path + ", " + from
		}
		lines = append(lines, fmt.Sprintf("- %s: %s (%s)", s.Key, value, from))
	}
	return strings.Join(lines, "\n")
}
