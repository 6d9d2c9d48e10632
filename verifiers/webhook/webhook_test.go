package webhook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/internal/outgoing"
	"gavel/verifiers/webhook"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const requestID = "3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11"

func asked() *gavel.VerifierQuestion {
	return &gavel.VerifierQuestion{RequestID: requestID, At: time.Unix(1772355600, 0), Tool: "exec",
		Params: map[string]any{"command": "git push origin main", "workdir": "/srv/app"}, Agent: "build", Session: "agent:build:s1", Provider: "cli"}
}

// server is a verifier on loopback with a certificate of its own, which the client pins.
type server struct {
	*httptest.Server
	mu      sync.Mutex
	headers []http.Header
	bodies  []string
}

func serve(t *testing.T, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.headers, s.bodies = append(s.headers, r.Header), append(s.bodies, string(body))
		s.mu.Unlock()
		handle(w, r)
	}))
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

func key(t *testing.T, secret string) outgoing.Key {
	t.Helper()
	k, err := outgoing.ParseKey(secret)
	require.NoError(t, err)
	return k
}

func (s *server) client(t *testing.T, change func(*webhook.Config)) *webhook.Client {
	t.Helper()
	cfg := webhook.Config{URL: s.URL + "/verify", Networks: []string{"127.0.0.0/8"}, Secret: key(t, "verifier-secret"), Now: func() time.Time { return time.Unix(1772355600, 0) },
		CA:    pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}),
		Pause: func(context.Context, time.Duration) {}}
	if change != nil {
		change(&cfg)
	}
	c, err := webhook.New(cfg)
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

func answering(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, text)
	}
}

func TestTheRequestMatchesThePublishedExample(t *testing.T) {
	s := serve(t, answering(`{"decision":"allow"}`))
	c := s.client(t, func(cfg *webhook.Config) { cfg.Headers = map[string]string{"Authorization": "Bearer x"} })
	assert.Equal(t, gavel.VerifierReply{Outcome: gavel.VerifierAllowed, Status: 200, Attempts: 1}, c.Ask(t.Context(), asked()))
	assert.Equal(t, `{"version":1,"timestamp":"2026-03-01T09:00:00Z","requestId":"`+requestID+`","tool":{"name":"exec","params":{"command":"git push origin main","workdir":"/srv/app"}},"context":{"agentId":"build","sessionKey":"agent:build:s1","messageProvider":"cli"}}`, s.bodies[0])
	header := s.headers[0]
	for name, want := range map[string]string{"X-OpenClaw-Signature": "7b6944b904609400b15221b0d6a3c28003a74980a475f2968712e40677793f68",
		"webhook-id": requestID, "webhook-timestamp": "1772355600", "webhook-signature": "v1,iY1uzcZfmE7xfqbUUGOWD7RvGbHbPCX07CkRyIxglRg=",
		"Idempotency-Key": requestID, "Authorization": "Bearer x", "Content-Type": "application/json", "User-Agent": "gavel-verifier"} {
		assert.Equal(t, want, header.Get(name), name)
	}
}

func TestGavelsOwnKeysComeAfterTheKeysOfTheProposal(t *testing.T) {
	q := asked()
	q.ExpiresAt, q.Digest, q.Directory, q.Redacted, q.Revision = q.At.Add(30*time.Second), "d", "/srv", []string{"/content"}, "r"
	q.Reasons = []gavel.Reason{{Code: "tools.allowed", Message: "a <b>"}}
	text, err := webhook.Body(q)
	require.NoError(t, err)
	assert.True(t, strings.HasSuffix(string(text), `"messageProvider":"cli"},"expiresAt":"2026-03-01T09:00:30Z","digest":"d","directory":"/srv","redacted":["/content"],"policy":{"revision":"r","reasons":[{"code":"tools.allowed","message":"a <b>"}]}}`), "%s", text)
	empty, err := webhook.Body(&gavel.VerifierQuestion{Redacted: []string{}})
	require.NoError(t, err)
	assert.Contains(t, string(empty), `"params":{}`)
	assert.Contains(t, string(empty), `"redacted":[]`)
}

func TestTwoKeysSignDuringRotation(t *testing.T) {
	s := serve(t, answering(`{"decision":"allow"}`))
	s.client(t, func(cfg *webhook.Config) { cfg.Previous = key(t, "old-secret") }).Ask(t.Context(), asked())
	header, body := s.headers[0], []byte(s.bodies[0])
	assert.Len(t, strings.Fields(header.Get("webhook-signature")), 2)
	for _, secret := range []string{"verifier-secret", "old-secret"} {
		assert.NoError(t, outgoing.Verify(header, []outgoing.Key{key(t, secret)}, time.Unix(1772355600, 0), time.Minute, body), secret)
	}
	body[10] ^= 1
	assert.Error(t, outgoing.Verify(header, []outgoing.Key{key(t, "verifier-secret")}, time.Unix(1772355600, 0), time.Minute, body), "a tampered byte")
}

func TestTemporaryErrorsAreRetriedWithTheSameBytes(t *testing.T) {
	for _, code := range []int{429, 502, 503, 504} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			n := 0
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if n++; n < 3 {
					w.Header().Set("Retry-After", "2")
					w.WriteHeader(code)
					return
				}
				answering(`{"decision":"allow"}`)(w, r)
			})
			var waits []time.Duration
			c := s.client(t, func(cfg *webhook.Config) {
				cfg.Pause = func(_ context.Context, wait time.Duration) { waits = append(waits, wait) }
			})
			got := c.Ask(t.Context(), asked())
			assert.Equal(t, gavel.VerifierAllowed, got.Outcome)
			assert.Equal(t, 3, got.Attempts)
			assert.Equal(t, s.bodies[0], s.bodies[2])
			assert.Equal(t, s.headers[0].Get("webhook-id"), s.headers[2].Get("webhook-id"))
			assert.Equal(t, 2*time.Second, waits[0])
		})
	}
}

func TestThereIsNoRetryWithoutTimeLeft(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(503)
	})
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, gavel.ErrVerifierTime)
	defer cancel()
	got := s.client(t, nil).Ask(ctx, asked())
	assert.Equal(t, gavel.VerifierReply{Outcome: gavel.VerifierStatus, Detail: "status 503", Status: 503, Attempts: 1}, got)
}

func TestAVerifierThatHangsOrTricklesTimesOut(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"it hangs": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"it trickles": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			for _, b := range []byte(`{"decision":"al`) {
				_, _ = w.Write([]byte{b})
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, handle)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, gavel.ErrVerifierTime)
			defer cancel()
			got := s.client(t, nil).Ask(ctx, asked())
			assert.Equal(t, gavel.VerifierTimeout, got.Outcome, got.Detail)
		})
	}
}

func TestACancelledCallIsNotATimeout(t *testing.T) {
	begun := make(chan struct{})
	s := serve(t, func(_ http.ResponseWriter, r *http.Request) { close(begun); <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-begun; cancel() }()
	assert.Equal(t, gavel.VerifierEnded, s.client(t, nil).Ask(ctx, asked()).Outcome)
}

func TestAnUnusableConfigurationIsRefused(t *testing.T) {
	for name, cfg := range map[string]webhook.Config{
		"no url":               {},
		"a password":           {URL: "https://u:p@v.example"},
		"another scheme":       {URL: "ftp://v.example", AllowHTTP: true},
		"a network":            {URL: "https://v.example", Networks: []string{"10.0.0"}},
		"authorities in a mix": {URL: "https://v.example", CA: []byte("x")},
	} {
		_, err := webhook.New(cfg)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "v.example")
	}
}

func TestParametersAreSentUnchanged(t *testing.T) {
	q := asked()
	q.Params = map[string]any{"n": json.Number("10"), "f": 1.5, "html": "<a&b>"}
	text, err := webhook.Body(q)
	require.NoError(t, err)
	assert.Contains(t, string(text), `{"f":1.5,"html":"<a&b>","n":10}`)
	q.Params = map[string]any{"f": func() {}}
	_, err = webhook.Body(q)
	require.Error(t, err)
	s := serve(t, answering(`{"decision":"allow"}`))
	assert.NotEqual(t, gavel.VerifierAllowed, s.client(t, nil).Ask(t.Context(), q).Outcome)
	assert.Empty(t, s.bodies)
	assert.False(t, errors.Is(err, io.EOF) || bytes.Contains(text, []byte("\n")))
}
