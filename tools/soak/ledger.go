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

// The kinds of problems, as the report names them.
const (
	requestFailed      = "requests failed"
	decidedByFailure   = "decisions were made because of a failure, not by a rule"
	mixedRevisions     = "answers mixed revisions"
	answerMisused      = "a person's answer was used more than once, or a call was allowed without one"
	approvedNotAllowed = "a call that a person had approved was not allowed"
	verifierIgnored    = "calls that need a verifier were decided wrongly"
	wrongOutcome       = "questions did not have the outcome that was planned"
)

// maxExamples is the number of examples of a problem that are shown.
const maxExamples = 3

// ledger records what clients received, and finds problems in it. It is safe for concurrent use.
type ledger struct {
	mu                sync.Mutex
	calls             int
	effects           map[gavel.Effect]int
	latencies         []time.Duration
	effectsByRevision map[string]map[string]gavel.Effect // revision → probe → effect
	configurations    []map[string]gavel.Effect          // the effects of each configuration
	questions         map[string]*question               // by id
	events            int
	verifiedCalls     int            // decisions that needed the verifier
	abandoned         int            // calls whose caller disconnected before the decision
	retries           int            // of requests that the server had no turn for
	failures          map[string]int // by kind
	examples          map[string][]string
}

// question is the ledger's record of an approval.
type question struct {
	answer   gavel.Answer        // the answer that was sent, or ""
	accepted bool                // the server accepted the answer
	state    gavel.ApprovalState // the final state that the waiting caller received
	used     int                 // the number of calls that the answer allowed
}

func (l *ledger) recordRetry() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.retries++
}

func newLedger() *ledger {
	l := &ledger{effects: map[gavel.Effect]int{}, effectsByRevision: map[string]map[string]gavel.Effect{}, questions: map[string]*question{},
		failures: map[string]int{}, examples: map[string][]string{}}
	for _, c := range configurations() {
		l.configurations = append(l.configurations, c.effects)
	}
	return l
}

// report records a problem.
func (l *ledger) report(what, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reportLocked(what, format, args...)
}

// reportLocked is report for callers that hold the lock.
func (l *ledger) reportLocked(what, format string, args ...any) {
	if l.failures[what]++; len(l.examples[what]) < maxExamples {
		l.examples[what] = append(l.examples[what], fmt.Sprintf(format, args...))
	}
}

// recordDecisions records and checks the decisions of one request. names[i] is the probe name of
// call i, or "".
func (l *ledger) recordDecisions(names []string, list []gavel.Decision, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.latencies = append(l.latencies, took)
	if len(list) != len(names) {
		l.reportLocked(requestFailed, "%d calls got %d decisions", len(names), len(list))
		return
	}
	for i, d := range list {
		l.calls++
		l.effects[d.Effect]++
		if d.ID == "" || d.Revision == "" || len(d.Reasons) == 0 {
			l.reportLocked(requestFailed, "a decision has no id, revision or reasons: %+v", d)
		}
		if d.Revision != list[0].Revision {
			l.reportLocked(mixedRevisions, "one batch has the revisions %.12s and %.12s", list[0].Revision, d.Revision)
		}
		l.checkReasons(d)
		l.checkApproval(d)
		if names[i] != "" {
			l.checkProbe(names[i], d)
		}
	}
}

func (l *ledger) checkReasons(d gavel.Decision) {
	for _, reason := range d.Reasons {
		if strings.HasPrefix(reason.Code, "gavel.") {
			l.reportLocked(decidedByFailure, "%s: %s", reason.Code, reason.Message)
		}
	}
}

// checkApproval counts the uses of a person's answer.
func (l *ledger) checkApproval(d gavel.Decision) {
	if d.Effect != gavel.Allow || d.Approval == nil {
		return
	}
	q := l.question(d.Approval.ID)
	if q.used++; q.used > 1 || q.answer != gavel.AllowOnce {
		l.reportLocked(answerMisused, "approval %s with the answer %q was used %d times", d.Approval.ID, q.answer, q.used)
	}
}

// checkProbe compares the effect of a probe with those of the same revision, and with the
// configurations.
func (l *ledger) checkProbe(name string, d gavel.Decision) {
	effects := l.effectsByRevision[d.Revision]
	if effects == nil {
		effects = map[string]gavel.Effect{}
		l.effectsByRevision[d.Revision] = effects
	}
	if before, ok := effects[name]; ok && before != d.Effect {
		l.reportLocked(mixedRevisions, "revision %.12s decided %s for %s before, and %s now", d.Revision, before, name, d.Effect)
		return
	}
	effects[name] = d.Effect
	if l.findConfiguration(effects) < 0 {
		l.reportLocked(mixedRevisions, "revision %.12s has the effects %v, which no configuration has", d.Revision, effects)
	}
}

// findConfiguration returns the index of a configuration with these effects, or -1.
func (l *ledger) findConfiguration(effects map[string]gavel.Effect) int {
	return slices.IndexFunc(l.configurations, func(configured map[string]gavel.Effect) bool {
		for name, effect := range effects {
			if want, ok := configured[name]; !ok || want != effect {
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

// recordAnswer records an answer before it is sent, because it may be used before the server's
// response arrives.
func (l *ledger) recordAnswer(id string, answer gavel.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.question(id).answer = answer
}

// recordAccepted records that the server accepted an answer.
func (l *ledger) recordAccepted(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.question(id).accepted = true
}

// recordOutcome records how a question ended, and checks it. It must be called after the same call
// was decided again. want is the planned answer, or "".
func (l *ledger) recordOutcome(id string, want gavel.Answer, state gavel.ApprovalState, got gavel.Answer) {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.question(id)
	q.state = state
	switch {
	case state == gavel.ApprovalExpired: // as planned, or answered too late; problems checks that no answer was accepted
	case want == "" || got != want:
		l.reportLocked(wrongOutcome, "approval %s: the planned answer is %q, but it is %s with %q", id, want, state, got)
	case want == gavel.AllowOnce && q.used == 0:
		l.reportLocked(approvedNotAllowed, "approval %s", id)
	}
}

// recordEvents counts events that a listener received.
func (l *ledger) recordEvents(events int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events += events
}

// problems returns all problems with examples. It is called once, at the end.
func (l *ledger) problems() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, q := range l.questions {
		if q.accepted && q.state == gavel.ApprovalExpired {
			l.reportLocked(wrongOutcome, "approval %s expired although its answer %q was accepted", id, q.answer)
		}
	}
	var list []string
	for _, what := range slices.Sorted(maps.Keys(l.failures)) {
		list = append(list, fmt.Sprintf("%s: %d times, such as\n  %s", what, l.failures[what], strings.Join(l.examples[what], "\n  ")))
	}
	return list
}
