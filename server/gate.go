package server

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"gavel"
)

// GateConfig defines the capacity. A zero field has the default that its comment names.
type GateConfig struct {
	Requests     int // running at a time; 256
	RequestsEach int // of one credential; a quarter of Requests
	Heavy        int // requests that take milliseconds, running at a time; half of the cores, one at least
	Bytes        int // of requests that are being read or run; 64 MiB
	BytesEach    int // of one credential; a quarter of Bytes
	Waiting      int // requests that wait for people; 2,048
	WaitingEach  int // of one credential; a quarter of Waiting
	Now          func() time.Time
}

// Gate implements [gavel.Gate]: fair shares of a server by credential.
type Gate struct {
	cfg GateConfig

	mu      sync.Mutex
	shares  map[string]*share // of the credentials that have something
	all     share             // what all have together
	queue   []*turn           // heavy requests that wait, oldest first
	running int               // heavy requests
	waker   *time.Timer       // for when the next credential has rested; nil before the first rests
	asked   [2]asked          // the last two credentials that asked for anything, latest first
}

// share is what one credential has.
type share struct {
	requests, bytes, waiting int
	heavy                    bool      // one heavy request runs
	rested                   time.Time // when the next heavy request may run
	// Of the time that its calls took, with what is past counting less and less: the sum, and
	// what calls of it cost.
	spent float64 // seconds
	at    time.Time
	costs costs
}

// NewGate makes a gate.
func NewGate(cfg GateConfig) *Gate {
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
	return &Gate{cfg: cfg, shares: map[string]*share{}}
}

func tryAgain(code, format string, args ...any) *gavel.BusyError {
	return &gavel.BusyError{Code: code, Message: fmt.Sprintf(format, args...), Fix: "try again after Retry-After seconds; until then, deny"}
}

// Hold implements gavel.Gate.
func (g *Gate) Hold(credential string, bytes int) (release func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.share(credential)
	defer g.forget(credential, s)
	switch {
	case s.bytes+bytes > g.cfg.BytesEach:
		return nil, tryAgain(gavel.CodeTooManyBytes, "requests of this credential already hold %d of %d bytes", s.bytes, g.cfg.BytesEach)
	case g.all.bytes+bytes > g.cfg.Bytes:
		return nil, tryAgain(gavel.CodeServerFull, "requests already hold %d of %d bytes", g.all.bytes, g.cfg.Bytes)
	}
	g.take(s, func(s *share, n int) { s.bytes += n * bytes }, 1)
	return g.back(credential, s, func(s *share, n int) { s.bytes += n * bytes }), nil
}

// Wait implements gavel.Gate.
func (g *Gate) Wait(credential string) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.share(credential)
	defer g.forget(credential, s)
	switch {
	case s.waiting >= g.cfg.WaitingEach:
		return nil, &gavel.BusyError{Code: gavel.CodeTooManyWaiting, Message: fmt.Sprintf("%d requests of this credential are already waiting for people", s.waiting),
			Fix: "end some of them, and try again after Retry-After seconds; one WebSocket on GET /rpc waits for many answers"}
	case g.all.waiting >= g.cfg.Waiting:
		return nil, &gavel.BusyError{Code: gavel.CodeServerFull, Message: fmt.Sprintf("%d requests are already waiting for people", g.all.waiting),
			Fix: "try again after Retry-After seconds; the question stays open in the meantime"}
	}
	count := func(s *share, n int) { s.waiting += n }
	g.take(s, count, 1)
	return g.back(credential, s, count), nil
}

// Enter implements gavel.Gate. A heavy request waits for its turn: the credential that has
// used the least time comes first. After a heavy request, its credential must rest.
func (g *Gate) Enter(ctx context.Context, credential string, bytes int) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.share(credential)
	defer g.forget(credential, s)
	switch {
	case s.requests >= g.cfg.RequestsEach:
		return nil, tryAgain(gavel.CodeTooManyRequests, "%d requests of this credential are already running", s.requests)
	case g.all.requests >= g.cfg.Requests:
		return nil, tryAgain(gavel.CodeServerFull, "%d requests are already running", g.all.requests)
	}
	g.noteAsked(credential)
	count := func(s *share, n int) { s.requests += n }
	g.take(s, count, 1)
	if bytes <= heavyBytes && !g.heavy(credential, s) {
		return g.back(credential, s, count), nil
	}
	if err := g.awaitTurn(ctx, credential); err != nil {
		g.take(s, count, -1)
		return nil, err
	}
	began := g.cfg.Now()
	return g.back(credential, s, func(s *share, n int) {
		s.requests += n
		if s != &g.all {
			g.endTurn(credential, s, g.cfg.Now().Sub(began))
		}
	}), nil
}

// Spent records how long the evaluation of a credential's call took.
func (g *Gate) Spent(credential string, took time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.share(credential)
	now := g.cfg.Now()
	s.age(now)
	s.spent += took.Seconds()
	s.costs.add(now, took)
	if len(g.shares) > 4*g.cfg.Requests {
		for name, old := range g.shares {
			g.forget(name, old)
		}
	}
}

// share returns the share of a credential. The lock is held, here and below.
func (g *Gate) share(credential string) *share {
	s := g.shares[credential]
	if s == nil {
		s = &share{}
		g.shares[credential] = s
	}
	return s
}

// forget drops the share of a credential that has nothing and has used no time to speak of.
func (g *Gate) forget(credential string, s *share) {
	if s.requests > 0 || s.bytes > 0 || s.waiting > 0 {
		return
	}
	now := g.cfg.Now()
	if s.age(now); s.spent < 0.001 && !now.Before(s.rested) && s.costs.forgotten(now) {
		delete(g.shares, credential)
	}
}

func (g *Gate) take(s *share, count func(*share, int), n int) {
	count(s, n)
	count(&g.all, n)
}

// back gives back what was taken, once.
func (g *Gate) back(credential string, s *share, count func(*share, int)) func() {
	var once sync.Once
	return func() {
		once.Do(func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.take(s, count, -1)
			g.forget(credential, s)
		})
	}
}

// age makes what is past count less.
func (s *share) age(now time.Time) {
	since := now.Sub(s.at)
	s.at = now
	for ; since >= halfLife && s.spent > 0; since -= halfLife {
		if s.spent /= 2; s.spent < 1e-9 {
			s.spent = 0
		}
	}
	part := 1 - max(0, since.Seconds())/(2*halfLife.Seconds())
	s.spent *= part
}
