package bundles

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/watch"
)

// Store keeps the snapshot in force, and replaces it when the policy changes. Reading the snapshot
// takes no lock, so that a reload never makes a decision wait. It is safe for concurrent use.
type Store struct {
	cfg         Config
	current     atomic.Pointer[Snapshot]
	initialHash string // watch.Hash of the policy before it was first loaded
	counters    decisionCounters

	loading    atomic.Bool // a load is running, perhaps one that never ends
	calledBack atomic.Bool // Config.BeforeReload was called, and AfterReload is due

	mu     sync.Mutex // guards status, and changes of current
	status gavel.PolicyStatus
}

// Open loads the policy for the first time. It fails without a usable policy, because a PDP that
// denies everything should not start.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s := &Store{cfg: cfg, status: gavel.PolicyStatus{Source: cfg.policyName(), Overrides: cfg.Overrides.Text()}}
	if cfg.Path != "" {
		// With the hash, Watch notices if the policy changes between now and its first look.
		s.initialHash, _ = watch.Hash(cfg.Path) // Reload reports a path that cannot be read
	}
	if err := s.Reload(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

// Current implements gavel.Policy.
func (s *Store) Current() gavel.Snapshot {
	if snapshot := s.current.Load(); snapshot != nil {
		return snapshot
	}
	return nil
}

// Status returns which policy is in force and, if a newer one is not, since when and why.
func (s *Store) Status() gavel.PolicyStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	if snapshot := s.current.Load(); snapshot != nil {
		status.Evaluator, status.Uncompiled = snapshot.ActiveEvaluator()
	}
	status.Remembered, status.Evaluated = s.counters.cached.Load(), s.counters.evaluated.Load()
	return status
}

// defaultLoadTime is more than enough: thousands of modules take seconds.
const defaultLoadTime = 2 * time.Minute

// Reload loads the policy and puts it in force. A policy that replaces another is first compiled,
// and prepared for the contexts of recent calls (warm). If the policy is unusable, if loading it
// panics, or if the disk does not deliver it within Config.LoadTime, only the status changes, and
// the error says why. A load that ends too late is repeated.
func (s *Store) Reload(ctx context.Context) error {
	if !s.loading.CompareAndSwap(false, true) {
		err := newPolicyError(s.cfg.policyName(), "the previous load has not finished", "check that the policy's disk responds")
		s.activate(nil, err)
		return err
	}
	type outcome struct {
		loaded *Snapshot
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		loaded, err := s.load(ctx)
		done <- outcome{loaded, err}
	}()
	limit := s.cfg.LoadTime
	if limit <= 0 {
		limit = defaultLoadTime
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case ended := <-done:
		s.activate(ended.loaded, ended.err)
		s.finishLoad()
		return ended.err
	case <-ctx.Done():
	case <-timer.C:
	}
	go func() {
		<-done
		s.finishLoad()
		if ctx.Err() == nil {
			_ = s.Reload(ctx) // the error is in the status and in the log
		}
	}()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load the policy: %w", err)
	}
	err := newPolicyError(s.cfg.policyName(), fmt.Sprintf("the policy could not be loaded within %s", limit), "check that its disk responds")
	s.activate(nil, err)
	return err
}

// finishLoad allows the next load.
func (s *Store) finishLoad() {
	if s.calledBack.Swap(false) && s.cfg.AfterReload != nil {
		s.cfg.AfterReload()
	}
	s.loading.Store(false)
}

// load loads the policy, and prepares it to replace the one in force. A panic is an error.
func (s *Store) load(ctx context.Context) (loaded *Snapshot, err error) {
	previous := s.current.Load()
	if previous != nil {
		s.calledBack.Store(true)
		if s.cfg.BeforeReload != nil {
			s.cfg.BeforeReload()
		}
	}
	err = rescue.Call(func() (err error) { // compiling may panic, and calls are being decided
		loaded, err = load(ctx, s.cfg, previous)
		if err == nil && previous != nil && previous.revision != loaded.revision {
			loaded.Compile() // now, because the policy in force is compiled and decides meanwhile
			limited, stop := context.WithTimeout(ctx, maxWarmTime)
			defer stop()
			loaded.warm(limited, previous)
		}
		return err
	})
	if stack := rescue.Stack(err); stack != "" {
		s.cfg.logger().Error("loading the policy panicked", "source", s.cfg.policyName(), "error", err, "stack", stack)
		err = fmt.Errorf("load the policy: %w", err)
	}
	return loaded, err
}

// activate puts the loaded policy in force, or records the error.
func (s *Store) activate(loaded *Snapshot, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.recordFailure(err)
		return
	}
	wasStale := !s.status.StaleSince.IsZero()
	s.status.StaleSince, s.status.Problems = time.Time{}, nil
	if s.status.Revision == loaded.revision {
		if wasStale {
			s.cfg.logger().Info("the policy is usable again, and is the one in force", "source", s.status.Source, "revision", loaded.revision)
		}
		return
	}
	loaded.results.counters = &s.counters
	go func() { // the first decisions need not wait for it
		loaded.Compile()
		loaded.releaseCompilation()
	}()
	s.current.Store(loaded)
	s.status.Revision, s.status.LoadedAt = loaded.revision, s.cfg.Now()
	s.status.Reloads++
	s.cfg.logger().Info("policy in force", "source", s.status.Source, "revision", loaded.revision)
}

// recordFailure updates the status after a failed load, and logs its problems. s.mu must be held.
func (s *Store) recordFailure(err error) {
	s.status.Failures++
	if s.status.StaleSince.IsZero() {
		s.status.StaleSince = s.cfg.Now()
	}
	s.status.Problems = Problems(err)
	message := "the policy is not usable; the last good one stays in force"
	if s.status.Revision == "" {
		message = "the policy is not usable, and there is no earlier one"
	}
	for _, p := range s.status.Problems {
		s.cfg.logger().Error(message,
			"source", s.status.Source, "file", p.File, "line", p.Line, "path", p.Path, "problem", p.Message)
	}
}

// Watch reloads the policy whenever it changes, until ctx ends. The shipped default never changes.
func (s *Store) Watch(ctx context.Context) error {
	if s.cfg.Path == "" {
		<-ctx.Done()
		return nil
	}
	ended := make(chan error, 1)
	go func() {
		ended <- rescue.Call(func() error {
			return watch.Watch(ctx, watch.Config{Path: s.cfg.Path, Known: s.initialHash, Logger: s.cfg.logger()}, func() {
				_ = s.Reload(ctx) // the error is in the status and in the log
			})
		})
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select { // a disk that does not respond must not keep the process from stopping
	case err := <-ended:
		return err
	case <-time.After(stopTimeout):
		return nil
	}
}

// stopTimeout limits how long Watch waits for a pending look at the policy after ctx has ended.
const stopTimeout = 2 * time.Second

// Problems returns the problems in an error of Load. An error of another kind is one problem.
func Problems(err error) []gavel.Problem {
	var invalid *gavel.PolicyError
	if errors.As(err, &invalid) {
		return invalid.Problems
	}
	return []gavel.Problem{{Message: err.Error()}}
}
