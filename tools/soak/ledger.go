package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
)

// The kinds of wrong answers.
const (
	requestFailed   = "requests failed"
	notDecided      = "decisions were made by a failure, not by a rule"
	mixed           = "answers mixed revisions"
	usedTwice       = "an answer of a person was used more than once, or without one"
	notAllowed      = "a call that a person had approved was not allowed"
	wronglyVerified = "calls that a verifier must agree to were decided wrongly"
	notAsked        = "questions did not go the way of their answer"
)

// kept is how many examples of each kind are shown.
const kept = 3

// ledger records the answers and finds mistakes in them. It is safe for concurrent use.
type ledger struct {
	mu        sync.Mutex
	calls     int
	effects   map[gavel.Effect]int
	latencies []time.Duration
	seen      map[string]map[string]gavel.Effect // revision → probe → effect
	known     []map[string]gavel.Effect          // the effects of each configuration
	questions map[string]*question               // by id
	events    int
	checked   int // decisions that a verifier was asked about
	gone      int // callers that went while it was asked
	faults    map[string]int
	examples  map[string][]string
}

// question is the ledger's record of an approval.
type question struct {
	answer gavel.Answer        // the answer that a person has started to give, or ""
	taken  bool                // the server acknowledged it
	state  gavel.ApprovalState // the final state that the waiting caller received
	used   int
}

func newLedger() *ledger {
	l := &ledger{effects: map[gavel.Effect]int{}, seen: map[string]map[string]gavel.Effect{}, questions: map[string]*question{},
		faults: map[string]int{}, examples: map[string][]string{}}
	for _, c := range configurations() {
		l.known = append(l.known, c.effects)
	}
	return l
}

// wrong records a mistake.
func (l *ledger) wrong(what, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault(what, format, args...)
}

func (l *ledger) fault(what, format string, args ...any) {
	if l.faults[what]++; len(l.examples[what]) < kept {
		l.examples[what] = append(l.examples[what], fmt.Sprintf(format, args...))
	}
}

// decided records the decisions of one request. names[i] is the probe name of call i, or "".
func (l *ledger) decided(names []string, list []gavel.Decision, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latencies = append(l.latencies, took)
	if len(list) != len(names) {
		l.fault(requestFailed, "%d calls were answered with %d decisions", len(names), len(list))
		return
	}
	for i, d := range list {
		l.calls++
		l.effects[d.Effect]++
		if d.ID == "" || d.Revision == "" || len(d.Reasons) == 0 {
			l.fault(requestFailed, "a decision without id, revision or reasons: %+v", d)
		}
		if d.Revision != list[0].Revision {
			l.fault(mixed, "one batch has the revisions %.12s and %.12s", list[0].Revision, d.Revision)
		}
		l.reasons(d)
		l.used(d)
		if names[i] != "" {
			l.probed(names[i], d)
		}
	}
}

func (l *ledger) reasons(d gavel.Decision) {
	for _, reason := range d.Reasons {
		if strings.HasPrefix(reason.Code, "gavel.") {
			l.fault(notDecided, "%s: %s", reason.Code, reason.Message)
		}
	}
}

// used counts an allow that consumed an answer.
func (l *ledger) used(d gavel.Decision) {
	if d.Effect != gavel.Allow || d.Approval == nil {
		return
	}
	q := l.question(d.Approval.ID)
	if q.used++; q.used > 1 || q.answer != gavel.AllowOnce {
		l.fault(usedTwice, "approval %s, answered with %q, was used %d times", d.Approval.ID, q.answer, q.used)
	}
}

// probed compares a probe with earlier answers of the same revision, and with the known
// configurations.
func (l *ledger) probed(name string, d gavel.Decision) {
	by := l.seen[d.Revision]
	if by == nil {
		by = map[string]gavel.Effect{}
		l.seen[d.Revision] = by
	}
	if before, ok := by[name]; ok && before != d.Effect {
		l.fault(mixed, "revision %.12s answered %s with %s, and now with %s", d.Revision, name, before, d.Effect)
		return
	}
	by[name] = d.Effect
	if l.configuration(by) < 0 {
		l.fault(mixed, "revision %.12s answers %v, which is not a configuration", d.Revision, by)
	}
}

// configuration returns the index of the configuration with these effects, or -1.
func (l *ledger) configuration(effects map[string]gavel.Effect) int {
	return slices.IndexFunc(l.known, func(known map[string]gavel.Effect) bool {
		for name, effect := range effects {
			if want, ok := known[name]; !ok || want != effect {
				return false
			}
		}
		return true
	})
}

// question returns the question with an id. The caller holds the lock.
func (l *ledger) question(id string) *question {
	q := l.questions[id]
	if q == nil {
		q = &question{}
		l.questions[id] = q
	}
	return q
}

// answering records an answer before it is sent, because it may be used before the sender
// learns that it was accepted.
func (l *ledger) answering(id string, answer gavel.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.question(id).answer = answer
}

// taken records that the server accepted an answer.
func (l *ledger) taken(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.question(id).taken = true
}

// settled records how a question ended, and checks it after the same call was decided again.
// want is the intended answer, or "".
func (l *ledger) settled(id string, want gavel.Answer, state gavel.ApprovalState, got gavel.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.question(id)
	q.state = state
	switch {
	case state == gavel.ApprovalExpired: // intended, or answered too late; a later check ensures that no answer was accepted
	case want == "" || got != want:
		l.fault(notAsked, "approval %s was meant to be answered with %q; it is %s with %q", id, want, state, got)
	case want == gavel.AllowOnce && q.used == 0:
		l.fault(notAllowed, "approval %s", id)
	}
}

// heard counts the events that a listener received.
func (l *ledger) heard(events int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events += events
}

// problems returns all mistakes with examples. It is called once, at the end.
func (l *ledger) problems() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, q := range l.questions {
		if q.taken && q.state == gavel.ApprovalExpired {
			l.fault(notAsked, "approval %s expired although its answer %q was acknowledged", id, q.answer)
		}
	}
	var list []string
	for _, what := range slices.Sorted(maps.Keys(l.faults)) {
		list = append(list, fmt.Sprintf("%s: %d times, such as\n  %s", what, l.faults[what], strings.Join(l.examples[what], "\n  ")))
	}
	return list
}
