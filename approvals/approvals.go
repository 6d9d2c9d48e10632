// Package approvals keeps questions to people and their answers: a person
// decides, exactly that runs, exactly once (APPROVALS-1 to APPROVALS-4).
//
// A [Manager] takes an approval through its life: it is opened when a policy asks,
// answered by a person or expired by the clock, and consumed by the one call that
// runs because of it. What an answer covers is its binding (binding.go): one hash
// of everything that would run, where, and for whom (R29).
//
// The manager reports and never judges: whether an answer permits a call is said by
// rego/gavel/approvals, of the facts that [Manager.Look] returns. Records are in a
// [Store]; every change to one is a compare-and-set on its version, so that two
// answers, or two calls that use one, cannot both win. A change is on disk before
// anybody is told of it: kill -9 loses no answer that was acknowledged, and brings
// back none that was used.
package approvals

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"sync"
	"time"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/secrets"
)

// Defaults and limits.
const (
	// Grace is how long an answered approval may still be used and looked up
	// (APPROVALS-1).
	Grace = 15 * time.Second
	// DefaultTimeout is how long a person has when the policy does not say (R17).
	DefaultTimeout = 120 * time.Second

	minPrefix         = 8 // characters of an id that name an approval
	maxComment        = 2000
	defaultMaxPending = 20_000
	// maxTimer is between looks at the clock, which may be stepped. No question is
	// open for less, so none is missed.
	maxTimer = time.Second
	// again is after a panic, until what panicked goes on.
	again = 100 * time.Millisecond
)

// Config says what a manager works with. Store, Now and NewID are required.
type Config struct {
	Store Store
	Now   func() time.Time // the wall clock
	NewID func() string    // a fresh UUID
	// Identify returns the device and inode of a file on this machine, in decimal.
	// Nil asks the operating system.
	Identify func(path string) (device, inode string, ok bool)
	// Script returns the SHA-256 of a file on this machine that is a script, that is,
	// begins with #!; "" for another program. Nil looks at the file.
	Script func(path string) (sha256 string, err error)
	// Allowlist takes the patterns that allow-always adds; nil takes none.
	Allowlist Allowlist
	// Editor replaces allowlist files when people agree to an edit; nil edits none.
	Editor Editor
	// Standing is what the policy in force says of who must agree about an agent, or
	// about everybody (*), or about tools other than exec (""). Known is false where it
	// does not say. Nil means that it never changes.
	Standing func(ctx context.Context, agent string) (terms gavel.Terms, known bool, err error)
	// Audit records what happens to approvals; nil records nothing. What it cannot
	// record permits nothing.
	Audit gavel.Audit
	// Holds reports whether a credential is still valid, by its name and by its issue. What one
	// that is not has asked is withdrawn. Nil means that all are.
	Holds func(credential, issue string) bool
	// Revision is the policy in force: the fallback of an older one denies. Nil
	// means that it never changes.
	Revision func() string
	// Reachable says whether a target can be sent to. Nil reaches none.
	Reachable func(gavel.Target) bool
	// Grants signs grants; nil gives none.
	Grants Signer
	// MaxPending bounds open questions; 20,000. Budget bounds those of one asker, and
	// what all take.
	MaxPending int
	Budget     Budget
	Logger     *slog.Logger // nil discards
}

// Allowlist is what allow-always adds to.
type Allowlist interface {
	// Allow adds entries for an agent. Adding what is there changes nothing.
	Allow(ctx context.Context, agent string, entries []gavel.OfferedPattern) error
}

// Sealer is an allowlist that keeps no secrets.
type Sealer interface {
	// Seal masks the secrets in entries, so that they still match what they matched.
	// Known are secrets of the command.
	Seal(entries []gavel.OfferedPattern, known []string) []gavel.OfferedPattern
}

// Signer makes grants.
type Signer interface {
	// Sign returns a grant for a consumed approval.
	Sign(a gavel.Approval, now time.Time) (*gavel.Grant, error)
}

// Manager implements gavel.Approvals. It is safe for concurrent use.
type Manager struct {
	cfg  Config
	log  *slog.Logger
	hub  hub
	ids  names
	asks askers
	// masker knows what looks like a secret.
	masker *secrets.Masker
	stop   context.CancelFunc
	done   sync.WaitGroup
}

var _ gavel.Approvals = (*Manager)(nil)

// Open checks cfg, expires what expired while nobody looked, and starts to watch
// the store and the clock. Close ends that; the store is the caller's to close.
func Open(ctx context.Context, cfg Config) (*Manager, error) {
	if cfg.Store == nil || cfg.Now == nil || cfg.NewID == nil {
		return nil, errors.New("approvals: Store, Now and NewID are required")
	}
	if cfg.Identify == nil {
		cfg.Identify = identify
	}
	if cfg.Script == nil {
		cfg.Script = scriptOf
	}
	if cfg.MaxPending == 0 {
		cfg.MaxPending = defaultMaxPending
	}
	if cfg.Budget.Bytes == 0 {
		cfg.Budget.Bytes = defaultMaxBytes
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	m := &Manager{cfg: cfg, log: cfg.Logger, masker: secrets.New()}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	m.stop = stop
	changes := cfg.Store.Watch(running)
	if err := m.recover(ctx); err != nil {
		stop()
		return nil, fmt.Errorf("open approvals: %w", err)
	}
	m.done.Go(func() { m.tell(running, changes) })
	m.done.Go(func() { m.keepTime(running) })
	return m, nil
}

// tell passes changes on to those who wait and watch, until ctx ends. After a panic it
// watches the store again. Nobody can tell then what was passed on: those who watch are
// cut off, and see what is open when they come back; those who wait look again.
func (m *Manager) tell(ctx context.Context, changes iter.Seq[gavel.Approval]) {
	rescue.Keep(ctx, m.log, "send approvals to the clients that watch them", again, func() {
		if changes == nil {
			changes = m.cfg.Store.Watch(ctx) // first: nothing falls between
			m.hub.reset()
		}
		list := changes
		changes = nil
		for a := range list {
			m.hub.publish(a)
		}
	})
}

// Close stops watching. Waiters and subscribers are released.
func (m *Manager) Close() {
	m.stop()
	m.done.Wait()
	m.hub.close()
}

// keepTime expires approvals when their time is up, until ctx ends. It looks at
// the clock once a second at least, since somebody may set it; what a panic kept it
// from is tried again then. Whoever reads an approval is told by the clock meanwhile.
func (m *Manager) keepTime(ctx context.Context) {
	timer := time.NewTimer(maxTimer)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		next := maxTimer
		rescue.Run(m.log, "expire approvals", func() {
			if err := m.Sweep(ctx); err != nil && ctx.Err() == nil {
				m.log.Error("approvals were not expired", "error", err, "stack", rescue.Stack(err))
			}
			next = m.untilNext(ctx)
		})
		timer.Reset(next)
	}
}

// untilNext is how long to sleep before something can be due.
func (m *Manager) untilNext(ctx context.Context) time.Duration {
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return maxTimer
	}
	now, next := m.cfg.Now(), maxTimer
	for i := range list {
		next = min(next, due(&list[i]).Sub(now))
	}
	return max(next, time.Millisecond)
}

// due is when the clock changes a record: it expires, or is forgotten.
func due(a *gavel.Approval) time.Time {
	if a.State == gavel.ApprovalPending {
		return a.ExpiresAt
	}
	return a.ResolvedAt.Add(Grace)
}

// past reports whether a deadline that was set at some time has passed. The clock
// may have been stepped: whichever of the monotonic and the wall clock is later
// counts, and a time that was set in the future has passed, since nobody can tell
// how long ago it was.
func past(now, set, deadline time.Time) bool {
	if !now.Before(deadline) || !now.Round(0).Before(deadline.Round(0)) {
		return true
	}
	return now.Before(set)
}
