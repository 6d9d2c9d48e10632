package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// plan is a host with the cells to run in it.
type plan struct {
	host  host
	cells []cell
}

// session runs plans and collects the results.
type session struct {
	tools    *runner
	plans    []plan
	keep     bool
	parallel int       // number of hosts at the same time
	deadline time.Time // nothing starts later; the zero value means no limit
	print    func(line string)

	mu      sync.Mutex
	results []result
	skipped []string // lines about what was not run
}

// run installs the hosts and runs their cells. It skips hosts that cannot be installed, and
// everything that would start after the deadline.
func (s *session) run(ctx context.Context) error {
	nodes := map[string]error{}
	group := errgroup.Group{}
	group.SetLimit(s.parallel)
	for _, p := range s.plans {
		err, tried := nodes[nodeDir(p.host)]
		if !tried {
			err = s.tools.installNode(ctx, p.host)
			nodes[nodeDir(p.host)] = err
		}
		if err != nil {
			s.skip(p.host, err.Error())
			continue
		}
		group.Go(func() error { return s.runHost(ctx, p) })
	}
	return group.Wait()
}

// runHost installs a host and runs its cells one after the other.
func (s *session) runHost(ctx context.Context, p plan) error {
	if s.expired() {
		s.skip(p.host, "the time limit was reached")
		return nil
	}
	if err := s.tools.installHost(ctx, p.host); err != nil {
		s.skip(p.host, err.Error())
		return nil
	}
	for i, c := range p.cells {
		if s.expired() {
			s.note(fmt.Sprintf("%s %s: skipped %d of %d cells, because the time limit was reached", p.host.name, p.host.version, len(p.cells)-i, len(p.cells)))
			return nil
		}
		if err := s.record(s.tools.runWithRetry(ctx, p.host, c, s.keep)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) expired() bool { return !s.deadline.IsZero() && time.Now().After(s.deadline) }

func (s *session) skip(h host, why string) {
	s.note(h.name + " " + h.version + ": skipped: " + why)
}

func (s *session) note(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skipped = append(s.skipped, line)
}

func (s *session) record(r result) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, r)
	s.print(r.String())
	return s.tools.store(r)
}

// summarize prints which hosts were run, and what was skipped and why. It returns an error if the
// result of a cell is not the expected one.
func (s *session) summarize() error {
	var ran []string
	failures := 0
	for _, r := range s.results {
		if name := r.host.name + " " + r.host.version; !slices.Contains(ran, name) {
			ran = append(ran, name)
		}
		if r.got != r.want {
			failures++
		}
	}
	slices.Sort(ran)
	for _, line := range s.skipped {
		s.print(line)
	}
	if failures > 0 {
		return fmt.Errorf("%d of %d cells failed", failures, len(s.results))
	}
	if len(ran) == 0 {
		s.print("no host was run")
		return nil
	}
	s.print(fmt.Sprintf("%d cells passed, in %s", len(s.results), strings.Join(ran, ", ")))
	return nil
}
