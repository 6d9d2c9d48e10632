package server

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"gavel"
)

// LimiterConfig defines the capacity. A zero field has the default that its comment names.
type LimiterConfig struct {
	Requests     int // running at a time; 256
	RequestsEach int // of one credential; a quarter of Requests
	Heavy        int // requests that take milliseconds, running at a time; half of the cores, at least one
	Bytes        int // of all requests that are being read or run; 64 MiB
	BytesEach    int // of one credential; a quarter of Bytes
	Waiting      int // requests that wait for people; 2,048
	WaitingEach  int // of one credential; a quarter of Waiting
	Now          func() time.Time
}

// Limiter implements [gavel.Limiter]: it gives each credential a fair share of the server.
type Limiter struct {
	cfg LimiterConfig

	mu           sync.Mutex
	shares       map[string]*share // of the credentials that have something
	total        share             // what all have together
	queue        []*turn           // heavy requests that wait, oldest first
	heavyRunning int               // heavy requests
	waker        *time.Timer       // for when the next credential has rested; nil before the first rests
	recent       [2]lastRequest    // the last two credentials that asked for anything, latest first
}

// share is what one credential uses of the server.
type share struct {
	requests, bytes, waiting int
	heavy                    bool      // one heavy request runs
	pausedUntil              time.Time // when the next heavy request may run
	// The time that its calls took, in seconds, with older calls counting less and less; and how
	// long its calls take.
	secondsUsed float64 // seconds
	decayedAt   time.Time
	durations   durations
}

// NewLimiter returns a limiter with the defaults of cfg filled in.
func NewLimiter(cfg LimiterConfig) *Limiter {
	cfg.Requests = orDefault(cfg.Requests, defaultMaxConcurrent)
	cfg.RequestsEach = orDefault(cfg.RequestsEach, max(1, cfg.Requests/4))
	cfg.Heavy = orDefault(cfg.Heavy, max(1, runtime.GOMAXPROCS(0)/2))
	cfg.Bytes = orDefault(cfg.Bytes, defaultMaxBytes)
	cfg.BytesEach = orDefault(cfg.BytesEach, max(1, cfg.Bytes/4))
	cfg.Waiting = orDefault(cfg.Waiting, defaultMaxWaiting)
	cfg.WaitingEach = orDefault(cfg.WaitingEach, max(1, cfg.Waiting/4))
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Limiter{cfg: cfg, shares: map[string]*share{}}
}

func tryAgain(code, format string, args ...any) *gavel.BusyError {
	return &gavel.BusyError{Code: code, Message: fmt.Sprintf(format, args...), Fix: "try again after Retry-After seconds; until then, deny"}
}

// Reserve implements gavel.Limiter.
func (l *Limiter) Reserve(credential string, bytes int) (release func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.share(credential)
	defer l.forget(credential, s)
	switch {
	case s.bytes+bytes > l.cfg.BytesEach:
		return nil, tryAgain(gavel.CodeTooManyBytes, "requests of this credential already hold %d of %d bytes", s.bytes, l.cfg.BytesEach)
	case l.total.bytes+bytes > l.cfg.Bytes:
		return nil, tryAgain(gavel.CodeServerFull, "requests already hold %d of %d bytes", l.total.bytes, l.cfg.Bytes)
	}
	l.count(s, func(s *share, n int) { s.bytes += n * bytes }, 1)
	return l.releaser(credential, s, func(s *share, n int) { s.bytes += n * bytes }), nil
}

// Wait implements gavel.Limiter.
func (l *Limiter) Wait(credential string) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.share(credential)
	defer l.forget(credential, s)
	switch {
	case s.waiting >= l.cfg.WaitingEach:
		return nil, &gavel.BusyError{Code: gavel.CodeTooManyWaiting, Message: fmt.Sprintf("%d requests of this credential are already waiting for people", s.waiting),
			Fix: "end some of them, and try again after Retry-After seconds; one WebSocket on GET /rpc waits for many answers"}
	case l.total.waiting >= l.cfg.Waiting:
		return nil, &gavel.BusyError{Code: gavel.CodeServerFull, Message: fmt.Sprintf("%d requests are already waiting for people", l.total.waiting),
			Fix: "try again after Retry-After seconds; the question stays open in the meantime"}
	}
	count := func(s *share, n int) { s.waiting += n }
	l.count(s, count, 1)
	return l.releaser(credential, s, count), nil
}

// Enter implements gavel.Limiter. A heavy request waits for its turn: the credential that has
// used the least time comes first. After a heavy request, its credential must rest.
func (l *Limiter) Enter(ctx context.Context, credential string, bytes int) (leave func(), err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.share(credential)
	defer l.forget(credential, s)
	switch {
	case s.requests >= l.cfg.RequestsEach:
		return nil, tryAgain(gavel.CodeTooManyRequests, "%d requests of this credential are already running", s.requests)
	case l.total.requests >= l.cfg.Requests:
		return nil, tryAgain(gavel.CodeServerFull, "%d requests are already running", l.total.requests)
	}
	l.noteRequest(credential)
	count := func(s *share, n int) { s.requests += n }
	l.count(s, count, 1)
	if bytes <= heavyBytes && !l.isHeavy(credential, s) {
		return l.releaser(credential, s, count), nil
	}
	if err := l.waitForTurn(ctx, credential); err != nil {
		l.count(s, count, -1)
		return nil, err
	}
	began := l.cfg.Now()
	return l.releaser(credential, s, func(s *share, n int) {
		s.requests += n
		if s != &l.total {
			l.endTurn(credential, s, l.cfg.Now().Sub(began))
		}
	}), nil
}

// Spent records how long the evaluation of a credential's call took.
func (l *Limiter) Spent(credential string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.share(credential)
	now := l.cfg.Now()
	s.decay(now)
	s.secondsUsed += took.Seconds()
	s.durations.record(now, took)
	if len(l.shares) > 4*l.cfg.Requests {
		for name, old := range l.shares {
			l.forget(name, old)
		}
	}
}

// share returns the share of a credential. The caller holds the lock, here and below.
func (l *Limiter) share(credential string) *share {
	s := l.shares[credential]
	if s == nil {
		s = &share{}
		l.shares[credential] = s
	}
	return s
}

// forget drops the share of a credential that uses nothing and has hardly used any time.
func (l *Limiter) forget(credential string, s *share) {
	if s.requests > 0 || s.bytes > 0 || s.waiting > 0 {
		return
	}
	now := l.cfg.Now()
	if s.decay(now); s.secondsUsed < 0.001 && !now.Before(s.pausedUntil) && s.durations.negligible(now) {
		delete(l.shares, credential)
	}
}

func (l *Limiter) count(s *share, count func(*share, int), n int) {
	count(s, n)
	count(&l.total, n)
}

// releaser returns a function that gives back what count has taken. Only its first call has an
// effect.
func (l *Limiter) releaser(credential string, s *share, count func(*share, int)) func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.count(s, count, -1)
			l.forget(credential, s)
		})
	}
}

// decay reduces the weight of past calls according to the time since the last call of decay.
func (s *share) decay(now time.Time) {
	since := now.Sub(s.decayedAt)
	s.decayedAt = now
	for ; since >= halfLife && s.secondsUsed > 0; since -= halfLife {
		if s.secondsUsed /= 2; s.secondsUsed < 1e-9 {
			s.secondsUsed = 0
		}
	}
	part := 1 - max(0, since.Seconds())/(2*halfLife.Seconds())
	s.secondsUsed *= part
}
