package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gavel"
)

// Record puts an event into the log. It waits while the queue is full and, in strict mode, until
// the line is on disk. If it returns an error, the caller must deny the call; the event may be in
// the log anyway. The errors are ErrBroken, ErrFull, ErrClosed, ErrNotOpen, or the cause of ctx's
// end while Record was waiting. If there is space, an event is accepted even if ctx has ended.
// Record does not modify the event or keep it. Safe for concurrent use.
func (l *Log) Record(ctx context.Context, event gavel.Event) error {
	err := l.checkWritable()
	if err == nil {
		s, _ := l.states.Get().(*encodeState)
		err = l.enqueue(ctx, owner(event), l.line(ctx, s, event))
		l.release(s)
	}
	if err != nil {
		return fmt.Errorf("record decision %q: %w", event.Decision.ID, err)
	}
	return nil
}

// release returns a state to the pool, unless its buffer has become unusually large.
func (l *Log) release(s *encodeState) {
	if cap(s.line) <= maxLine {
		clear(s.masked)
		clear(s.path[:cap(s.path)])
		l.states.Put(s)
	}
}

// owner returns the credential whose share of the queue an event uses.
func owner(event gavel.Event) string {
	if event.Caller != "" {
		return event.Caller
	}
	return event.RequestedBy
}

// checkWritable returns an error if nothing can be recorded now.
func (l *Log) checkWritable() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.opened {
		return ErrNotOpen
	}
	return l.health.Load().err
}

// enqueue puts a line into the queue, and waits as Record promises.
func (l *Log) enqueue(ctx context.Context, owner string, line []byte) error {
	state := l.health.Load()
	if state.err != nil {
		return state.err
	}
	b, wait, reason := l.queue.put(owner, line, time.Now())
	if wait == nil && (b == nil || !l.cfg.Strict) {
		return closedIf(b == nil)
	}
	timer := time.NewTimer(l.cfg.Wait)
	defer timer.Stop()
	if wait != nil {
		l.metrics.blocked.Inc()
	}
	for wait != nil {
		if err := l.waitFor(ctx, state, wait, timer.C); err != nil {
			if errors.Is(err, errTimeout) {
				err = fmt.Errorf("%w: %s, for %s", ErrFull, reason, l.cfg.Wait)
			}
			return err
		}
		b, wait, reason = l.queue.put(owner, line, time.Now())
	}
	if b == nil || !l.cfg.Strict {
		return closedIf(b == nil)
	}
	err := l.waitFor(ctx, state, b.logged, timer.C)
	if errors.Is(err, errTimeout) {
		err = fmt.Errorf("%w: the line was not on disk within %s", ErrFull, l.cfg.Wait)
	}
	return err
}

func closedIf(closed bool) error {
	if closed {
		return ErrClosed
	}
	return nil
}

// waitFor returns nil when ready is closed, and an error when the log breaks, ctx ends or timeout
// fires before that.
func (l *Log) waitFor(ctx context.Context, state *health, ready <-chan struct{}, timeout <-chan time.Time) error {
	select {
	case <-ready:
		return nil
	case <-state.failed:
		if err := l.health.Load().err; err != nil {
			return err
		}
		return ErrBroken // it has healed in the meantime
	case <-ctx.Done():
		return fmt.Errorf("waiting for the decision log: %w", context.Cause(ctx))
	case <-timeout:
		return errTimeout
	}
}
