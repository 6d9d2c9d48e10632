package webhook_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel/internal/outgoing"
	"gavel/verifiers/webhook"
)

func signing(t *testing.T, body string, change func(http.Header)) http.HandlerFunc {
	return signingAt(t, 0, body, change)
}

// signingAt signs when the verifier's clock is this much ahead.
func signingAt(t *testing.T, ahead time.Duration, body string, change func(http.Header)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		outgoing.SignAnswer(w.Header(), key(t, "answers"), requestID, time.Unix(1772355600, 0).Add(ahead), []byte(body))
		if change != nil {
			change(w.Header())
		}
		answering(body)(w, nil)
	}
}

// withStatus answers with a status and a text.
func withStatus(code int, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		_, _ = io.WriteString(w, text)
	}
}

// checkAnswers compares the outcome of asking a webhook that answers in some way.
func checkAnswers(t *testing.T, cases map[string]struct {
	handle  http.HandlerFunc
	change  func(*webhook.Config)
	outcome string
	detail  string
}) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			s := serve(t, c.handle)
			got := s.client(t, c.change).Ask(t.Context(), asked())
			assert.Equal(t, c.outcome, got.Outcome, got.Detail)
			if c.detail != "" {
				assert.Equal(t, c.detail, got.Detail)
			}
			assert.Equal(t, 1, got.Attempts, "none of these is tried again")
		})
	}
}

func TestOnlyAWellFormedAnswerAllows(t *testing.T) {
	checkAnswers(t, map[string]struct {
		handle  http.HandlerFunc
		change  func(*webhook.Config)
		outcome string
		detail  string
	}{
		"allow":                          {handle: answering(`{"decision":"allow"}`), outcome: "allowed"},
		"deny with a reason":             {handle: answering(`{"decision":"deny","reason":"not on a Friday"}`), outcome: "denied", detail: "not on a Friday"},
		"a reason of control characters": {handle: answering(`{"decision":"deny","reason":"a\u202eb\u001b[2J"}`), outcome: "denied", detail: `a\u{202E}b\u{1B}[2J`},
		"a long reason":                  {handle: answering(`{"decision":"deny","reason":"` + strings.Repeat("é", 600) + `"}`), outcome: "denied", detail: strings.Repeat("é", 500)},
		"a null reason":                  {handle: answering(`{"decision":"allow","reason":null}`), outcome: "allowed"},
		"unknown keys":                   {handle: answering(`{"decision":"allow","score":0.1,"more":{"a":[null]}}`), outcome: "allowed"},
		"a duplicate key":                {handle: answering(`{"decision":"deny","decision":"allow"}`), outcome: "malformed"},
		"a duplicate key deeper":         {handle: answering(`{"decision":"allow","more":{"a":1,"a":2}}`), outcome: "malformed"},
		"a duplicate key, escaped":       {handle: answering(`{"decision":"deny","d\u0065cision":"allow"}`), outcome: "malformed"},
		"another spelling of the key":    {handle: answering(`{"Decision":"allow"}`), outcome: "malformed"},
		"another spelling of the value":  {handle: answering(`{"decision":"Allow"}`), outcome: "malformed"},
		"a boolean":                      {handle: answering(`{"decision":true}`), outcome: "malformed"},
		"no decision":                    {handle: answering(`{}`), outcome: "malformed"},
		"a list":                         {handle: answering(`["allow"]`), outcome: "malformed"},
		"null":                           {handle: answering(`null`), outcome: "malformed"},
		"nothing":                        {handle: answering(``), outcome: "malformed"},
		"more after the document":        {handle: answering(`{"decision":"allow"}{"decision":"deny"}`), outcome: "malformed"},
		"bytes that are not UTF-8":       {handle: answering("{\"decision\":\"allow\",\"reason\":\"\xff\"}"), outcome: "malformed"},
		"another content type":           {handle: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"decision":"allow"}`) }, outcome: "malformed"},
		"an answer too large":            {handle: answering(`{"decision":"allow","pad":"` + strings.Repeat("x", 64<<10) + `"}`), outcome: "oversize"},
		"an answer of exactly 64 KiB":    {handle: answering(`{"decision":"allow"}` + strings.Repeat(" ", 64<<10-20)), outcome: "allowed"},
		"an answer that ends too early":  {handle: cutOff, outcome: "malformed"},
		"a compressed answer":            {handle: compressed, outcome: "malformed"},
	})
}

func TestSignaturesAndStatusesOfAnswers(t *testing.T) {
	demanding := func(cfg *webhook.Config) { cfg.Response = key(t, "answers") }
	echo := func(cfg *webhook.Config) { cfg.RequireEcho = true }
	checkAnswers(t, map[string]struct {
		handle  http.HandlerFunc
		change  func(*webhook.Config)
		outcome string
		detail  string
	}{
		"a redirect":                         {handle: withStatus(307, ""), outcome: "redirect", detail: "status 307"},
		"a redirect that allows":             {handle: withStatus(302, `{"decision":"allow"}`), outcome: "redirect", detail: "status 302"},
		"an error":                           {handle: withStatus(500, `{"decision":"allow"}`), outcome: "status", detail: "status 500"},
		"an error that denies":               {handle: withStatus(403, `{"decision":"deny","reason":"no"}`), outcome: "denied", detail: "no"},
		"a refused signature":                {handle: withStatus(401, ``), outcome: "status", detail: "status 401"},
		"the right requestId":                {handle: answering(`{"decision":"allow","requestId":"` + requestID + `"}`), change: echo, outcome: "allowed"},
		"no requestId where it is demanded":  {handle: answering(`{"decision":"allow"}`), change: echo, outcome: "mismatch"},
		"another requestId":                  {handle: answering(`{"decision":"allow","requestId":"x"}`), outcome: "mismatch"},
		"a deny with another requestId":      {handle: answering(`{"decision":"deny","requestId":"x"}`), outcome: "denied"},
		"a signed answer":                    {handle: signing(t, `{"decision":"allow"}`, nil), change: demanding, outcome: "allowed"},
		"an unsigned allow":                  {handle: answering(`{"decision":"allow"}`), change: demanding, outcome: "mismatch"},
		"an unsigned deny":                   {handle: answering(`{"decision":"deny"}`), change: demanding, outcome: "denied"},
		"a wrong signature":                  {handle: signing(t, `{"decision":"allow"}`, func(h http.Header) { h.Set("webhook-signature", "v1,AAAA") }), change: demanding, outcome: "mismatch"},
		"signed 299 seconds ago":             {handle: signingAt(t, -299*time.Second, allowed, nil), change: demanding, outcome: "allowed"},
		"signed 300 seconds ago":             {handle: signingAt(t, -300*time.Second, allowed, nil), change: demanding, outcome: "allowed"},
		"signed 301 seconds ago":             {handle: signingAt(t, -301*time.Second, allowed, nil), change: demanding, outcome: "mismatch", detail: "the signature is too old, or from the future"},
		"signed in 299 seconds":              {handle: signingAt(t, 299*time.Second, allowed, nil), change: demanding, outcome: "allowed"},
		"signed in 300 seconds":              {handle: signingAt(t, 300*time.Second, allowed, nil), change: demanding, outcome: "allowed"},
		"signed in 301 seconds":              {handle: signingAt(t, 301*time.Second, allowed, nil), change: demanding, outcome: "mismatch", detail: "the signature is too old, or from the future"},
		"a signature with another time":      {handle: signing(t, `{"decision":"allow"}`, func(h http.Header) { h.Set("webhook-timestamp", "1772355000") }), change: demanding, outcome: "mismatch"},
		"the request's own signature":        {handle: reflected, change: func(cfg *webhook.Config) { cfg.Response = key(t, "verifier-secret") }, outcome: "mismatch"},
		"a signature of another key's hands": {handle: signing(t, `{"decision":"allow"}`, nil), change: func(cfg *webhook.Config) { cfg.Response = key(t, "others") }, outcome: "mismatch"},
	})
}

func cutOff(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "100")
	_, _ = io.WriteString(w, `{"decision":"allow"}`)
}

func compressed(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Encoding", "gzip")
	packed := gzip.NewWriter(w)
	_, _ = io.WriteString(packed, `{"decision":"allow"}`)
	_ = packed.Close()
}

// reflected answers with the signature of the request.
func reflected(w http.ResponseWriter, r *http.Request) {
	for _, name := range []string{"webhook-timestamp", "webhook-signature"} {
		w.Header().Set(name, r.Header.Get(name))
	}
	answering(`{"decision":"allow"}`)(w, r)
}
