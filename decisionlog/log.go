// Package decisionlog records every decision as one line of JSON in the shape
// of OPA's decision log (EventV1), so that tools which read that log read this
// one.
//
// # What is promised
//
// Nothing is dropped. [Log.Record] puts an event into a bounded queue and waits
// while the queue is full; one goroutine masks, encodes and writes.
//
// Nothing secret is written. Parameters that carry content, and the values of
// environment variables, are redacted before anything else happens (R35). Then
// the mask rules of the snapshot that decided apply. When they fail, or when an
// event is too large, the line keeps the decision's id, effect and revision and
// says so in its member error; facts and the rest of the result are left out.
//
// Nobody is told "allow" while the log is known to be broken. A write that
// fails twice in a row breaks the log: from then on Record returns an error
// ([ErrBroken]), which makes the caller deny. What could not be written stays
// in memory, and the writer tries again every Config.Retry, from the exact byte
// where the writer stopped taking data; the first success heals the log. Events
// that Record had accepted before the failure showed are written then, in
// order. They are lost only when the process dies first: at most the queue and
// one batch of 256 KiB. A write that panics is one that fails, and is made again
// from its first byte; a writer that can do nothing any more breaks the log for good.
//
// The log is not fsynced: a line that was written survives a crash of Gavel,
// and not a crash of the machine.
package decisionlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
)

// The reasons for which Record refuses an event, besides the end of its context.
var (
	ErrNotOpen = errors.New("the decision log is not open")
	ErrClosed  = errors.New("the decision log is closed")
	ErrBroken  = errors.New("the decision log cannot be written")
)

// Log is a decision log; it implements [gavel.DecisionLog] and [gavel.Audit]. Use [New], then
// Open, Record from any number of goroutines, and Close.
type Log struct {
	cfg     Config
	logger  *slog.Logger
	labels  map[string]string
	metrics *metrics

	mu      sync.RWMutex // Record reads; Open and Close write
	opened  bool
	closed  bool
	queue   chan item
	sealing sync.Once
	closing chan struct{} // closed when Close begins, so that no Record waits
	done    chan struct{} // closed when the writer goroutine ends
	abort   context.CancelFunc

	space bytes.Buffer // for one line; the writer's own

	health  atomic.Pointer[health]
	pending atomic.Int64 // events accepted and not written yet
}

// item is an event that waits: a decision, or a line that is made already.
type item struct {
	event gavel.Event
	line  []byte
}

// health is whether the log can be written. It is replaced, never changed.
type health struct {
	err    error         // why not; nil when the log is sound
	failed chan struct{} // closed when a sound log breaks
}

// New checks the configuration and registers the metrics. It touches no file.
func New(cfg Config) (*Log, error) {
	if cfg.Path == "-" {
		cfg.Path = ""
	}
	if err := check(cfg); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	if cfg.Queue == 0 {
		cfg.Queue = defaultQueue
	}
	if cfg.MaxSizeMB == 0 {
		cfg.MaxSizeMB = defaultMaxSizeMB
	}
	if cfg.Retry == 0 {
		cfg.Retry = defaultRetry
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	log := &Log{
		cfg:     cfg,
		logger:  cfg.Logger,
		labels:  labels(cfg.Labels),
		queue:   make(chan item, cfg.Queue),
		closing: make(chan struct{}),
		done:    make(chan struct{}),
	}
	if log.logger == nil {
		log.logger = slog.New(slog.DiscardHandler)
	}
	log.health.Store(&health{failed: make(chan struct{})})
	var err error
	if log.metrics, err = newMetrics(cfg.Registry, func() float64 { return float64(len(log.queue)) }); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	return log, nil
}

// Open opens the file, if there is one, and starts the writer. It works once.
func (l *Log) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		return errors.New("open decision log: it was opened before: make a new one")
	}
	out, err := l.openSink()
	if err != nil {
		return fmt.Errorf("open decision log: %w", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.abort = cancel
	l.opened = true
	w := &writer{log: l, sink: out}
	go w.run(ctx)
	return nil
}

// Record queues an event, and waits while the queue is full. Its error says
// that the event is not in the log and never will be: ErrBroken, ErrClosed,
// ErrNotOpen, or the end of ctx while waiting. An event that finds room is
// taken even when ctx has ended. What the event refers to must not change
// afterwards: it is read later, and never modified. Safe for concurrent use.
func (l *Log) Record(ctx context.Context, event gavel.Event) error {
	if err := l.enqueue(ctx, item{event: event}); err != nil {
		return fmt.Errorf("record decision %q: %w", event.Decision.ID, err)
	}
	return nil
}

func (l *Log) enqueue(ctx context.Context, it item) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	switch {
	case !l.opened:
		return ErrNotOpen
	case l.closed:
		return ErrClosed
	}
	state := l.health.Load()
	if state.err != nil {
		return state.err
	}
	l.pending.Add(1)
	select {
	case l.queue <- it:
		return nil
	default:
	}
	l.metrics.blocked.Inc()
	var err error
	select {
	case l.queue <- it:
		return nil
	case <-state.failed:
		if err = l.health.Load().err; err == nil { // broken and already healed
			err = ErrBroken
		}
	case <-l.closing:
		err = ErrClosed
	case <-ctx.Done():
		err = fmt.Errorf("the queue of %d events stayed full: %w", cap(l.queue), context.Cause(ctx))
	}
	l.pending.Add(-1)
	return err
}

// Close refuses new events, writes everything that was accepted, and closes the
// file. While the log is broken it keeps trying until ctx ends, so ctx should
// have a deadline; its error then says how many events were not written. Close
// may be called again, and on a log that was never opened.
func (l *Log) Close(ctx context.Context) error {
	if !l.beginClose() {
		return nil
	}
	defer l.abort()
	select {
	case <-l.done:
	case <-ctx.Done():
		l.abort()
		l.awaitAbort()
	}
	if lost := l.pending.Load(); lost > 0 {
		err := l.health.Load().err
		if err == nil {
			err = context.Cause(ctx)
		}
		return fmt.Errorf("close decision log: %d events were not written: %w", lost, err)
	}
	return nil
}

// awaitAbort gives the writer a moment to give up. A write that hangs inside
// the operating system cannot be interrupted; then the goroutine is left to it.
func (l *Log) awaitAbort() {
	grace := time.NewTimer(100 * time.Millisecond)
	defer grace.Stop()
	select {
	case <-l.done:
	case <-grace.C:
	}
}

// beginClose stops Record for good, and reports whether there is a writer. Only
// the first caller closes the channels; every caller then waits for the end.
func (l *Log) beginClose() bool {
	l.mu.RLock()
	opened := l.opened
	l.mu.RUnlock()
	if !opened {
		return false
	}
	l.wakeAndSeal()
	return true
}
