// Package recorded remembers which state of a file the decision log knows. A file can be
// changed while no server runs, by a command or by hand. The difference is recorded at the
// next start, and changes from outside while Gavel runs are recorded as well.
package recorded

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/statefile"
)

const (
	maxFile = 64 << 20 // bytes
	// retry is after a change that could not be recorded.
	retry = time.Second
)

// document is the file.
type document[T any] struct {
	Version int `json:"version"`
	Holds   T   `json:"holds"`
}

// Config says which file's changes are recorded, and where. All fields are required.
type Config[T any] struct {
	Path string // of the file that remembers
	What string // what is remembered, for errors
	// Events are what a change means. They get their time here.
	Events func(before, after T) []gavel.AuditEvent
	Audit  gavel.Audit
	Now    func() time.Time
	Logger *slog.Logger
}

// Ledger is the record of one file. It is safe for concurrent use.
type Ledger[T any] struct {
	cfg  Config[T]
	file *statefile.File[document[T]]
	last *T // what was recorded last; nil before the file was read

	settling sync.Mutex // guards last and file

	mu      sync.Mutex
	pending []step[T]
	wake    chan struct{}
}

// step is a change that is to be remembered.
type step[T any] struct {
	holds T
	made  bool // by Gavel, which has recorded it
}

// Open returns a ledger. Nothing is recorded before [Ledger.Run] or [Ledger.Settle].
func Open[T any](cfg Config[T]) *Ledger[T] {
	return &Ledger[T]{cfg: cfg, wake: make(chan struct{}, 1), file: statefile.New(statefile.Config[document[T]]{Path: cfg.Path, Limit: maxFile, What: cfg.What,
		Fix: "restore it, or move it away; everything is then recorded again", Logger: cfg.Logger,
		Unusable: "the record of past changes is unusable; everything is recorded again",
		Check: func(d *document[T]) error {
			if d.Version != 1 {
				return errors.New("its version is not 1")
			}
			return nil
		}})}
}

// Found reports the current content of the file, whoever wrote it. It does not block.
func (l *Ledger[T]) Found(holds T) { l.add(step[T]{holds, false}) }

// Made reports the content of the file after a change that its maker has recorded. It does
// not block.
func (l *Ledger[T]) Made(holds T) { l.add(step[T]{holds, true}) }

func (l *Ledger[T]) add(s step[T]) {
	l.mu.Lock()
	l.pending = append(l.pending, s)
	l.mu.Unlock()
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// Run records changes until ctx ends, and then those that are left.
func (l *Ledger[T]) Run(ctx context.Context) {
	rescue.Keep(ctx, l.cfg.Logger, "record changes of "+l.cfg.What, retry, func() {
		for ctx.Err() == nil {
			again := make(<-chan time.Time)
			if err := l.Settle(context.WithoutCancel(ctx)); err != nil {
				l.cfg.Logger.Error("changes are not in the decision log yet", "of", l.cfg.What, "error", err)
				again = time.After(retry)
			}
			select {
			case <-ctx.Done():
			case <-l.wake:
			case <-again:
			}
		}
	})
	if err := l.Settle(context.WithoutCancel(ctx)); err != nil {
		l.cfg.Logger.Error("changes will be in the decision log when Gavel runs again", "of", l.cfg.What, "error", err)
	}
}

// Settle records the reported changes. Changes that cannot be recorded are tried again the
// next time. After a crash in between, an event may occur twice, but none is missing.
func (l *Ledger[T]) Settle(ctx context.Context) error {
	l.settling.Lock()
	defer l.settling.Unlock()
	for {
		l.mu.Lock()
		if len(l.pending) == 0 {
			l.mu.Unlock()
			return nil
		}
		next := l.pending[0]
		l.mu.Unlock()
		if err := l.remember(ctx, next); err != nil {
			return err
		}
		l.mu.Lock()
		l.pending = l.pending[1:]
		l.mu.Unlock()
	}
}

func (l *Ledger[T]) remember(ctx context.Context, s step[T]) error {
	was, _, unusable := l.file.Look()
	if l.last == nil {
		l.last = &was.Holds
	}
	changes := l.cfg.Events(*l.last, s.holds)
	for i := range changes {
		if s.made {
			break
		}
		changes[i].Timestamp = l.cfg.Now().UTC()
		if err := l.cfg.Audit.Audit(ctx, changes[i]); err != nil {
			return err
		}
	}
	l.last = &s.holds
	if unusable != nil || len(changes) == 0 {
		return nil // a file that cannot be read is left unchanged
	}
	return l.file.Edit(ctx, func(d *document[T]) error {
		d.Version, d.Holds = 1, s.holds
		return nil
	})
}
