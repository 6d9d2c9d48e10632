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

// verifiedTool is the tool whose calls need a verifier. The corpus does not call it.
const verifiedTool = "web_search"

const (
	slowAnswer      = 300 * time.Millisecond // the delay of a slow verifier
	verifierTimeout = time.Second            // setting of the policy
)

// verifierMode is a behaviour of the verifier, with the decision that it must lead to.
type verifierMode struct {
	name   string
	codes  []string // the reason has one of them
	effect gavel.Effect
}

func verifierModes() []verifierMode {
	return []verifierMode{
		{"allow", []string{"verifier.allowed"}, gavel.Allow},
		{"slow", []string{"verifier.allowed"}, gavel.Allow},
		{"deny", []string{"verifier.denied"}, gavel.Deny},
		{"down", []string{"verifier.unreachable", "verifier.timeout"}, gavel.Deny}, // the last attempt may be too late
		{"broken", []string{"verifier.malformed"}, gavel.Deny},
		{"hang", []string{"verifier.timeout"}, gavel.Deny},
		{"abandon", nil, gavel.Deny}, // the caller disconnects before the verifier answers
	}
}

// verifier is a webhook. The parameter mode of a call says how it behaves.
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
	server := &http.Server{Handler: v, ReadHeaderTimeout: requestTimeout}
	v.close = func() { _ = server.Close() }
	go server.Serve(listener) //nolint:errcheck // it ends with close
	return v, nil
}

// ServeHTTP implements http.Handler.
func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Tool struct{ Params struct{ Mode string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch call.Tool.Params.Mode {
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
	case "hang", "abandon":
		<-r.Context().Done()
		return
	}
	_, _ = fmt.Fprint(w, `{"decision":"allow"}`)
}

// verifiedCall returns a call that needs the verifier.
func verifiedCall(mode string) gavel.Call {
	return gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: verifiedTool, Params: map[string]any{"mode": mode}}}
}

// askVerifier makes calls that need the verifier until ctx ends, and checks the decisions.
func (s *soak) askVerifier(ctx context.Context, c *client, first int) {
	defer c.close()
	all := verifierModes()
	for n := first; pause(ctx, callPause); n++ {
		m := all[n%len(all)]
		if m.name == "abandon" {
			s.abandonCall(ctx, c)
			continue
		}
		var d gavel.Decision
		if c.do(http.MethodPost, "/v1/decisions", verifiedCall(m.name), &d) {
			s.ledger.recordVerified(m, d)
		}
	}
}

// abandonCall makes a call and disconnects before the verifier answers.
func (s *soak) abandonCall(ctx context.Context, c *client) {
	ctx, cancel := context.WithTimeout(ctx, slowAnswer)
	defer cancel()
	answer, err := c.sendJSON(ctx, http.MethodPost, "/v1/decisions", verifiedCall("abandon"))
	if err == nil {
		_ = answer.Body.Close()
		s.ledger.report(verifierIgnored, "a call was decided before the verifier answered: %s", answer.Status)
	}
	s.ledger.recordAbandoned()
}

// recordVerified records and checks the decision about a call that needs the verifier.
func (l *ledger) recordVerified(m verifierMode, d gavel.Decision) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	l.effects[d.Effect]++
	l.verifiedCalls++
	for _, reason := range d.Reasons {
		if d.Effect == m.effect && slices.Contains(m.codes, reason.Code) {
			return
		}
	}
	l.reportLocked(verifierIgnored, "the verifier's mode was %s, and the decision was %s: %+v", m.name, d.Effect, d.Reasons)
}

// recordAbandoned counts a call whose caller disconnected. Its decision is in the log, although the
// caller did not receive it.
func (l *ledger) recordAbandoned() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.abandoned++
}
