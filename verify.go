package gavel

import "context"

// verify asks the verifiers, when only they stand between a call and an allow, and has the policy
// judge again with what they said. Its context has no time limit of a decision: verifiers have
// their own. The agent may have been paused meanwhile.
func (p *PDP) verify(ctx context.Context, event *Event, opts Options) {
	event.Facts.Verification = VerificationFacts{Asked: true, Answers: p.asked(ctx, event, opts)}
	p.observePause(&event.Facts)
	event.Decision = p.reconsider(ctx, event.Snapshot, event.Facts, opts.Explain)
}

// asked is what the verifiers say, in as many answers as there are verifiers.
func (p *PDP) asked(ctx context.Context, event *Event, opts Options) []VerifierAnswer {
	if opts.Waits != nil {
		waiting, leave, err := opts.Waits(ctx)
		if err != nil {
			answers := make([]VerifierAnswer, 0, len(event.Decision.Asks.Verifiers))
			for _, v := range event.Decision.Asks.Verifiers {
				answers = append(answers, VerifierAnswer{Verifier: v.Name, Outcome: VerifierBusy})
			}
			return answers
		}
		defer leave()
		ctx = waiting
	}
	return p.Verifiers.Ask(ctx, &event.Decision, &event.Facts)
}
