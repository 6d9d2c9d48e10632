package decisionlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"
)

// maxBatch is how many bytes are collected before they are written, in bytes.
// With maxLine it stays below the smallest size at which a file is rotated.
const maxBatch = 256 << 10

// writer is the one goroutine that masks, encodes and writes.
type writer struct {
	log   *Log
	sink  io.WriteCloser
	batch []byte
}

// run writes until the queue is closed and empty, or until ctx ends.
func (w *writer) run(ctx context.Context) {
	defer close(w.log.done)
	for event := range w.log.queue {
		line := w.log.line(ctx, event)
		if len(w.batch)+len(line) > maxBatch {
			w.flush(ctx)
		}
		w.batch = append(w.batch, line...)
		if len(w.log.queue) == 0 {
			runtime.Gosched() // those who are about to record share one write
		}
		if len(w.log.queue) == 0 {
			w.flush(ctx)
		}
		if ctx.Err() != nil {
			break
		}
	}
	w.flush(ctx)
	if err := w.sink.Close(); err != nil {
		w.log.logger.Error("closing the decision log failed", "error", err)
	}
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
	n, err := w.sink.Write(w.batch)
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
			"error", cause, "retry", l.cfg.Retry)
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
