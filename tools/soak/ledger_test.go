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

// told is a decision as a server that is well gives it.
func told(revision string, effect gavel.Effect, change ...func(*gavel.Decision)) gavel.Decision {
	d := gavel.Decision{ID: "d", Revision: revision, Effect: effect, Reasons: []gavel.Reason{{Code: "tools.allowed"}}}
	for _, c := range change {
		c(&d)
	}
	return d
}

func because(code string) func(*gavel.Decision) {
	return func(d *gavel.Decision) { d.Reasons = []gavel.Reason{{Code: code}} }
}

func by(id string) func(*gavel.Decision) {
	return func(d *gavel.Decision) { d.Approval = &gavel.Pending{ID: id} }
}

// took has the ledger take one answer about one probe, or about none.
func took(l *ledger, probe string, d gavel.Decision) {
	l.decided([]string{probe}, []gavel.Decision{d}, time.Millisecond)
}

func TestTheLedgerChecksAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant func(*ledger)
		want  string // "" is: nothing is wrong
	}{
		"two revisions, each of one configuration": {func(l *ledger) {
			took(l, "read", told("a", gavel.Allow))
			took(l, "read", told("b", gavel.Deny))
			took(l, "web_fetch", told("a", gavel.Deny))
			took(l, "web_fetch", told("b", gavel.Allow))
			took(l, "read", told("a", gavel.Allow))
		}, ""},
		"one revision, two effects": {func(l *ledger) {
			took(l, "read", told("a", gavel.Allow))
			took(l, "read", told("a", gavel.Deny))
		}, mixed},
		"effects of two configurations": {func(l *ledger) {
			took(l, "read", told("a", gavel.Allow))
			took(l, "web_fetch", told("a", gavel.Allow))
		}, mixed},
		"a probe that no configuration answers so": {func(l *ledger) { took(l, "read", told("a", gavel.Ask)) }, mixed},
		"a batch of two revisions": {func(l *ledger) {
			l.decided([]string{"", ""}, []gavel.Decision{told("a", gavel.Deny), told("b", gavel.Deny)}, 0)
		}, mixed},
		"a batch with an answer too few": {func(l *ledger) { l.decided([]string{"", ""}, []gavel.Decision{told("a", gavel.Deny)}, 0) }, requestFailed},
		"a decision without a revision":  {func(l *ledger) { took(l, "", told("", gavel.Deny)) }, requestFailed},
		"a panic":                        {func(l *ledger) { took(l, "", told("a", gavel.Deny, because(gavel.CodeInternal))) }, notDecided},
		"a decision that was too slow":   {func(l *ledger) { took(l, "", told("a", gavel.Deny, because(gavel.CodeEvaluationTimeout))) }, notDecided},
		"an answer that is used once": {func(l *ledger) {
			l.answering("q", gavel.AllowOnce)
			l.taken("q")
			took(l, "", told("a", gavel.Allow, by("q")))
			took(l, "", told("a", gavel.Ask, by("next")))
			l.settled("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.AllowOnce)
		}, ""},
		"an answer that is used twice": {func(l *ledger) {
			l.answering("q", gavel.AllowOnce)
			took(l, "", told("a", gavel.Allow, by("q")))
			took(l, "", told("a", gavel.Allow, by("q")))
		}, usedTwice},
		"an answer that nobody gave":             {func(l *ledger) { took(l, "", told("a", gavel.Allow, by("q"))) }, usedTwice},
		"a verifier's answer":                    {func(l *ledger) { l.verified(manners()[0], told("a", gavel.Allow, because("verifier.allowed"))) }, ""},
		"a verifier's answer that is not obeyed": {func(l *ledger) { l.verified(manners()[2], told("a", gavel.Allow, because("verifier.denied"))) }, wronglyVerified},
		"a verifier's answer for another reason": {func(l *ledger) { l.verified(manners()[2], told("a", gavel.Deny, because("verifier.timeout"))) }, wronglyVerified},
		"a denial that is used": {func(l *ledger) {
			l.answering("q", gavel.DenyAnswer)
			took(l, "", told("a", gavel.Allow, by("q")))
		}, usedTwice},
		"an answer that allows nothing": {func(l *ledger) {
			l.answering("q", gavel.AllowOnce)
			l.settled("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.AllowOnce)
		}, notAllowed},
		"another answer than was given":    {func(l *ledger) { l.settled("q", gavel.AllowOnce, gavel.ApprovalResolved, gavel.DenyAnswer) }, notAsked},
		"an answer although nobody did":    {func(l *ledger) { l.settled("q", "", gavel.ApprovalResolved, gavel.AllowOnce) }, notAsked},
		"a question that expires unheeded": {func(l *ledger) { l.settled("q", "", gavel.ApprovalExpired, "") }, ""},
		"an acknowledged answer that is lost": {func(l *ledger) {
			l.settled("q", gavel.AllowOnce, gavel.ApprovalExpired, "")
			l.taken("q")
		}, notAsked},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLedger()
			c.plant(l)
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

func TestInvalidAnswersAreFailures(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a 500":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
		"a 503":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"a 400":           func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) },
		"half of JSON":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"1","decision":`)) },
		"no decision":     func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{}`)) },
		"a lost answer":   func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"an effect maybe": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(`{"id":"1","decision":"maybe"}`)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(answer)
			defer server.Close()
			c := &client{http: server.Client(), base: server.URL, book: newLedger()}
			c.decide(probe(0))
			found := c.book.problems()
			require.Len(t, found, 1)
			assert.Contains(t, found[0], requestFailed)
		})
	}
}
