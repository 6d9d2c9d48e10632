// Package receiver is the other side of a webhook: a verifier that checks requests as VERIFIER-4
// demands, and then calls a function to decide. It is executable documentation, and the peer in the
// tests of the client. The order of its steps matters: limit the body, check the signature over the
// raw bytes, then its time, its id and whether it is a repetition, and only then read the body.
package receiver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"gavel"
	"gavel/internal/outgoing"
	"gavel/internal/strictjson"
)

const (
	maxBody   = 2 << 20
	tolerance = 5 * time.Minute
	maxIDs    = 100_000 // requests that are kept, to recognise repetitions
)

// Config defines a receiver. Keys, Decide and Now are required.
type Config struct {
	Keys   []outgoing.Key // any of them may have signed a request
	Answer outgoing.Key   // signs answers; a zero key signs none
	// Decide reports whether a call may run and, if not, why. It is called once for each request.
	Decide func(ctx context.Context, call gavel.Call) (allow bool, reason string)
	Now    func() time.Time
}

// Receiver answers webhooks. It is safe for concurrent use.
type Receiver struct {
	cfg  Config
	mu   sync.Mutex
	seen map[string]*request
}

// request is an earlier request. Its answer may be read once done is closed.
type request struct {
	body   [sha256.Size]byte
	at     time.Time
	done   chan struct{}
	answer []byte
}

// New checks a configuration.
func New(cfg Config) (*Receiver, error) {
	if len(cfg.Keys) == 0 || cfg.Keys[0].IsZero() || cfg.Decide == nil || cfg.Now == nil {
		return nil, errors.New("receiver: Config.Keys, Config.Decide or Config.Now is missing")
	}
	return &Receiver{cfg: cfg, seen: map[string]*request{}}, nil
}

// question has the members of a request that are used.
type question struct {
	Version   int    `json:"version"`
	Timestamp string `json:"timestamp"`
	RequestID string `json:"requestId"`
	Tool      struct {
		Name   string         `json:"name"`
		Params map[string]any `json:"params"`
	} `json:"tool"`
	Context struct {
		AgentID         string `json:"agentId"`
		SessionKey      string `json:"sessionKey"`
		MessageProvider string `json:"messageProvider"`
	} `json:"context"`
	Probe bool `json:"probe"`
}

// ServeHTTP implements http.Handler.
func (v *Receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		refuse(w, http.StatusMethodNotAllowed, "POST only")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, http.StatusRequestEntityTooLarge, "the body cannot be read, or is too large")
		return
	}
	q, status, err := v.check(r.Header, body)
	if err != nil {
		refuse(w, status, err.Error())
		return
	}
	known, first, err := v.remember(q.RequestID, body)
	switch {
	case err != nil:
		w.Header().Set("Retry-After", "60")
		refuse(w, http.StatusServiceUnavailable, err.Error())
		return
	case known == nil:
		refuse(w, http.StatusConflict, "the requestId was used for another body")
		return
	case first:
		v.answer(context.WithoutCancel(r.Context()), known, q) // repeated requests get the same answer
	}
	select {
	case <-known.done:
	case <-r.Context().Done():
		return
	}
	if !v.cfg.Answer.IsZero() {
		outgoing.SignAnswer(w.Header(), v.cfg.Answer, q.RequestID, v.cfg.Now(), known.answer)
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(known.answer) // it fails only if the client is gone
}

// check returns the question if its signature is valid and recent and its id is that of the body.
// The signature is in the headers of Standard Webhooks, or in those of the proposal.
func (v *Receiver) check(header http.Header, body []byte) (q question, status int, err error) {
	now := v.cfg.Now()
	standard := header.Get(outgoing.HeaderSignature) != ""
	if standard {
		err = outgoing.Verify(header, v.cfg.Keys, now, tolerance, body)
	} else {
		err = outgoing.VerifyOpenClaw(header, v.cfg.Keys, body)
	}
	if err != nil {
		return q, http.StatusUnauthorized, err
	}
	if err := strictjson.UnmarshalOpen(body, &q); err != nil {
		return q, http.StatusBadRequest, err
	}
	if !standard {
		at, err := time.Parse(time.RFC3339, q.Timestamp)
		if err != nil || !outgoing.Fresh(at, now, tolerance) {
			return q, http.StatusUnauthorized, errors.New("the timestamp is too old, from the future, or not RFC 3339")
		}
	}
	if id := header.Get(outgoing.HeaderID); q.RequestID == "" || id != "" && id != q.RequestID {
		return q, http.StatusBadRequest, errors.New("webhook-id is not the requestId of the body")
	}
	if q.Version != 1 {
		return q, http.StatusBadRequest, errors.New("only version 1 is known")
	}
	return q, 0, nil
}

// remember returns the request with an id, and whether this is the first one. It returns nil if the
// id was used for another body, and an error if there is no room. Ids are kept for longer than a
// signature is valid.
func (v *Receiver) remember(id string, body []byte) (known *request, first bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, sum := v.cfg.Now(), sha256.Sum256(body)
	if known := v.seen[id]; known != nil {
		if known.body != sum {
			return nil, false, nil
		}
		return known, false, nil
	}
	if len(v.seen) >= maxIDs {
		for old, r := range v.seen {
			if now.Sub(r.at) > 2*tolerance {
				delete(v.seen, old)
			}
		}
	}
	if len(v.seen) >= maxIDs {
		return nil, false, errors.New("too many requests are remembered")
	}
	known = &request{body: sum, at: now, done: make(chan struct{})}
	v.seen[id] = known
	return known, true, nil
}

// answer sets the answer of a request. If deciding panics, repeated requests get a deny.
func (v *Receiver) answer(ctx context.Context, known *request, q question) {
	defer close(known.done)
	known.answer = []byte(`{"decision":"deny","reason":"the verifier failed"}`)
	known.answer = v.decide(ctx, q)
}

func (v *Receiver) decide(ctx context.Context, q question) []byte {
	answer := struct {
		Decision  string `json:"decision"`
		Reason    string `json:"reason,omitempty"`
		RequestID string `json:"requestId"`
	}{Decision: "deny", RequestID: q.RequestID}
	if q.Probe {
		answer.Reason = "this is the answer to a probe"
	} else if allow, reason := v.cfg.Decide(ctx, gavel.Call{Agent: gavel.Agent{ID: q.Context.AgentID}, Session: gavel.Session{Key: q.Context.SessionKey},
		Tool: gavel.Tool{Name: q.Tool.Name, Params: q.Tool.Params}}); allow {
		answer.Decision = "allow"
	} else {
		answer.Reason = reason
	}
	var text bytes.Buffer
	if err := json.NewEncoder(&text).Encode(answer); err != nil { // not reached: texts always encode
		return []byte(`{"decision":"deny"}`)
	}
	return bytes.TrimSpace(text.Bytes())
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why}) // whoever asked has gone, if it fails
}
