package decisionlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// maxBatch is how many bytes are collected before they are written, in bytes.
// With maxLine it stays below the smallest size at which a file is rotated.
const maxBatch = 256 << 10

// rest is how long the writer leaves the queue alone after a write. Under load one write
// then takes what many recorded, and none of them has to wake it; a single event is
// written at once.
const rest = time.Millisecond

// writer is the one goroutine that masks, encodes and writes.
type writer struct {
	log   *Log
	sink  io.WriteCloser
	batch []byte
}

// run writes until the queue is closed and empty, or until ctx ends. Where nobody can
// tell what a panic left undone, the log stays broken: then every call is denied.
func (w *writer) run(ctx context.Context) {
	defer close(w.log.done)
	for _, step := range []func() error{func() error { w.drain(ctx); return nil }, w.sink.Close} {
		if err := rescue.Call(step); err != nil {
			w.ended(err)
		}
	}
}

// ended says that the writer ended with an error. The log may be what panicked.
func (w *writer) ended(err error) {
	_ = rescue.Call(func() error {
		if rescue.Stack(err) != "" {
			w.log.fail(err)
			return nil
		}
		w.log.logger.Error("closing the decision log failed", "error", err)
		return nil
	})
}

func (w *writer) drain(ctx context.Context) {
	for it := range w.log.queue {
		line := it.line
		if line == nil {
			line = w.line(ctx, it.event)
		}
		if len(w.batch)+len(line) > maxBatch {
			w.flush(ctx)
		}
		w.batch = append(w.batch, line...)
		if len(w.log.queue) == 0 {
			w.flush(ctx)
			time.Sleep(rest)
		}
		if ctx.Err() != nil {
			break
		}
	}
	w.flush(ctx)
}

// line is the event as one line, or, after a panic, what can be said of it without
// asking anybody: nothing is dropped.
func (w *writer) line(ctx context.Context, event gavel.Event) (line []byte) {
	err := rescue.Call(func() error { line = w.log.line(ctx, event); return nil })
	if err == nil {
		return line
	}
	_ = rescue.Call(func() error { // the log may be what panicked
		w.log.logger.Error("a decision is logged without facts and result", "decision_id", event.Decision.ID, "error", err, "stack", rescue.Stack(err))
		return nil
	})
	d := &event.Decision
	line, err = w.log.encode(map[string]any{"decision_id": d.ID, "error": map[string]any{"code": codePanicked, "message": messagePanicked},
		"result": map[string]any{"decision": d.Effect.String(), "revision": d.Revision}})
	if err != nil { // not reached: strings in maps always encode
		return fmt.Appendf(nil, "{\"error\":{\"code\":%q}}\n", codePanicked)
	}
	return line
}

// flush writes the batch. It returns when all of it is written, or ctx ended.
func (w *writer) flush(ctx context.Context) {
	for len(w.batch) > 0 && ctx.Err() == nil {
		err := w.write()
		if err != nil { // once more at once: an interruption is no breakage
			err = w.write()
		}
		if err == nil {
			w.log.heal()
			return
		}
		w.log.fail(err)
		w.pause(ctx)
	}
}

// write makes one attempt, and keeps in the batch what was not taken.
func (w *writer) write() error {
	if len(w.batch) == 0 {
		return nil
	}
	n := 0
	err := rescue.Call(func() (err error) { // after a panic all of it is written again
		n, err = w.sink.Write(w.batch)
		return err
	})
	if n < 0 || n > len(w.batch) {
		n, err = 0, errors.Join(err, fmt.Errorf("the writer reports %d of %d bytes", n, len(w.batch)))
	}
	written := bytes.Count(w.batch[:n], []byte{'\n'})
	w.batch = w.batch[:copy(w.batch, w.batch[n:])]
	w.log.pending.Add(int64(-written))
	w.log.metrics.events.Add(float64(written))
	w.log.metrics.bytes.Add(float64(n))
	if err == nil && len(w.batch) > 0 {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.log.metrics.errors.Inc()
	}
	return err
}

func (w *writer) pause(ctx context.Context) {
	timer := time.NewTimer(w.log.cfg.Retry)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// fail makes Record refuse, and wakes every Record that waits. Only the writer
// calls fail and heal.
func (l *Log) fail(cause error) {
	was := l.health.Load()
	l.health.Store(&health{err: fmt.Errorf("%w: %w", ErrBroken, cause), failed: was.failed})
	if was.err == nil {
		close(was.failed)
		l.logger.Error("the decision log is broken: calls are denied until it can be written",
			"error", cause, "stack", rescue.Stack(cause), "retry", l.cfg.Retry)
	}
}

// heal lets Record accept again.
func (l *Log) heal() {
	if l.health.Load().err == nil {
		return
	}
	l.health.Store(&health{failed: make(chan struct{})})
	l.logger.Info("the decision log can be written again")
}

// wakeAndSeal wakes every Record that waits, waits for them to leave, and closes
// the queue, which nobody can send to from then on.
func (l *Log) wakeAndSeal() {
	l.sealing.Do(func() {
		close(l.closing)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.closed = true
		close(l.queue)
	})
}
