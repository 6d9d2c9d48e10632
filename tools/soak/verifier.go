package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"gavel"
)

// verified is the tool about which a verifier is asked. Nothing else of the corpus calls it.
const verified = "web_search"

// slowAnswer is how long a slow verifier takes; asked for longer than verifierTime, it is too late.
const (
	slowAnswer   = 300 * time.Millisecond
	verifierTime = time.Second
)

// manner is how the verifier behaves towards a call, and what must be decided then.
type manner struct {
	name   string
	codes  []string // one of them is the reason
	effect gavel.Effect
}

func manners() []manner {
	return []manner{
		{"allow", []string{"verifier.allowed"}, gavel.Allow},
		{"slow", []string{"verifier.allowed"}, gavel.Allow},
		{"deny", []string{"verifier.denied"}, gavel.Deny},
		{"down", []string{"verifier.unreachable", "verifier.timeout"}, gavel.Deny}, // the last attempt may be too late
		{"broken", []string{"verifier.malformed"}, gavel.Deny},
		{"hang", []string{"verifier.timeout"}, gavel.Deny},
		{"leave", nil, gavel.Deny}, // the caller goes while the verifier is asked
	}
}

// verifier is a webhook that behaves as the call says.
type verifier struct {
	url   string
	close func()
}

func newVerifier() (*verifier, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a verifier: %w", err)
	}
	v := &verifier{url: "http://" + listener.Addr().String() + "/"}
	server := &http.Server{Handler: v, ReadHeaderTimeout: answersWithin}
	v.close = func() { _ = server.Close() }
	go server.Serve(listener) //nolint:errcheck // it ends with close
	return v, nil
}

// ServeHTTP implements http.Handler.
func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Tool struct{ Params struct{ Manner string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch q.Tool.Params.Manner {
	case "slow":
		pause(r.Context(), slowAnswer)
	case "deny":
		_, _ = fmt.Fprint(w, `{"decision":"deny","reason":"not now"}`)
		return
	case "down":
		panic(http.ErrAbortHandler)
	case "broken":
		_, _ = fmt.Fprint(w, `{"decision":"deny","decision":"allow"}`)
		return
	case "hang", "leave":
		<-r.Context().Done()
		return
	}
	_, _ = fmt.Fprint(w, `{"decision":"allow"}`)
}

// verifiedCall is a call that the verifier is asked about.
func verifiedCall(manner string) gavel.Call {
	return gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: verified, Params: map[string]any{"manner": manner}}}
}

// askVerifier makes calls that need the verifier until ctx ends, and checks what is decided.
func (s *soak) askVerifier(ctx context.Context, c *client, first int) {
	defer c.close()
	all := manners()
	for n := first; pause(ctx, restAfterCall); n++ {
		m := all[n%len(all)]
		if m.name == "leave" {
			s.leave(ctx, c)
			continue
		}
		var d gavel.Decision
		if c.do(http.MethodPost, "/v1/decisions", verifiedCall(m.name), &d) {
			s.book.verified(m, d)
		}
	}
}

// leave makes a call and goes before the verifier can answer.
func (s *soak) leave(ctx context.Context, c *client) {
	brief, cancel := context.WithTimeout(ctx, slowAnswer)
	defer cancel()
	answer, err := c.open(brief, http.MethodPost, "/v1/decisions", verifiedCall("leave"))
	if err == nil {
		_ = answer.Body.Close()
		s.book.wrong(wronglyVerified, "a call was answered although the verifier was still asked: %s", answer.Status)
	}
	s.book.left()
}

// verified records the decision about a call that the verifier was asked about.
func (l *ledger) verified(m manner, d gavel.Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.effects[d.Effect]++
	l.checked++
	for _, reason := range d.Reasons {
		if d.Effect == m.effect && slices.Contains(m.codes, reason.Code) {
			return
		}
	}
	l.fault(wronglyVerified, "the verifier was to %s, and the call ended with %s: %+v", m.name, d.Effect, d.Reasons)
}

// left counts a caller that went. Its decision is in the log, and nobody got it.
func (l *ledger) left() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.gone++
}
