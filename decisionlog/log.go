// Package decisionlog records every decision as one line of JSON in the shape
// of OPA's decision log (EventV1), so that tools which read that log read this
// one. Audit events are lines of their own in the same file.
//
// # What is promised
//
// Nothing is dropped. [Log.Record] writes an event out, with what is secret hidden and
// what is long cut, and puts the line into a queue that is bounded in bytes; one
// goroutine writes. Record waits while the queue is full, and refuses after
// Config.Wait; then the call is denied. One credential fills at most a quarter of it.
//
// Nothing secret is written. Parameters that carry content, and the values of
// environment variables, are redacted before anything else happens (R35); then what
// looks like a secret ([gavel/internal/secrets]). Then the mask rules of the snapshot
// that decided apply. When they fail, or when an event is too large, the line keeps the
// decision's id, effect and revision and says so in its member error; facts and the
// rest of the result are left out.
//
// Nobody is told "allow" while the log is known to be broken. A write that
// fails twice in a row breaks the log: from then on Record returns an error
// ([ErrBroken]), which makes the caller deny. What could not be written stays
// in memory, and the writer tries again every Config.Retry, from the exact byte
// where the writer stopped taking data; the first success heals the log. Events
// that Record had accepted before the failure showed are written then, in
// order. A write that panics is one that fails; a writer that can do nothing any longer
// breaks the log permanently.
//
// Record of a strict log (Config.Strict) returns when the line is on disk: written and
// synced, one sync for all that wait. A crash of the process or of the machine takes no
// line of a decision that was answered. Otherwise Record returns when the line is in
// the queue: a crash of the process takes what the writer has not written yet, usually
// a few milliseconds and at most Config.Lag, and one of the machine what it had not
// written to disk by itself.
//
// A file that was renamed, removed or replaced is noticed before the next write, and made
// again; no line is split between two files. A line that a crash cut in half is ended
// before the first one is appended.
package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"gavel/internal/secrets"
)

// The reasons for Record to refuse an event, besides the end of its context.
var (
	ErrNotOpen = errors.New("the decision log is not open")
	ErrClosed  = errors.New("the decision log is closed")
	ErrBroken  = errors.New("the decision log cannot be written")
	ErrFull    = errors.New("the decision log is full")
)

// errLate says that Config.Wait is over.
var errLate = errors.New("too late")

// Log is a decision log; it implements [gavel.DecisionLog] and [gavel.Audit]. Use [New],
// then Open, Record and Audit from any number of goroutines, and Close.
type Log struct {
	cfg     Config
	logger  *slog.Logger
	labels  map[string]string
	metrics *metrics
	queue   *queue

	refusals *refusals
	masker   *secrets.Masker
	forms    forms         // how events are written
	written  []byte        // the labels, as JSON
	sheets   sync.Pool     // of *sheet
	heavy    chan struct{} // one element for each event being processed the slow way

	mu     sync.RWMutex // Record reads; Open writes
	opened bool
	done   chan struct{} // closed when the writer goroutine ends
	abort  context.CancelFunc

	health atomic.Pointer[health]
}

// health is whether the log can be written. It is replaced, never changed.
type health struct {
	err    error         // why not; nil when the log is sound
	failed chan struct{} // closed when the log breaks
}

// New checks the configuration and registers the metrics. It touches no file.
func New(cfg Config) (*Log, error) {
	if cfg.Path == "-" {
		cfg.Path = ""
	}
	if err := check(cfg); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	cfg.fill()
	log := &Log{
		cfg:      cfg,
		logger:   cfg.Logger,
		labels:   labels(cfg.Labels),
		queue:    newQueue(cfg.QueueBytes, cfg.Lag),
		refusals: newRefusals(),
		masker:   secrets.New(),
		heavy:    make(chan struct{}, runtime.GOMAXPROCS(0)),
		forms:    newForms(),
		done:     make(chan struct{}),
	}
	log.sheets.New = func() any { return &sheet{masker: log.masker} }
	if err := log.writeLabels(); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	if log.logger == nil {
		log.logger = slog.New(slog.DiscardHandler)
	}
	log.health.Store(&health{failed: make(chan struct{})})
	var err error
	if log.metrics, err = newMetrics(cfg.Registry, log.queue.waiting); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	return log, nil
}

// Open opens the file, if there is one, and starts the writer. It works once.
func (l *Log) Open() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		return errors.New("open decision log: it was opened before: create a new one")
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

// Close refuses new events, writes everything that was accepted, and closes the file. It
// waits as long as something is written every Config.Stall, but not longer than ctx; its
// error then says how many events were not written. Close may be called again, and on a log
// that was never opened.
func (l *Log) Close(ctx context.Context) error {
	l.mu.RLock()
	opened := l.opened
	l.mu.RUnlock()
	if !opened {
		return nil
	}
	l.queue.close()
	defer l.abort()
	cause := l.drained(ctx)
	if cause != nil {
		l.abort()
		l.awaitAbort()
	}
	if lost, _ := l.queue.waiting(); lost > 0 {
		if err := l.health.Load().err; err != nil {
			cause = err
		}
		return fmt.Errorf("close decision log: %d events were not written: %w", lost, cause)
	}
	return nil
}

// drained waits for the writer to end, and returns why it stopped waiting.
func (l *Log) drained(ctx context.Context) error {
	stalled := time.NewTicker(l.cfg.Stall)
	defer stalled.Stop()
	for before, _ := l.queue.waiting(); ; {
		select {
		case <-l.done:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-stalled.C:
			now, _ := l.queue.waiting()
			if now >= before {
				return fmt.Errorf("nothing was written for %s", l.cfg.Stall)
			}
			before = now
		}
	}
}

// awaitAbort gives the writer a moment to give up. A write that hangs in the operating system
// cannot be interrupted, so its goroutine is abandoned.
func (l *Log) awaitAbort() {
	grace := time.NewTimer(100 * time.Millisecond)
	defer grace.Stop()
	select {
	case <-l.done:
	case <-grace.C:
	}
}
