// Package decisionlog records every decision as one line of JSON.
//
// It takes a [gavel.Event], which is a decision with its facts, and appends a line to a file or a
// writer. The lines have the shape of OPA's decision log (EventV1), so tools for that log can read
// them. Audit events ([gavel.AuditEvent]) are separate lines in the same file. The package does
// not decide what to do when a line cannot be recorded: [Log.Record] returns an error, and the
// caller denies the call.
//
// # Guarantees
//
// No event is dropped. Record encodes an event, redacts secrets, cuts long texts, and puts the
// line into a queue, from which one goroutine writes. The queue is bounded in bytes, and one
// credential gets at most a quarter of it. Record waits while the queue is full, and returns
// [ErrFull] after Config.Wait.
//
// No secret is written. Parameters with content and the values of environment variables are
// always redacted (R35), then text that looks like a secret ([gavel/internal/secrets]). After
// that, the mask rules of the snapshot that made the decision are applied. If the rules fail, or
// if an event is too large, most of the line is left out, and its member "error" says why.
//
// No call is allowed while the log is known to be broken. The log breaks when a write fails twice
// in a row. From then on, Record returns [ErrBroken]. Lines that could not be written stay in
// memory. The writer tries again every Config.Retry, and continues at the byte at which the last
// write stopped. The first success heals the log. A panic in a write counts as a failure; a panic
// elsewhere in the writer breaks the log permanently.
//
// In strict mode (Config.Strict), Record returns when the line has been written and synced. All
// waiting lines share a sync. A crash loses no decision that was answered. In the default mode,
// Record returns when the line is in the queue. A crash of the process then loses what has not
// been written, usually a few milliseconds and at most Config.Lag. A crash of the machine also
// loses what the operating system had not flushed.
//
// A renamed, removed or replaced file is noticed before the next write and created again. No line
// is split between two files. If a crash left an incomplete last line, it gets a line feed before
// the first new line is appended.
//
// # Fast path and slow path
//
// Most events contain no secrets and no long texts. The fast path writes them directly into a
// buffer, without allocating (fastpath, encoders, encode_params). If it meets anything that has to
// be redacted or cut, it gives up, and the slow path converts the event to maps and slices and
// edits those (event, redact_content, redact_secrets, mask, truncate). A test checks that both
// write the same bytes.
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

// Errors of Record and Audit. They may also return the cause of their context's end.
var (
	ErrNotOpen = errors.New("the decision log is not open")
	ErrClosed  = errors.New("the decision log is closed")
	ErrBroken  = errors.New("the decision log cannot be written")
	ErrFull    = errors.New("the decision log is full")
)

// errTimeout is returned by waitFor when Config.Wait has elapsed.
var errTimeout = errors.New("timed out")

// Log is a decision log; it implements [gavel.DecisionLog] and [gavel.Audit]. Use [New],
// then Open, Record and Audit from any number of goroutines, and Close.
type Log struct {
	cfg     Config
	logger  *slog.Logger
	labels  map[string]string
	metrics *metrics
	queue   *queue

	refusals   *refusals
	masker     *secrets.Masker
	encoders   eventEncoders
	labelsJSON []byte
	states     sync.Pool     // of *encodeState
	slowPath   chan struct{} // limits how many events are on the slow path

	mu     sync.RWMutex // guards opened; Record reads, Open writes
	opened bool
	done   chan struct{} // closed when the writer goroutine ends
	abort  context.CancelFunc

	health atomic.Pointer[health]
}

// health says whether the log can be written. It is replaced, never modified.
type health struct {
	err    error         // nil if the log is not broken
	failed chan struct{} // closed when the log breaks
}

// New checks the configuration and registers the metrics. It touches no file.
func New(cfg Config) (*Log, error) {
	if cfg.Path == "-" {
		cfg.Path = ""
	}
	if err := checkConfig(cfg); err != nil {
		return nil, fmt.Errorf("decision log: %w", err)
	}
	cfg.setDefaults()
	log := &Log{
		cfg:      cfg,
		logger:   cfg.Logger,
		labels:   withOwnLabels(cfg.Labels),
		queue:    newQueue(cfg.QueueBytes, cfg.Lag),
		refusals: newRefusals(),
		masker:   secrets.New(),
		slowPath: make(chan struct{}, runtime.GOMAXPROCS(0)),
		encoders: newEventEncoders(),
		done:     make(chan struct{}),
	}
	log.states.New = func() any { return &encodeState{masker: log.masker} }
	if err := log.encodeLabels(); err != nil {
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

// Close refuses new events, writes everything that was accepted, and closes the file. It gives
// up when ctx ends, or when nothing was written for Config.Stall; its error says how many events
// were not written. Close may be called more than once, and on a log that was never opened.
func (l *Log) Close(ctx context.Context) error {
	l.mu.RLock()
	opened := l.opened
	l.mu.RUnlock()
	if !opened {
		return nil
	}
	l.queue.close()
	defer l.abort()
	cause := l.awaitWriter(ctx)
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

// awaitWriter returns nil when the writer has ended, or an error that says why it stopped waiting.
func (l *Log) awaitWriter(ctx context.Context) error {
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

// awaitAbort gives an aborted writer a moment to end. A write that hangs in the operating system
// cannot be interrupted, so its goroutine is then abandoned.
func (l *Log) awaitAbort() {
	grace := time.NewTimer(100 * time.Millisecond)
	defer grace.Stop()
	select {
	case <-l.done:
	case <-grace.C:
	}
}
