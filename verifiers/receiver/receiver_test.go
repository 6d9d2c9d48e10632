package receiver_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/outgoing"
	"gavel/verifiers/receiver"
)

const (
	id   = "3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11"
	body = `{"version":1,"timestamp":"2026-03-01T09:00:00Z","requestId":"3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11","tool":{"name":"exec","params":{"command":"git push origin main"}},"context":{"agentId":"build","sessionKey":"s","messageProvider":"cli"}}`
)

func key(t *testing.T, text string) outgoing.Key {
	t.Helper()
	k, err := outgoing.ParseKey(text)
	require.NoError(t, err)
	return k
}

// receiving is a receiver at nine o'clock plus after, which allows, and counts what it decides.
func receiving(t *testing.T, after time.Duration) (v *receiver.Receiver, decided *int) {
	t.Helper()
	decided = new(int)
	v, err := receiver.New(receiver.Config{Keys: []outgoing.Key{key(t, "verifier-secret"), key(t, "old-secret")}, Answer: key(t, "answers"),
		Now: func() time.Time { return time.Unix(1772355600, 0).Add(after) },
		Decide: func(_ context.Context, call gavel.Call) (bool, string) {
			*decided++
			return call.Tool.Name == "exec", "not this tool"
		}})
	require.NoError(t, err)
	return v, decided
}

func post(t *testing.T, v http.Handler, text string, change func(http.Header)) (int, string, http.Header) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", strings.NewReader(text))
	outgoing.Sign(r.Header, []outgoing.Key{key(t, "verifier-secret")}, id, time.Unix(1772355600, 0), []byte(text))
	if change != nil {
		change(r.Header)
	}
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	answer, err := io.ReadAll(w.Result().Body)
	require.NoError(t, err)
	return w.Code, string(answer), w.Header()
}

func TestASignedRequestIsDecidedAndItsAnswerSigned(t *testing.T) {
	v, _ := receiving(t, 0)
	code, answer, header := post(t, v, body, nil)
	assert.Equal(t, 200, code)
	assert.JSONEq(t, `{"decision":"allow","requestId":"`+id+`"}`, answer)
	assert.NoError(t, outgoing.VerifyAnswer(header, []outgoing.Key{key(t, "answers")}, id, time.Unix(1772355600, 0), time.Minute, []byte(answer)))
}

func TestADenyCarriesItsReason(t *testing.T) {
	v, _ := receiving(t, 0)
	_, answer, _ := post(t, v, strings.Replace(body, `"exec"`, `"read"`, 1), nil)
	assert.JSONEq(t, `{"decision":"deny","reason":"not this tool","requestId":"`+id+`"}`, answer)
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	plain := func(h http.Header) { // only the document's header
		for _, name := range []string{"webhook-id", "webhook-timestamp", "webhook-signature"} {
			h.Del(name)
		}
	}
	for name, c := range map[string]struct {
		after  time.Duration
		body   string
		change func(http.Header)
		code   int
	}{
		"as it is":                    {code: 200},
		"the document's header alone": {change: plain, code: 200},
		"no signature":                {change: func(h http.Header) { plain(h); h.Del("X-OpenClaw-Signature") }, code: 401},
		"an upper-case signature": {change: func(h http.Header) {
			plain(h)
			h.Set("X-OpenClaw-Signature", strings.ToUpper(h.Get("X-OpenClaw-Signature")))
		}, code: 401},
		"a prefix":                                  {change: func(h http.Header) { plain(h); h.Set("X-OpenClaw-Signature", "sha256="+h.Get("X-OpenClaw-Signature")) }, code: 401},
		"a wrong signature beside a right one":      {change: func(h http.Header) { h.Set("webhook-signature", "v1,AAAA") }, code: 401},
		"299 seconds late":                          {after: 299 * time.Second, code: 200},
		"300 seconds late":                          {after: 300 * time.Second, code: 200},
		"301 seconds late":                          {after: 301 * time.Second, code: 401},
		"299 seconds early":                         {after: -299 * time.Second, code: 200},
		"300 seconds early":                         {after: -300 * time.Second, code: 200},
		"300 seconds late by the document's field":  {after: 300 * time.Second, change: plain, code: 200},
		"300 seconds early by the document's field": {after: -300 * time.Second, change: plain, code: 200},
		"301 seconds early by the document's field": {after: -301 * time.Second, change: plain, code: 401},
		"301 seconds early":                         {after: -301 * time.Second, code: 401},
		"301 seconds late by the document's field":  {after: 301 * time.Second, change: plain, code: 401},
		"another id than the body's":                {body: strings.Replace(body, "9b11", "9b12", 1), code: 400},
		"a duplicate key":                           {body: strings.Replace(body, `{"version":1`, `{"version":1,"version":1`, 1), code: 400},
		"another version":                           {body: strings.Replace(body, `"version":1`, `"version":2`, 1), code: 400},
	} {
		t.Run(name, func(t *testing.T) {
			v, decided := receiving(t, c.after)
			text := body
			if c.body != "" {
				text = c.body
			}
			code, answer, _ := post(t, v, text, c.change)
			assert.Equal(t, c.code, code, answer)
			assert.Equal(t, code == 200, *decided == 1)
		})
	}
}

func TestARepeatedRequestIsDecidedOnce(t *testing.T) {
	v, decided := receiving(t, 0)
	_, first, _ := post(t, v, body, nil)
	code, second, _ := post(t, v, body, nil)
	assert.Equal(t, 200, code)
	assert.Equal(t, first, second)
	code, _, _ = post(t, v, strings.Replace(body, "main", "evil", 1), nil)
	assert.Equal(t, 409, code, "the same id for another body")
	assert.Equal(t, 1, *decided)
}

func TestAProbeIsAnsweredWithoutADecision(t *testing.T) {
	v, decided := receiving(t, 0)
	_, answer, _ := post(t, v, strings.Replace(body, `{"version":1`, `{"probe":true,"version":1`, 1), nil)
	assert.Contains(t, answer, "deny")
	assert.Zero(t, *decided)
}

func TestAfterAPanicARepeatedRequestIsDenied(t *testing.T) {
	v, err := receiver.New(receiver.Config{Keys: []outgoing.Key{key(t, "verifier-secret")}, Now: func() time.Time { return time.Unix(1772355600, 0) },
		Decide: func(context.Context, gavel.Call) (bool, string) { panic("x") }})
	require.NoError(t, err)
	assert.Panics(t, func() { post(t, v, body, nil) }, "the server answers nothing, and logs it")
	status, answer, _ := post(t, v, body, nil)
	assert.Equal(t, http.StatusOK, status)
	assert.JSONEq(t, `{"decision":"deny","reason":"the verifier failed"}`, answer)
}
