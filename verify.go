package gavel

import "context"

// verify asks the verifiers if nothing else prevents the call, and has the policy judge again with
// their answers and the current pauses. ctx must not have the time limit of a decision, because
// verifiers have their own.
func (p *PDP) verify(ctx context.Context, event *Event, opts Options) {
	event.Facts.Verification = VerificationFacts{Asked: true, Answers: p.asked(ctx, event, opts)}
	p.observePause(&event.Facts)
	event.Decision = p.decideFacts(ctx, event.Snapshot, event.Facts, opts.Explain)
}

// asked returns the answers of the verifiers: one for each of them, whatever happens.
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
