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

// Store keeps the snapshot in force. Reading it takes no lock, so a reload never
// makes a decision wait. It is safe for concurrent use.
type Store struct {
	cfg     Config
	current atomic.Pointer[Snapshot]
	mu      sync.Mutex // serialises reloads and guards status
	status  gavel.PolicyStatus
	known   string      // watch.Hash of the policy before it was first loaded
	loading atomic.Bool // a load runs, perhaps one that does not end
	told    atomic.Bool // it runs while a policy is in force
	tally   tally
}

// Open loads the policy for the first time. Without a usable policy there is no store: a PDP
// that denies everything should not start.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	s := &Store{cfg: cfg, status: gavel.PolicyStatus{Source: cfg.source(), Overrides: cfg.Overrides.Text()}}
	if cfg.Path != "" {
		// Watch detects changes between this look and its first one.
		s.known, _ = watch.Hash(cfg.Path) // a path that cannot be read is Reload's to report
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

// Status returns what is in force, and since when and why a newer policy is not.
func (s *Store) Status() gavel.PolicyStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	status := s.status
	if snapshot := s.current.Load(); snapshot != nil {
		status.Evaluator, status.Uncompiled = snapshot.Evaluated()
	}
	status.Remembered, status.Evaluated = s.tally.remembered.Load(), s.tally.evaluated.Load()
	return status
}

// defaultLoadTime limits a load. It is ample: thousands of modules take seconds.
const defaultLoadTime = 2 * time.Minute

// Reload loads the current policy and puts it in force. One that replaces another is compiled
// before, and prepared for the contexts of recent calls for at most a quarter of a second. If the
// policy is unusable, if loading it panics, or if the disk does not deliver it in time, only the
// status changes; the error says what is wrong. A load that finishes too late is repeated.
func (s *Store) Reload(ctx context.Context) error {
	if !s.loading.CompareAndSwap(false, true) {
		err := problem(s.cfg.source(), "the previous load has not finished", "check that the policy's disk responds")
		s.put(nil, err)
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
		s.put(ended.loaded, ended.err)
		s.ended()
		return ended.err
	case <-ctx.Done():
	case <-timer.C:
	}
	go func() {
		<-done
		s.ended()
		if ctx.Err() == nil {
			_ = s.Reload(ctx) // the status and the log have the error
		}
	}()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("load the policy: %w", err)
	}
	err := problem(s.cfg.source(), fmt.Sprintf("the policy could not be loaded within %s", limit), "check that its disk responds")
	s.put(nil, err)
	return err
}

// ended allows the next load.
func (s *Store) ended() {
	if s.told.Swap(false) && s.cfg.Loaded != nil {
		s.cfg.Loaded()
	}
	s.loading.Store(false)
}

// load loads the policy, and prepares it. A panic is an error.
func (s *Store) load(ctx context.Context) (loaded *Snapshot, err error) {
	before := s.current.Load()
	if before != nil {
		s.told.Store(true)
		if s.cfg.Loading != nil {
			s.cfg.Loading()
		}
	}
	err = rescue.Call(func() (err error) { // compiling may panic, and calls are being decided
		loaded, err = load(ctx, s.cfg, before)
		if err == nil && before != nil && before.revision != loaded.revision {
			loaded.Compile() // meanwhile the policy in force decides, which is compiled
			limited, stop := context.WithTimeout(ctx, warmLimit)
			defer stop()
			loaded.warm(limited, before)
		}
		return err
	})
	if stack := rescue.Stack(err); stack != "" {
		s.cfg.logger().Error("loading the policy panicked", "source", s.cfg.source(), "error", err, "stack", stack)
		err = fmt.Errorf("load the policy: %w", err)
	}
	return loaded, err
}

// put puts the loaded policy in force, or records the error.
func (s *Store) put(loaded *Snapshot, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failed(err)
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
	loaded.answers.tally = &s.tally
	go func() { // the first decisions do not wait for it
		loaded.Compile()
		loaded.letGo()
	}()
	s.current.Store(loaded)
	s.status.Revision, s.status.LoadedAt = loaded.revision, s.cfg.Now()
	s.status.Reloads++
	s.cfg.logger().Info("policy in force", "source", s.status.Source, "revision", loaded.revision)
}

func (s *Store) failed(err error) {
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

// Watch reloads the policy whenever it changes, until ctx ends. It returns at once
// for the shipped default, which cannot change.
func (s *Store) Watch(ctx context.Context) error {
	if s.cfg.Path == "" {
		<-ctx.Done()
		return nil
	}
	ended := make(chan error, 1)
	go func() {
		ended <- rescue.Call(func() error {
			return watch.Watch(ctx, watch.Config{Path: s.cfg.Path, Known: s.known, Logger: s.cfg.logger()}, func() {
				_ = s.Reload(ctx) // the status and the log have the error
			})
		})
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	select { // a disk that does not respond must not prevent stopping
	case err := <-ended:
		return err
	case <-time.After(lastLook):
		return nil
	}
}

// lastLook limits a pending look at the policy when the program ends.
const lastLook = 2 * time.Second

// Problems returns every problem that an error of Load carries.
func Problems(err error) []gavel.Problem {
	var invalid *gavel.PolicyError
	if errors.As(err, &invalid) {
		return invalid.Problems
	}
	return []gavel.Problem{{Message: err.Error()}}
}
