package server

import (
	"context"
	"net/http"
	"sync"
	"time"

	"gavel"
)

// At most maxRefusals refusals of each kind are recorded per refusalWindow. Further ones are
// counted, and the next one that is recorded has their number.
const (
	maxRefusals   = 30
	refusalWindow = time.Minute
)

// refusalLimiter limits how many refused requests are recorded, so that clients without a token
// cannot fill the log.
type refusalLimiter struct {
	mu      sync.Mutex
	windows map[string]*refusalCount // by kind
}

type refusalCount struct {
	since                time.Time
	recorded, suppressed int
}

// allow reports whether one more event of a kind may be recorded, and how many were suppressed
// since the last one.
func (r *refusalLimiter) allow(kind string, now time.Time) (ok bool, suppressed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.windows == nil {
		r.windows = map[string]*refusalCount{}
	}
	c := r.windows[kind]
	if c == nil {
		c = &refusalCount{since: now}
		r.windows[kind] = c
	}
	if elapsed := now.Sub(c.since); elapsed >= refusalWindow || elapsed < 0 {
		c.since, c.recorded = now, 0
	}
	if c.recorded >= maxRefusals {
		c.suppressed++
		return false, 0
	}
	c.recorded++
	suppressed, c.suppressed = c.suppressed, 0
	return true, suppressed
}

// refuse records that a request was refused because of who made it.
func (s *Server) refuse(r *http.Request, from caller, err error) {
	e := classify(err)
	kind := ""
	switch {
	case e.Code == codeUnauthenticated || e.Code == codePeerRefused:
		kind = gavel.AuditLoginRefused
	case statusOf(e.Code) == http.StatusForbidden:
		kind = gavel.AuditAccessRefused
	}
	if kind == "" || s.cfg.Audit == nil {
		return
	}
	ok, suppressed := s.refusals.allow(kind, s.cfg.Now())
	if !ok {
		return
	}
	detail := map[string]any{"method": r.Method, "path": truncate(r.URL.Path), "code": e.Code}
	if suppressed > 0 {
		detail["suppressed"] = suppressed
	}
	event := gavel.AuditEvent{Kind: kind, Timestamp: s.cfg.Now().UTC(), From: r.RemoteAddr, Detail: detail}
	if from.name != "" {
		event.By, event.From = from.credential(), from.from
	}
	// The request is refused whether or not the log has room for it.
	if err := s.cfg.Audit.Audit(context.WithoutCancel(r.Context()), event); err != nil {
		s.log.WarnContext(r.Context(), "a refused request is not recorded", "kind", kind, "error", err)
	}
}

// truncate shortens a text from a request.
func truncate(text string) string {
	const most = 200
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
