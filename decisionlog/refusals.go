package decisionlog

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"gavel"
)

// The rate limit for each kind of refusal.
const (
	refusalBurst      = 100
	refusalsPerSecond = 10
)

// refusals limits how many events about refused requests are written. Such requests cost an
// attacker nothing, so without a limit anyone could fill the disk. Events that are not written
// are counted, and the next line has the number.
type refusals struct {
	mu    sync.Mutex
	kinds map[string]*refusalKind
}

type refusalKind struct {
	limit      *rate.Limiter
	suppressed int // events since the last one that was written
}

func newRefusals() *refusals {
	r := &refusals{kinds: map[string]*refusalKind{}}
	for _, kind := range []string{gavel.AuditLoginRefused, gavel.AuditAccessRefused} {
		r.kinds[kind] = &refusalKind{limit: rate.NewLimiter(refusalsPerSecond, refusalBurst)}
	}
	return r
}

// admit reports whether an event should be written. If events of its kind were suppressed before,
// it adds their number to the detail.
func (r *refusals) admit(event *gavel.AuditEvent, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind, ok := r.kinds[event.Kind]
	if !ok {
		return true
	}
	if !kind.limit.AllowN(now, 1) {
		kind.suppressed++
		return false
	}
	if kind.suppressed > 0 {
		detail := maps.Clone(event.Detail)
		if detail == nil {
			detail = map[string]any{}
		}
		detail["suppressed"] = float64(kind.suppressed)
		event.Detail, kind.suppressed = detail, 0
	}
	return true
}
