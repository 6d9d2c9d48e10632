package runner

import (
	"context"
	"errors"
	"time"

	"gavel"
)

// Recorder is implemented by authorities that record what became of the commands that they have
// decided about.
type Recorder interface {
	Record(ctx context.Context, event gavel.RunEvent) error
}

// Records records what becomes of commands, on this machine and at the authority. What there was
// no decision about is recorded on this machine only.
type Records struct {
	File      gavel.Audit // may be nil
	Authority Authority
	Now       func() time.Time
}

// Record records one event at both. It implements Recorder.
func (r Records) Record(ctx context.Context, event gavel.RunEvent) error {
	var err error
	if r.File != nil {
		err = r.File.Audit(ctx, event.AuditEvent(r.Now()))
	}
	if there, records := r.Authority.(Recorder); records && event.Decision != "" {
		err = errors.Join(err, there.Record(ctx, event))
	}
	return err
}
