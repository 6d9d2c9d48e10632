package daemon

import (
	"container/heap"
	"sync"
	"time"

	"gavel/credentials/wire"
)

// replay remembers signatures, so that each is accepted once. It outlives reloads; with a restart, the
// secret changes, and with it every signature.
//
// When it is full it takes no more: what it forgot could be shown again while it is fresh. For the
// same reason, a request whose time is not after that of a forgotten one is refused, which happens
// only where the clock was set back.
type replay struct {
	mu    sync.Mutex
	ttl   time.Duration
	most  int
	known map[replayKey]time.Time // and when each may be forgotten
	order expiries
	gone  int64 // the latest time of a request that was forgotten, in seconds since 1970
}

// replayKey is a signature as bytes, by user: it has no other spelling.
type replayKey struct {
	uid uint32
	mac wire.MAC
}

// seen says what the cache knows of a signature.
type seen int

const (
	seenNever seen = iota
	seenBefore
	seenTooMany
	seenTooOld // it could be one that was forgotten
)

func newReplay(ttl time.Duration, most int) *replay {
	return &replay{ttl: ttl, most: most, known: map[replayKey]time.Time{}}
}

// see remembers the signature of a request and reports whether it is new. made is the time that the
// request states, in seconds since 1970.
func (r *replay) see(uid uint32, mac wire.MAC, made int64, now time.Time) seen {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.order) > 0 && !now.Before(r.order[0].at) {
		old := heap.Pop(&r.order).(expiry)
		delete(r.known, old.key)
		r.gone = max(r.gone, old.made)
	}
	key := replayKey{uid, mac}
	if _, again := r.known[key]; again {
		return seenBefore
	}
	if made <= r.gone {
		return seenTooOld
	}
	if len(r.known) >= r.most {
		return seenTooMany
	}
	r.known[key] = now.Add(r.ttl)
	heap.Push(&r.order, expiry{key, now.Add(r.ttl), made})
	return seenNever
}

// resize changes the limits for later requests. Known signatures stay until they expire.
func (r *replay) resize(ttl time.Duration, most int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ttl, r.most = ttl, most
}

type expiry struct {
	key  replayKey
	at   time.Time
	made int64 // of the request
}

// expiries is a heap, the first of which ends first.
type expiries []expiry

// Len implements heap.Interface.
func (e expiries) Len() int { return len(e) }

// Less implements heap.Interface.
func (e expiries) Less(i, j int) bool { return e[i].at.Before(e[j].at) }

// Swap implements heap.Interface.
func (e expiries) Swap(i, j int) { e[i], e[j] = e[j], e[i] }

// Push implements heap.Interface.
func (e *expiries) Push(x any) { *e = append(*e, x.(expiry)) }

// Pop implements heap.Interface.
func (e *expiries) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
