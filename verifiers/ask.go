package verifiers

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// errDenied is the cause of the end when another verifier has denied.
var errDenied = errors.New("another verifier has denied the call")

// Ask implements gavel.Verifiers.
func (h *Hub) Ask(ctx context.Context, decision *gavel.Decision, facts *gavel.Facts) []gavel.VerifierAnswer {
	asks := decision.Asks
	answers := make([]gavel.VerifierAnswer, len(asks.Verifiers))
	for i, v := range asks.Verifiers {
		answers[i] = gavel.VerifierAnswer{Verifier: v.Name, Outcome: gavel.VerifierEnded}
	}
	question, err := h.question(decision, facts)
	if err != nil {
		for i := range answers {
			answers[i].Outcome, answers[i].Detail = gavel.VerifierMalformed, "the call's parameters have no canonical form, so it cannot be asked about"
		}
		return answers
	}
	leave := h.startWaiting(decision.Revision)
	if leave == nil {
		for i := range answers {
			answers[i].Outcome = gavel.VerifierBusy
		}
		return answers
	}
	defer leave()
	if len(answers) == 1 { // the usual case; it needs no goroutine
		answers[0].Outcome, answers[0].Detail = h.askOne(ctx, asks.Verifiers[0], asks, question, decision.Revision)
		return answers
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	var asking sync.WaitGroup
	for i, v := range asks.Verifiers {
		asking.Go(func() {
			answers[i].Outcome, answers[i].Detail = h.askOne(ctx, v, asks, question, decision.Revision)
			if answers[i].Outcome == gavel.VerifierDenied {
				end(errDenied)
			}
		})
	}
	asking.Wait()
	return answers
}

// withVerifierTimeout returns a context with a time limit. If the limit ends it, the cause is
// gavel.ErrVerifierTime; if the parent ends first, it is the parent's.
func withVerifierTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, limit, gavel.ErrVerifierTime)
}

// askOne asks one verifier, unless it allowed the same question a moment ago.
func (h *Hub) askOne(ctx context.Context, v gavel.AskedVerifier, asks *gavel.Asks, q gavel.VerifierQuestion, revision string) (outcome, detail string) {
	var key string
	if asks.Remember > 0 {
		key = cacheKey(v, &q)
		if h.cached(key) {
			h.metrics.questions.WithLabelValues(v.Name, gavel.VerifierRemembered).Inc()
			return gavel.VerifierRemembered, ""
		}
	}
	verifier, most := h.endpoint(revision, v.Endpoint)
	if verifier == nil {
		return gavel.VerifierEnded, ""
	}
	leave := h.startWaitingFor(v, most)
	if leave == nil {
		h.countReply(v, gavel.VerifierReply{Outcome: gavel.VerifierBusy}, 0)
		return gavel.VerifierBusy, ""
	}
	defer leave()
	ctx, cancel := withVerifierTimeout(ctx, min(v.Timeout, asks.Timeout))
	defer cancel()
	q.RequestID, q.At = h.cfg.NewID(), h.cfg.Now()
	if end, limited := ctx.Deadline(); limited {
		q.ExpiresAt = q.At.Add(time.Until(end))
	}
	if !h.record(ctx, gavel.AuditVerifierAsked, v, &q, nil) {
		return gavel.VerifierEnded, ""
	}
	began := time.Now() // a real duration, so not the configured clock
	reply := gavel.VerifierReply{Outcome: gavel.VerifierEnded}
	err := rescue.Call(func() error { reply = verifier.Ask(ctx, &q); return nil })
	took := time.Since(began)
	if err != nil {
		h.cfg.Logger.Error("asking a verifier panicked", "verifier", v.Name, "error", err, "stack", rescue.Stack(err))
		reply = gavel.VerifierReply{Outcome: gavel.VerifierEnded}
	}
	h.countReply(v, reply, took)
	recorded := h.record(context.WithoutCancel(ctx), gavel.AuditVerifierAnswered, v, &q, map[string]any{"outcome": reply.Outcome, "detail": reply.Detail,
		"status": strconv.Itoa(reply.Status), "attempts": strconv.Itoa(reply.Attempts), "latencyMs": strconv.FormatInt(took.Milliseconds(), 10)})
	if !recorded {
		return gavel.VerifierEnded, ""
	}
	if reply.Outcome == gavel.VerifierAllowed && asks.Remember > 0 {
		h.allows.Add(key, h.cfg.Now().Add(asks.Remember))
	}
	return reply.Outcome, reply.Detail
}

// record writes an audit event, and reports whether that succeeded. If it did not, the answer does
// not count.
func (h *Hub) record(ctx context.Context, kind string, v gavel.AskedVerifier, q *gavel.VerifierQuestion, more map[string]any) bool {
	if h.cfg.Audit == nil {
		return true
	}
	detail := map[string]any{"verifier": v.Name, "endpoint": v.Endpoint, "requestId": q.RequestID, "digest": q.Digest, "tool": q.Tool, "session": q.Session, "revision": q.Revision}
	for name, value := range more {
		detail[name] = value
	}
	if err := h.cfg.Audit.Audit(ctx, gavel.AuditEvent{Kind: kind, Timestamp: h.cfg.Now(), Agent: q.Agent, Detail: detail}); err != nil {
		h.cfg.Logger.Error("a question to a verifier was not recorded, so its answer does not count", "verifier", v.Name, "error", err)
		return false
	}
	return true
}
