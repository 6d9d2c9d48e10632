package decisionlog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gavel/internal/rescue"
)

// maxBatch limits the bytes of one write. It is well below one megabyte, the smallest size at
// which a file is rotated.
const maxBatch = 256 << 10

// writePause is how long the writer sleeps after a write. Under load, one write then covers many
// records, and none of them has to wake the writer. A single event is written at once. In strict
// mode there is no pause, because syncing takes time anyway.
const writePause = time.Millisecond

// errUnlinked means that lines were written to a file that was removed.
var errUnlinked = errors.New("the file was removed while it was being written")

// writer is the state of the goroutine that writes.
type writer struct {
	log  *Log
	sink sink
}

// run writes until the queue is closed and empty, or until ctx ends. After a panic outside a
// write, the state of the log is unclear, so it stays broken, and every call is denied.
func (w *writer) run(ctx context.Context) {
	defer close(w.log.done)
	for _, step := range []func() error{func() error { w.drain(ctx); return nil }, w.sink.Close} {
		if err := rescue.Call(step); err != nil {
			w.reportEnd(err)
		}
	}
}

// reportEnd reports the error with which the writer ended. It catches panics, too, because the
// logger itself may have caused one.
func (w *writer) reportEnd(err error) {
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
	for ctx.Err() == nil {
		list, closed := w.log.queue.take()
		if len(list) > 0 {
			w.flush(ctx, list)
			if !w.log.cfg.Strict && !closed {
				time.Sleep(writePause)
			}
			continue
		}
		if closed {
			return
		}
		select {
		case <-w.log.queue.wake:
		case <-ctx.Done():
		}
	}
}

// flush writes batches until all of them are in the log or ctx ends.
func (w *writer) flush(ctx context.Context, list []*batch) {
	for ctx.Err() == nil {
		var err error
		if list, err = w.attempt(list); err != nil { // a single failure does not break the log
			list, err = w.attempt(list)
		}
		if err == nil {
			w.log.heal()
			return
		}
		w.log.fail(err)
		w.waitForRetry(ctx)
	}
}

// attempt writes batches in order, and returns those that are not in the log yet. After a failed
// sync, all lines are written again: the system may have dropped them, and the next sync would
// succeed without them.
func (w *writer) attempt(list []*batch) (rest []*batch, err error) {
	defer func() {
		if err != nil {
			w.log.metrics.errors.Inc()
		}
	}()
	if !w.log.cfg.Strict {
		for i, b := range list {
			if err := w.write(b); err != nil {
				return list[i:], err
			}
			if err := w.commit(list[i:i+1], false); err != nil {
				return list[i:], err
			}
		}
		return nil, nil
	}
	for _, b := range list {
		if err := w.write(b); err != nil {
			return list, err
		}
	}
	return list, w.commit(list, true)
}

// commit checks that the written batches are in the log, and notifies callers that wait for them.
// After an error the batches count as unwritten.
func (w *writer) commit(list []*batch, sync bool) error {
	err := rescue.Call(func() error { return w.sink.Commit(sync) })
	if err != nil {
		for _, b := range list {
			b.written = 0
		}
		return err
	}
	lines := 0
	for _, b := range list {
		lines += b.lines
	}
	w.log.metrics.events.Add(float64(lines))
	w.log.queue.written(list)
	return nil
}

// write writes the rest of a batch once. After a panic, nothing of it counts as written.
func (w *writer) write(b *batch) error {
	if b.written == len(b.text) {
		return nil
	}
	return rescue.Call(func() error {
		switched, err := w.sink.Prepare(len(b.text) - b.written)
		if err != nil {
			return err
		}
		if switched { // no line is split between two files
			b.written = bytes.LastIndexByte(b.text[:b.written], '\n') + 1
		}
		left := len(b.text) - b.written
		n, err := w.sink.Write(b.text[b.written:])
		if n < 0 || n > left {
			return errors.Join(err, fmt.Errorf("the writer reports %d of %d bytes", n, left))
		}
		b.written += n
		w.log.metrics.bytes.Add(float64(n))
		if err == nil && n < left {
			err = io.ErrShortWrite
		}
		return err
	})
}

func (w *writer) waitForRetry(ctx context.Context) {
	timer := time.NewTimer(w.log.cfg.Retry)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// fail makes Record return errors, and wakes every waiting Record. Only the writer calls fail
// and heal.
func (l *Log) fail(cause error) {
	was := l.health.Load()
	l.health.Store(&health{err: fmt.Errorf("%w: %w", ErrBroken, cause), failed: was.failed})
	if was.err == nil {
		close(was.failed)
		l.logger.Error("the decision log is broken: calls are denied until it can be written",
			"error", cause, "stack", rescue.Stack(cause), "retry", l.cfg.Retry)
	}
}

// heal makes Record accept events again.
func (l *Log) heal() {
	if l.health.Load().err == nil {
		return
	}
	l.health.Store(&health{failed: make(chan struct{})})
	l.logger.Info("the decision log can be written again")
}
