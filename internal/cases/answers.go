package cases

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"gavel"
	"gavel/internal/strictjson"
)

// outcomes are what a verifier can be stated to say.
func outcomes() []string {
	return []string{gavel.VerifierAllowed, gavel.VerifierDenied, gavel.VerifierRemembered, gavel.VerifierEnded, gavel.VerifierUnreachable, gavel.VerifierTimeout,
		gavel.VerifierStatus, gavel.VerifierRedirect, gavel.VerifierOversize, gavel.VerifierMalformed, gavel.VerifierMismatch, gavel.VerifierBusy}
}

// parseAnswers reads what each verifier says about one call: {"webhook":"denied: not today"}.
func parseAnswers(line []byte) ([]gavel.VerifierAnswer, error) {
	said := map[string]string{}
	if err := strictjson.Unmarshal(line, &said); err != nil {
		return nil, err
	}
	var list []gavel.VerifierAnswer
	for name, text := range said {
		outcome, detail, _ := strings.Cut(text, ": ")
		if !slices.Contains(outcomes(), outcome) {
			return nil, fmt.Errorf("%q is nothing that a verifier can say: want one of %s, or one of them with a reason, as in \"denied: not today\"", outcome, strings.Join(outcomes(), ", "))
		}
		list = append(list, gavel.VerifierAnswer{Verifier: name, Outcome: outcome, Detail: detail})
	}
	return list, nil
}

// Verifiers answer as a case states. They are for one run of its calls, and are safe for
// concurrent use.
type Verifiers struct {
	of   *Case
	mu   sync.Mutex
	used []bool
}

// Verifiers returns verifiers that answer as the case states; nil if it states no answers.
func (c *Case) Verifiers() *Verifiers {
	if c.answers == nil {
		return nil
	}
	return &Verifiers{of: c, used: make([]bool, len(c.Calls))}
}

// Ask implements gavel.Verifiers. A verifier that the case does not mention gives no answer.
func (v *Verifiers) Ask(_ context.Context, decision *gavel.Decision, facts *gavel.Facts) []gavel.VerifierAnswer {
	said := v.next(facts)
	answers := make([]gavel.VerifierAnswer, len(decision.Asks.Verifiers))
	for i, asked := range decision.Asks.Verifiers {
		answers[i] = gavel.VerifierAnswer{Verifier: asked.Name, Outcome: gavel.VerifierEnded}
		if at := slices.IndexFunc(said, func(a gavel.VerifierAnswer) bool { return a.Verifier == asked.Name }); at >= 0 {
			answers[i] = said[at]
		}
	}
	return answers
}

// next returns the answers of the first call like this one that nobody has asked about.
func (v *Verifiers) next(facts *gavel.Facts) []gavel.VerifierAnswer {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i := range v.of.Calls {
		call := &v.of.Calls[i]
		if !v.used[i] && len(v.of.answers[i]) > 0 && call.Agent.ID == facts.Agent.ID && reflect.DeepEqual(call.Tool.Params, facts.Tool.Params) {
			v.used[i] = true
			return v.of.answers[i]
		}
	}
	return nil
}

// Unasked returns an error if the case states answers that nobody has asked for.
func (v *Verifiers) Unasked() error {
	if v == nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, said := range v.of.answers {
		if len(said) > 0 && !v.used[i] {
			return fmt.Errorf("call %d (%s, %s): %s has an answer for it, and no verifier was asked", i+1, v.of.Calls[i].Agent.ID, v.of.Calls[i].Tool.Name, answersFile)
		}
	}
	return nil
}
