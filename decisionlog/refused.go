package decisionlog

import (
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"gavel"
)

// The limits for each kind of refusal: how many are written at once, and how many per second
// after that.
const (
	refusalsAtOnce = 100
	refusalsEach   = 10
)

// refusals limits what someone without any rights can write: refusals cost them nothing.
// Refusals that are not written are counted, and the next line has the number.
type refusals struct {
	mu    sync.Mutex
	kinds map[string]*refusal
}

type refusal struct {
	limit *rate.Limiter
	more  int // that were not written since the last one
}

func newRefusals() *refusals {
	r := &refusals{kinds: map[string]*refusal{}}
	for _, kind := range []string{gavel.AuditLoginRefused, gavel.AuditAccessRefused} {
		r.kinds[kind] = &refusal{limit: rate.NewLimiter(refusalsEach, refusalsAtOnce)}
	}
	return r
}

// admit tells whether an event is written. It adds the number of unwritten ones to the
// detail.
func (r *refusals) admit(event *gavel.AuditEvent, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind, ok := r.kinds[event.Kind]
	if !ok {
		return true
	}
	if !kind.limit.AllowN(now, 1) {
		kind.more++
		return false
	}
	if kind.more > 0 {
		detail := maps.Clone(event.Detail)
		if detail == nil {
			detail = map[string]any{}
		}
		detail["suppressed"] = float64(kind.more)
		event.Detail, kind.more = detail, 0
	}
	return true
}
