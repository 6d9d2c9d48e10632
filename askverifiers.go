package gavel

import "context"

// verify asks the verifiers if nothing else prevents the call, and has the policy judge again with
// their answers and the current pauses. ctx must not have the time limit of a decision, because
// verifiers have their own.
func (p *PDP) verify(ctx context.Context, event *Event, opts Options) {
	event.Facts.Verification = VerificationFacts{Asked: true, Answers: p.verifierAnswers(ctx, event, opts)}
	p.observePause(&event.Facts)
	event.Decision = p.decideFacts(ctx, event.Snapshot, event.Facts, opts.Explain)
}

// verifierAnswers asks the verifiers, and returns one answer for each of them. If too many requests
// wait already, each answer is VerifierBusy.
func (p *PDP) verifierAnswers(ctx context.Context, event *Event, opts Options) []VerifierAnswer {
	if opts.BeginWait != nil {
		waiting, leave, err := opts.BeginWait(ctx)
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
