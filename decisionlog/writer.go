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

// maxBatch limits the bytes of one write. It is well below a megabyte, the smallest size at
// which a file is rotated.
const maxBatch = 256 << 10

// rest is how long the writer leaves the queue alone after a write. Under load, one write
// then covers many records, and none of them has to wake the writer; a single event is
// written at once. In strict mode there is no rest, because syncing takes time anyway.
const rest = time.Millisecond

// errUnlinked says that lines went into a file without a name.
var errUnlinked = errors.New("the file was removed while it was being written")

// writer is the one goroutine that writes.
type writer struct {
	log  *Log
	sink sink
}

// run writes until the queue is closed and empty, or until ctx ends. After a panic that left
// the state unclear, the log stays broken, and every call is denied.
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
	for ctx.Err() == nil {
		list, closed := w.log.queue.take()
		if len(list) > 0 {
			w.flush(ctx, list)
			if !w.log.cfg.Strict && !closed {
				time.Sleep(rest)
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

// flush writes batches. It returns when all of them are in the log, or ctx ended.
func (w *writer) flush(ctx context.Context, list []*batch) {
	for ctx.Err() == nil {
		var err error
		if list, err = w.attempt(list); err != nil { // retry once: an interruption does not break the log
			list, err = w.attempt(list)
		}
		if err == nil {
			w.log.heal()
			return
		}
		w.log.fail(err)
		w.pause(ctx)
	}
}

// attempt writes batches, in order, and returns those that are not in the log yet. Lines that
// could not be synced are written again: the system may have dropped them, and would report
// success the next time.
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

// commit makes sure that written lines are durable, and notifies those who wait for them.
func (w *writer) commit(list []*batch, sync bool) error {
	err := rescue.Call(func() error { return w.sink.Commit(sync) })
	if err != nil {
		for _, b := range list {
			b.at = 0
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

// write makes one attempt to write what is left of a batch. After a panic all that was
// left is left.
func (w *writer) write(b *batch) error {
	if b.at == len(b.text) {
		return nil
	}
	return rescue.Call(func() error {
		again, err := w.sink.Ready(len(b.text) - b.at)
		if err != nil {
			return err
		}
		if again { // no line is split between two files
			b.at = bytes.LastIndexByte(b.text[:b.at], '\n') + 1
		}
		left := len(b.text) - b.at
		n, err := w.sink.Write(b.text[b.at:])
		if n < 0 || n > left {
			return errors.Join(err, fmt.Errorf("the writer reports %d of %d bytes", n, left))
		}
		b.at += n
		w.log.metrics.bytes.Add(float64(n))
		if err == nil && n < left {
			err = io.ErrShortWrite
		}
		return err
	})
}

func (w *writer) pause(ctx context.Context) {
	timer := time.NewTimer(w.log.cfg.Retry)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// fail makes Record refuse, and wakes every waiting Record. Only the writer calls fail and
// heal.
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
