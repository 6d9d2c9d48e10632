package server

import (
	"context"
	"slices"
	"time"

	"gavel"
)

// Limits that define and restrict heavy requests. A heavy request takes a core for
// milliseconds, and its garbage takes the collector about as long again. One credential may
// run one at a time, and all together half as many as there are cores, so that short requests
// find a free core.
const (
	heavyBytes  = 16 << 10               // of a body
	heavyTime   = 5 * time.Millisecond   // of looking at a call; less is never long, however little others take
	longFactor  = 4                      // times what calls of others cost, from when on a call takes long
	heavyLeast  = 150 * time.Millisecond // of its calls in the last seconds
	halfLife    = 2 * time.Second        // of the time that a credential has used, until it counts for half
	turnTime    = 2 * time.Second        // for a heavy request to get its turn
	restFactor  = 4                      // times a heavy request's own time, in which its credential has no other
	longestRest = time.Second            // after one heavy request
	lately      = 10 * time.Second       // in which others have asked, who are to find a free core
)

// turn is a heavy request that waits.
type turn struct {
	credential string
	ready      chan struct{} // closed when it may run
}

// heavy reports whether most of a credential's time is spent in long calls. Cheap calls do
// not hide long ones, and many cheap calls do not count. A credential that uses less than
// half of another's time is not heavy, because its calls are slowed down by the other's.
func (g *Gate) heavy(credential string, s *share) bool {
	now := g.cfg.Now()
	s.age(now)
	if s.spent <= heavyLeast.Seconds() || s.costs.usual(now) <= heavyTime {
		return false
	}
	if from, known := g.long(credential); !known || s.costs.usual(now) <= from {
		return false
	}
	for _, other := range g.shares {
		if other.age(now); s.spent < other.spent/2 {
			return false
		}
	}
	return true
}

// long is the duration from which a call of a credential counts as long: a multiple of what
// calls of other credentials currently take on this machine. A slow or busy machine is slow
// for all of them. It is unknown if nobody else asks for decisions.
func (g *Gate) long(credential string) (from time.Duration, known bool) {
	now := g.cfg.Now()
	var others []time.Duration
	for name, other := range g.shares {
		if name != credential && other.costs.known(now) {
			others = append(others, other.costs.usual(now))
		}
	}
	if len(others) == 0 {
		return 0, false
	}
	slices.Sort(others)
	// One of the cheaper ones: several credentials with expensive calls must not excuse one
	// another.
	return max(heavyTime, longFactor*others[(len(others)-1)/4]), true
}

// awaitTurn returns when a heavy request may run. The lock is given back in the meantime.
func (g *Gate) awaitTurn(ctx context.Context, credential string) error {
	mine := &turn{credential: credential, ready: make(chan struct{})}
	g.queue = append(g.queue, mine)
	g.next()
	g.mu.Unlock()
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case <-mine.ready:
	case <-ctx.Done():
	case <-timer.C:
	}
	g.mu.Lock()
	at := slices.Index(g.queue, mine)
	if at < 0 {
		return nil // it has the turn, even if it came at the last moment
	}
	g.queue = slices.Delete(g.queue, at, at+1)
	return tryAgain(gavel.CodeTooManyRequests, "requests of this credential are slow, and none finished within %s", turnTime)
}

// endTurn ends a heavy request that took so long. If others are active, its credential rests
// in proportion before the next one, if the request was long compared with calls of others,
// or, if that is unknown, with its own.
func (g *Gate) endTurn(credential string, s *share, took time.Duration) {
	s.heavy = false
	g.running--
	from, known := g.long(credential)
	if !known {
		from = max(heavyTime, longFactor*s.costs.usual(g.cfg.Now()))
	}
	if took > from && g.othersAsked(credential) {
		s.rested = g.cfg.Now().Add(min(restFactor*took, longestRest))
	}
	g.next()
}

// asked is when a credential asked for anything.
type asked struct {
	credential string
	at         time.Time
}

func (g *Gate) noteAsked(credential string) {
	if g.asked[0].credential != credential {
		g.asked[1] = g.asked[0]
	}
	g.asked[0] = asked{credential, g.cfg.Now()}
}

// othersAsked reports whether another credential asked for anything lately.
func (g *Gate) othersAsked(credential string) bool {
	since := g.cfg.Now().Add(-lately)
	return slices.ContainsFunc(g.asked[:], func(a asked) bool { return a.credential != credential && a.at.After(since) })
}

// next lets heavy requests run for which there is room.
func (g *Gate) next() {
	now := g.cfg.Now()
	for g.running < g.cfg.Heavy {
		best, rests := -1, time.Duration(0) // the shortest rest of those who wait
		for i, waiting := range g.queue {
			s := g.share(waiting.credential)
			s.age(now)
			switch left := s.rested.Sub(now); {
			case s.heavy:
			case left > 0:
				if rests == 0 || left < rests {
					rests = left
				}
			case best < 0 || s.spent < g.share(g.queue[best].credential).spent:
				best = i
			}
		}
		if best < 0 {
			g.wakeAfter(rests)
			return
		}
		chosen := g.queue[best]
		g.queue = slices.Delete(g.queue, best, best+1)
		g.share(chosen.credential).heavy = true
		g.running++
		close(chosen.ready)
	}
}

// wakeAfter looks again when somebody has rested; 0 means that nobody rests.
func (g *Gate) wakeAfter(rest time.Duration) {
	switch {
	case rest <= 0:
	case g.waker == nil:
		g.waker = time.AfterFunc(rest, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.next()
		})
	default:
		g.waker.Reset(rest)
	}
}
