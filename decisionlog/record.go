package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gavel"
)

// Record puts an event into the log. It waits while the queue is full, and in strict mode
// until the line is on disk. After an error the event may be in the log anyway, and the
// caller must deny the call. The errors are ErrBroken, ErrFull, ErrClosed, ErrNotOpen, or the
// end of ctx while waiting. If there is space, an event is accepted even if ctx has ended.
// The event is read before Record returns, and never modified. Safe for concurrent use.
func (l *Log) Record(ctx context.Context, event gavel.Event) error {
	err := l.accepts()
	if err == nil {
		s, _ := l.sheets.Get().(*sheet)
		err = l.enqueue(ctx, owner(event), l.line(ctx, s, event))
		l.release(s)
	}
	if err != nil {
		return fmt.Errorf("record decision %q: %w", event.Decision.ID, err)
	}
	return nil
}

// release keeps a sheet for the next line. Sheets of long lines are rare, and are not kept.
func (l *Log) release(s *sheet) {
	if cap(s.line) <= maxLine {
		clear(s.masked)
		clear(s.path[:cap(s.path)])
		l.sheets.Put(s)
	}
}

// owner is the credential whose share of the queue an event uses.
func owner(event gavel.Event) string {
	if event.Caller != "" {
		return event.Caller
	}
	return event.RequestedBy
}

// accepts returns why nothing can be recorded now.
func (l *Log) accepts() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.opened {
		return ErrNotOpen
	}
	return l.health.Load().err
}

// enqueue puts a line into the queue. It must have been accepted.
func (l *Log) enqueue(ctx context.Context, owner string, line []byte) error {
	state := l.health.Load()
	if state.err != nil {
		return state.err
	}
	in, wait, why := l.queue.put(owner, line, time.Now())
	if wait == nil && (in == nil || !l.cfg.Strict) {
		return closedIf(in == nil)
	}
	timer := time.NewTimer(l.cfg.Wait)
	defer timer.Stop()
	if wait != nil {
		l.metrics.blocked.Inc()
	}
	for wait != nil {
		if err := l.await(ctx, state, wait, timer.C); err != nil {
			if errors.Is(err, errLate) {
				err = fmt.Errorf("%w: %s, for %s", ErrFull, why, l.cfg.Wait)
			}
			return err
		}
		in, wait, why = l.queue.put(owner, line, time.Now())
	}
	if in == nil || !l.cfg.Strict {
		return closedIf(in == nil)
	}
	err := l.await(ctx, state, in.done, timer.C)
	if errors.Is(err, errLate) {
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

// await waits for a channel to be closed, but not longer than until the log breaks.
func (l *Log) await(ctx context.Context, state *health, ready <-chan struct{}, late <-chan time.Time) error {
	select {
	case <-ready:
		return nil
	case <-state.failed:
		if err := l.health.Load().err; err != nil {
			return err
		}
		return ErrBroken // and healed in the meantime
	case <-ctx.Done():
		return fmt.Errorf("waiting for the decision log: %w", context.Cause(ctx))
	case <-late:
		return errLate
	}
}
