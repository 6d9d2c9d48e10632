package server

import (
	"context"
	"slices"
	"time"

	"gavel"
)

// Limits of heavy requests. A heavy request takes a core for milliseconds, and collecting its
// garbage takes about as long again. One credential may run one at a time, and all together half
// as many as there are cores, so that short requests find a free core.
const (
	heavyBytes    = 16 << 10               // of a body
	minSlow       = 5 * time.Millisecond   // of looking at a call; less is never long, however little others take
	slowFactor    = 4                      // times what calls of others cost, from when on a call takes long
	heavyMinTime  = 150 * time.Millisecond // of its calls in the last seconds
	halfLife      = 2 * time.Second        // of the time that a credential has used, until it counts for half
	turnTime      = 2 * time.Second        // for a heavy request to get its turn
	pauseFactor   = 4                      // times a heavy request's own time, in which its credential has no other
	maxHeavyPause = time.Second            // after one heavy request
	activeWindow  = 10 * time.Second       // in which others have asked, who are to find a free core
)

// turn is a heavy request that waits to run.
type turn struct {
	credential string
	ready      chan struct{} // closed when it may run
}

// isHeavy reports whether a credential spends most of its time in slow calls. Cheap calls do not
// hide slow ones, and many cheap calls do not count. A credential that uses less than half of
// another's time is not heavy, because the other's calls slow it down.
func (l *Limiter) isHeavy(credential string, s *share) bool {
	now := l.cfg.Now()
	s.decay(now)
	if s.secondsUsed <= heavyMinTime.Seconds() || s.durations.typical(now) <= minSlow {
		return false
	}
	if from, known := l.slowThreshold(credential); !known || s.durations.typical(now) <= from {
		return false
	}
	for _, other := range l.shares {
		if other.decay(now); s.secondsUsed < other.secondsUsed/2 {
			return false
		}
	}
	return true
}

// slowThreshold returns the duration above which a call of a credential counts as slow: a multiple
// of what calls of other credentials currently take. A slow or busy machine is slow for all of
// them. The threshold is unknown if nobody else asks for decisions.
func (l *Limiter) slowThreshold(credential string) (from time.Duration, known bool) {
	now := l.cfg.Now()
	var others []time.Duration
	for name, other := range l.shares {
		if name != credential && other.durations.enough(now) {
			others = append(others, other.durations.typical(now))
		}
	}
	if len(others) == 0 {
		return 0, false
	}
	slices.Sort(others)
	// One of the cheaper ones: several credentials with expensive calls must not excuse one
	// another.
	return max(minSlow, slowFactor*others[(len(others)-1)/4]), true
}

// waitForTurn returns nil when a heavy request may run, or an error after turnTime. The caller
// holds the lock, which is released while this waits.
func (l *Limiter) waitForTurn(ctx context.Context, credential string) error {
	own := &turn{credential: credential, ready: make(chan struct{})}
	l.queue = append(l.queue, own)
	l.startHeavy()
	l.mu.Unlock()
	timer := time.NewTimer(turnTime)
	defer timer.Stop()
	select {
	case <-own.ready:
	case <-ctx.Done():
	case <-timer.C:
	}
	l.mu.Lock()
	index := slices.Index(l.queue, own)
	if index < 0 {
		return nil // it has the turn, even if it came at the last moment
	}
	l.queue = slices.Delete(l.queue, index, index+1)
	return tryAgain(gavel.CodeTooManyRequests, "requests of this credential are slow, and none finished within %s", turnTime)
}

// endTurn ends a heavy request that took the given time. If others are active and the request was
// slow, its credential must pause in proportion before its next heavy request. Slow means compared
// with calls of others or, if those are unknown, with the credential's own calls.
func (l *Limiter) endTurn(credential string, s *share, took time.Duration) {
	s.heavy = false
	l.heavyRunning--
	from, known := l.slowThreshold(credential)
	if !known {
		from = max(minSlow, slowFactor*s.durations.typical(l.cfg.Now()))
	}
	if took > from && l.othersActive(credential) {
		s.pausedUntil = l.cfg.Now().Add(min(pauseFactor*took, maxHeavyPause))
	}
	l.startHeavy()
}

// lastRequest is the last request of a credential.
type lastRequest struct {
	credential string
	at         time.Time
}

func (l *Limiter) noteRequest(credential string) {
	if l.recent[0].credential != credential {
		l.recent[1] = l.recent[0]
	}
	l.recent[0] = lastRequest{credential, l.cfg.Now()}
}

// othersActive reports whether another credential made a request within activeWindow.
func (l *Limiter) othersActive(credential string) bool {
	since := l.cfg.Now().Add(-activeWindow)
	return slices.ContainsFunc(l.recent[:], func(a lastRequest) bool { return a.credential != credential && a.at.After(since) })
}

// startHeavy starts as many waiting heavy requests as there is room for.
func (l *Limiter) startHeavy() {
	now := l.cfg.Now()
	for l.heavyRunning < l.cfg.Heavy {
		best, rests := -1, time.Duration(0) // rests is the shortest pause of the waiting credentials
		for i, waiting := range l.queue {
			s := l.share(waiting.credential)
			s.decay(now)
			switch left := s.pausedUntil.Sub(now); {
			case s.heavy:
			case left > 0:
				if rests == 0 || left < rests {
					rests = left
				}
			case best < 0 || s.secondsUsed < l.share(l.queue[best].credential).secondsUsed:
				best = i
			}
		}
		if best < 0 {
			l.startHeavyAfter(rests)
			return
		}
		chosen := l.queue[best]
		l.queue = slices.Delete(l.queue, best, best+1)
		l.share(chosen.credential).heavy = true
		l.heavyRunning++
		close(chosen.ready)
	}
}

// startHeavyAfter calls startHeavy after a pause; 0 means that no credential pauses.
func (l *Limiter) startHeavyAfter(rest time.Duration) {
	switch {
	case rest <= 0:
	case l.waker == nil:
		l.waker = time.AfterFunc(rest, func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.startHeavy()
		})
	default:
		l.waker.Reset(rest)
	}
}
