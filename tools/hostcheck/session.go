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

// plan is a host, and the cells to run in it.
type plan struct {
	host  host
	cells []cell
}

// session runs plans.
type session struct {
	tools  *tools
	plans  []plan
	keep   bool
	atOnce int       // hosts
	until  time.Time // nothing is begun later; zero: no limit
	say    func(line string)

	lock    sync.Mutex
	results []result
	left    []string // what was not run, and why
}

// run fetches the hosts and runs their cells. Hosts that need a node which is not to be had are
// left out; so is what would begin too late.
func (s *session) run(ctx context.Context) error {
	nodes := map[string]error{}
	group := errgroup.Group{}
	group.SetLimit(s.atOnce)
	for _, p := range s.plans {
		missing, tried := nodes[nodeDir(p.host)]
		if !tried {
			missing = s.tools.installNode(ctx, p.host)
			nodes[nodeDir(p.host)] = missing
		}
		if missing != nil {
			s.leaveOut(p.host, missing.Error())
			continue
		}
		group.Go(func() error { return s.runHost(ctx, p) })
	}
	return group.Wait()
}

// runHost fetches a host, and runs its cells one after the other.
func (s *session) runHost(ctx context.Context, p plan) error {
	if s.late() {
		s.leaveOut(p.host, "no time is left")
		return nil
	}
	if err := s.tools.installHost(ctx, p.host); err != nil {
		s.leaveOut(p.host, err.Error())
		return nil
	}
	for i, c := range p.cells {
		if s.late() {
			s.note(fmt.Sprintf("%s %s: no time was left for %d of %d cells", p.host.name, p.host.version, len(p.cells)-i, len(p.cells)))
			return nil
		}
		if err := s.keepResult(s.tools.proven(ctx, p.host, c, s.keep)); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) late() bool { return !s.until.IsZero() && time.Now().After(s.until) }

func (s *session) leaveOut(h host, why string) {
	s.note(h.name + " " + h.version + " was not run here: " + why)
}

func (s *session) note(line string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.left = append(s.left, line)
}

func (s *session) keepResult(r result) error {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.results = append(s.results, r)
	s.say(r.String())
	return s.tools.record(r)
}

// verdict says which hosts were run, and which were not and why. It is an error if a cell is not
// as it should be.
func (s *session) verdict() error {
	var ran []string
	wrong := 0
	for _, r := range s.results {
		if name := r.host.name + " " + r.host.version; !slices.Contains(ran, name) {
			ran = append(ran, name)
		}
		if r.got != r.want {
			wrong++
		}
	}
	slices.Sort(ran)
	for _, line := range s.left {
		s.say(line)
	}
	if wrong > 0 {
		return fmt.Errorf("%d of %d cells are not as they should be", wrong, len(s.results))
	}
	if len(ran) == 0 {
		s.say("no host was run")
		return nil
	}
	s.say(fmt.Sprintf("%d cells are as they should be, in %s", len(s.results), strings.Join(ran, ", ")))
	return nil
}
