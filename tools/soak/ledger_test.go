package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// decisionOf returns a valid decision with changes.
func decisionOf(revision string, effect gavel.Effect, change ...func(*gavel.Decision)) gavel.Decision {
	d := gavel.Decision{ID: "d", Revision: revision, Effect: effect, Reasons: []gavel.Reason{{Code: "tools.allowed"}}}
	for _, c := range change {
		c(&d)
	}
	return d
}

func withCode(code string) func(*gavel.Decision) {
	return func(d *gavel.Decision) { d.Reasons = []gavel.Reason{{Code: code}} }
}

func withApproval(id string) func(*gavel.Decision) {
	return func(d *gavel.Decision) { d.Approval = &gavel.Pending{ID: id} }
}

// record records a decision about a probe, or about another call if probe is "".
func record(l *ledger, probe string, d gavel.Decision) {
	l.recordDecisions([]string{probe}, []gavel.Decision{d}, time.Millisecond)
}

// checkLedger compares the problem that a ledger finds in what was recorded.
func checkLedger(t *testing.T, cases map[string]struct {
	act  func(*ledger)
	want string // "" means no problem
}) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger()
			c.act(l)
			found := l.problems()
			if c.want == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.True(t, strings.HasPrefix(found[0], c.want), found[0])
		})
	}
}

func TestTheLedgerChecksDecisions(t *testing.T) {
	t.Parallel()
	checkLedger(t, map[string]struct {
		act  func(*ledger)
		want string // "" means no problem
	}{
		"two revisions, each of one configuration": {func(l *ledger) {
			record(l, "read", decisionOf("a", gavel.Allow))
			record(l, "read", decisionOf("b", gavel.Deny))
			record(l, "web_fetch", decisionOf("a", gavel.Deny))
			record(l, "web_fetch", decisionOf("b", gavel.Allow))
			record(l, "read", decisionOf("a", gavel.Allow))
		}, ""},
		"one revision, two effects": {func(l *ledger) {
			record(l, "read", decisionOf("a", gavel.Allow))
			record(l, "read", decisionOf("a", gavel.Deny))
		}, mixedRevisions},
		"effects of two configurations": {func(l *ledger) {
			record(l, "read", decisionOf("a", gavel.Allow))
			record(l, "web_fetch", decisionOf("a", gavel.Allow))
		}, mixedRevisions},
		"an effect that no configuration has": {func(l *ledger) { record(l, "read", decisionOf("a", gavel.Ask)) }, mixedRevisions},
		"a batch of two revisions": {func(l *ledger) {
			l.recordDecisions([]string{"", ""}, []gavel.Decision{decisionOf("a", gavel.Deny), decisionOf("b", gavel.Deny)}, 0)
		}, mixedRevisions},
		"a batch with a missing decision": {func(l *ledger) { l.recordDecisions([]string{"", ""}, []gavel.Decision{decisionOf("a", gavel.Deny)}, 0) }, requestFailed},
		"a decision without a revision":   {func(l *ledger) { record(l, "", decisionOf("", gavel.Deny)) }, requestFailed},
		"a panic":                         {func(l *ledger) { record(l, "", decisionOf("a", gavel.Deny, withCode(gavel.CodeInternal))) }, decidedByFailure},
		"a decision that was too slow":    {func(l *ledger) { record(l, "", decisionOf("a", gavel.Deny, withCode(gavel.CodeEvaluationTimeout))) }, decidedByFailure},
	})
}

func TestTheLedgerChecksAnswers(t *testing.T) {
	t.Parallel()
	checkLedger(t, map[string]struct {
		act  func(*ledger)
		want string // "" means no problem
	}{
		"an answer that is used once": {func(l *ledger) {
			l.recordAnswer("q", gavel.AllowOnce)
			l.recordAccepted("q")
			record(l, "", decisionOf("a", gavel.Allow, withApproval("q")))
			record(l, "", decisionOf("a", gavel.Ask, withApproval("next")))
			l.recordOutcome("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.AllowOnce)
		}, ""},
		"an answer that is used twice": {func(l *ledger) {
			l.recordAnswer("q", gavel.AllowOnce)
			record(l, "", decisionOf("a", gavel.Allow, withApproval("q")))
			record(l, "", decisionOf("a", gavel.Allow, withApproval("q")))
		}, answerMisused},
		"an allow without an answer": {func(l *ledger) { record(l, "", decisionOf("a", gavel.Allow, withApproval("q"))) }, answerMisused},
		"a verifier's answer": {func(l *ledger) {
			l.recordVerified(verifierModes()[0], decisionOf("a", gavel.Allow, withCode("verifier.allowed")))
		}, ""},
		"a verifier's answer that is ignored": {func(l *ledger) {
			l.recordVerified(verifierModes()[2], decisionOf("a", gavel.Allow, withCode("verifier.denied")))
		}, verifierIgnored},
		"a verifier's answer for another reason": {func(l *ledger) {
			l.recordVerified(verifierModes()[2], decisionOf("a", gavel.Deny, withCode("verifier.timeout")))
		}, verifierIgnored},
		"a deny that allows": {func(l *ledger) {
			l.recordAnswer("q", gavel.DenyAnswer)
			record(l, "", decisionOf("a", gavel.Allow, withApproval("q")))
		}, answerMisused},
		"an allow-once that is not used": {func(l *ledger) {
			l.recordAnswer("q", gavel.AllowOnce)
			l.recordOutcome("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.AllowOnce)
		}, approvedNotAllowed},
		"another answer than was planned":     {func(l *ledger) { l.recordOutcome("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.DenyAnswer) }, wrongOutcome},
		"an answer although none was planned": {func(l *ledger) { l.recordOutcome("q", "", gavel.ApprovalResolved, gavel.AllowOnce) }, wrongOutcome},
		"a question that expires":             {func(l *ledger) { l.recordOutcome("q", "", gavel.ApprovalExpired, "") }, ""},
		"an accepted answer that is lost": {func(l *ledger) {
			l.recordOutcome("q", gavel.AllowOnce, gavel.ApprovalExpired, "")
			l.recordAccepted("q")
		}, wrongOutcome},
	})
}

func TestInvalidAnswersAreFailures(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a 500":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a 503":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"a 400":             func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"half of JSON":      func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"1","decision":`)) },
		"no decision":       func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) },
		"a lost answer":     func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"an unknown effect": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"1","decision":"maybe"}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(answer)
			defer server.Close()
			c := &client{http: server.Client(), base: server.URL, ledger: newLedger()}
			c.decide(probe(0))
			found := c.ledger.problems()
			require.Len(t, found, 1)
			assert.Contains(t, found[0], requestFailed)
		})
	}
}
