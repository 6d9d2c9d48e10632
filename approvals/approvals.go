// Package approvals keeps questions to people and their answers: a person decides, and
// exactly that call runs, exactly once (APPROVALS-1 to APPROVALS-4).
//
// A [Manager] drives the life cycle of an approval: a policy's ask opens it, a person's
// answer resolves it or the clock expires it, and one call consumes it. An answer covers its
// binding (binding.go): one hash of everything that would run, where, and for whom (R29).
//
// The manager reports and never judges: rego/gavel/approvals decides whether an answer
// permits a call, from the facts that [Manager.Look] returns. Records are in a [Store]. Every
// change is a compare-and-set on the record's version, so of two answers, or of two calls
// that use an answer, only one succeeds. A change is on disk before anyone hears of it: kill
// -9 loses no acknowledged answer and restores no used one.
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
	// Grace is how long an answered approval can be used and looked up (APPROVALS-1).
	Grace = 15 * time.Second
	// DefaultTimeout is how long a person has when the policy does not say (R17).
	DefaultTimeout = 120 * time.Second

	minPrefix         = 8 // characters of an id that identify an approval
	maxComment        = 2000
	defaultMaxPending = 20_000
	// maxTimer is the longest wait between looks at the clock, which may be set. No question
	// is open for a shorter time, so none is missed.
	maxTimer = time.Second
	// panicPause is the pause after a panic.
	panicPause = 100 * time.Millisecond
)

// Config configures a manager. Store, Now and NewID are required.
type Config struct {
	Store Store
	Now   func() time.Time // the wall clock
	NewID func() string    // a fresh UUID
	// Identify returns the device and inode of a file on this machine, in decimal. Nil asks
	// the operating system.
	Identify func(path string) (device, inode string, ok bool)
	// Script returns the SHA-256 of a file on this machine if it is a script, that is, begins
	// with #!; otherwise "". Nil reads the file.
	Script func(path string) (sha256 string, err error)
	// Allowlist receives the patterns that allow-always adds; nil receives none.
	Allowlist Allowlist
	// Editor replaces allowlist files when people agree to an edit. With nil, edits are
	// refused.
	Editor Editor
	// Standing returns the policy's current terms for an agent, for all agents (*), or for
	// tools other than exec (""). known is false if the policy has none. Nil means that terms
	// never change.
	Standing func(ctx context.Context, agent string) (terms gavel.Terms, known bool, err error)
	// Audit records events of approvals; nil records nothing. An event that cannot be
	// recorded permits nothing.
	Audit gavel.Audit
	// Holds reports whether a credential is still valid, by its name and issue. Questions of
	// invalid credentials are withdrawn, and their answers no longer count. Nil means that all
	// are valid.
	CredentialValid func(credential, issue string) bool
	// Pauses knows which agents are paused. Their questions are withdrawn. Nil means that none
	// is paused.
	Pauses gavel.Pauses
	// Revision returns the policy in force; the fallback of an older policy denies. Nil means
	// that it never changes.
	Revision func() string
	// Reachable reports whether messages can be sent to a target. With nil, no target is
	// reachable.
	Reachable func(gavel.Target) bool
	// Grants signs grants; nil issues none.
	Grants Signer
	// MaxPending limits open questions; 20,000. Budget limits those of one asker, and their
	// total size.
	MaxPending int
	Budget     Budget
	Logger     *slog.Logger // nil discards
}

// Allowlist receives the entries of allow-always.
type Allowlist interface {
	// Allow adds entries for an agent. Adding an existing entry changes nothing.
	Allow(ctx context.Context, agent string, entries []gavel.OfferedPattern) error
}

// Sealer is an allowlist that masks secrets.
type Sealer interface {
	// Seal masks the secrets in entries so that they still match the same commands. known are
	// secrets of the command.
	Seal(entries []gavel.OfferedPattern, known []string) []gavel.OfferedPattern
}

// Signer makes grants.
type Signer interface {
	// Sign returns a grant for a consumed approval of a command that is to be run as exec says,
	// which may be nil.
	Sign(a gavel.Approval, exec *gavel.Exec, now time.Time) (*gavel.Grant, error)
}

// Manager implements gavel.Approvals. It is safe for concurrent use.
type Manager struct {
	cfg      Config
	log      *slog.Logger
	hub      hub
	prefixes idPrefixes
	asks     askHistory
	// calls are what open questions are about.
	calls calls
	// masker recognises text that looks like a secret.
	masker *secrets.Masker
	stop   context.CancelFunc
	done   sync.WaitGroup
}

var _ gavel.Approvals = (*Manager)(nil)

// Open checks cfg, expires overdue approvals, and starts to watch the store and the clock.
// Close stops that; the caller closes the store.
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
	m.done.Go(func() { m.publishChanges(running, changes) })
	m.done.Go(func() { m.keepTime(running) })
	return m, nil
}

// publishChanges passes changes to waiters and watchers until ctx ends. After a panic it watches the
// store again. Because changes may then be lost, watchers are disconnected and see the open
// questions when they reconnect; waiters look again.
func (m *Manager) publishChanges(ctx context.Context, changes iter.Seq[gavel.Approval]) {
	rescue.Keep(ctx, m.log, "send approvals to the clients that watch them", panicPause, func() {
		if changes == nil {
			changes = m.cfg.Store.Watch(ctx) // first, so that nothing is missed in between
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

// keepTime expires approvals when their time is up, until ctx ends. It checks the clock at
// least once a second, because the clock may be set. Work that a panic prevented is tried
// again. Readers check the clock themselves in the meantime.
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

// untilNext returns how long to sleep until something can be due.
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

// past reports whether a deadline has passed. The clock may have been set, so the later of
// the monotonic and the wall clock counts. A deadline that was set in the future has passed,
// because it is unknown how long ago that was.
func past(now, set, deadline time.Time) bool {
	if !now.Before(deadline) || !now.Round(0).Before(deadline.Round(0)) {
		return true
	}
	return now.Before(set)
}
