package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"gavel"
)

// verifiedTool is the tool whose calls need a verifier. The corpus does not call it.
const verifiedTool = "web_search"

const (
	slowAnswer      = 300 * time.Millisecond // the delay of a slow verifier
	verifierTimeout = 5 * time.Second        // setting of the policy; a busy machine may need seconds for an answer
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

	mu       sync.Mutex
	expected map[string]chan struct{} // by the parameter mark of a call: closed when it was asked about
}

// expect returns a channel that is closed when the verifier is asked about the call with a mark.
func (v *verifier) expect(mark string) <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	asked := make(chan struct{})
	v.expected[mark] = asked
	return asked
}

func (v *verifier) asked(mark string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if asked, ok := v.expected[mark]; ok {
		close(asked)
		delete(v.expected, mark)
	}
}

func newVerifier() (*verifier, error) {
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a verifier: %w", err)
	}
	v := &verifier{url: "http://" + listener.Addr().String() + "/", expected: map[string]chan struct{}{}}
	server := &http.Server{Handler: v, ReadHeaderTimeout: requestTimeout}
	v.close = func() { _ = server.Close() }
	go server.Serve(listener) //nolint:errcheck // it ends with close
	return v, nil
}

// ServeHTTP implements http.Handler.
func (v *verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		Tool struct{ Params struct{ Mode, Mark string } }
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
		v.asked(call.Tool.Params.Mark)
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

// abandonCall makes a call and disconnects when the verifier was asked, and before it answers.
func (s *soak) abandonCall(ctx context.Context, c *client) {
	call := verifiedCall("abandon")
	mark := rand.Text()
	call.Tool.Params["mark"] = mark
	asked := s.server.verifier.expect(mark)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // the log has the call only if the verifier was asked
	defer cancel()
	go func() {
		select {
		case <-asked:
			cancel()
		case <-ctx.Done():
		}
	}()
	answer, err := c.sendJSON(ctx, http.MethodPost, "/v1/decisions", call)
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
