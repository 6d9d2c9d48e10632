package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"
)

// The bounds of a siege. The attacker runs on the same cores as the server and the victim, so its own
// work slows them, too. A victim's 99th percentile may rise to the larger of the first two bounds. A
// short run is part of the gate and may share the machine with other work, so it only finds a server
// that hardly answers the victim.
const (
	maxSlowdown   = 3 // compared with the 99th percentile without the attacker
	noticeable    = 75 * time.Millisecond
	shortRunLimit = 5 * time.Second  // the 99th percentile in a short run
	reliableSiege = 30 * time.Second // a shorter siege is a short run
	maxMemory     = 300.0            // MiB resident
	victimPause   = 5 * time.Millisecond
)

// siege is an attack on a server while a victim sends ordinary requests.
type siege struct {
	server   *serverProcess
	ledger   *ledger
	baseline []time.Duration // latencies of the victim without the attacker
	attacked []time.Duration // and during the attack
	ids      []string        // of the decisions that the victim received
	memory   float64         // the largest resident size in MiB
	requests int             // of the attacker
	length   time.Duration
}

// besiege runs the victim first without the attacker, then for the same time with it. It returns
// all problems.
func besiege(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for the server's files: %w", err)
	}
	server, err := startServer(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &siege{server: server, ledger: newLedger(), length: length}
	s.baseline = s.runVictim(ctx, length)
	watching, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	working.Go(func() { s.watchMemory(watching) })
	attacker, err := s.startAttacker()
	if err == nil {
		s.attacked = s.runVictim(ctx, length)
		s.requests, err = attacker.stop()
	}
	stop()
	working.Wait()
	stopped := server.stop()
	if err != nil {
		return nil, errors.Join(err, stopped)
	}
	problems := s.evaluate()
	if stopped != nil {
		problems = append(problems, stopped.Error())
	}
	return problems, nil
}

// client returns a client with its own connections.
func (s *siege) client(scope string) *client {
	return (&soak{server: s.server, ledger: s.ledger}).client(false, scope)
}

// runVictim sends requests one after the other, as a gateway does, and returns their latencies.
func (s *siege) runVictim(ctx context.Context, length time.Duration) (latencies []time.Duration) {
	c := s.client("gateway")
	defer c.close()
	working, done := context.WithTimeout(ctx, length)
	defer done()
	for n := 0; pause(working, victimPause); n++ {
		next := call{Call: execCall("coder", "", fmt.Sprintf("rg -n TODO src/%d", n%50))}
		next.Environment = environment(map[string]bool{"rg": true})
		start := time.Now()
		if d, ok := c.decide(next); ok {
			latencies, s.ids = append(latencies, time.Since(start)), append(s.ids, d.ID)
		}
	}
	return latencies
}

// watchMemory records the largest resident size.
func (s *siege) watchMemory(ctx context.Context) {
	for pause(ctx, 100*time.Millisecond) {
		text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.server.cmd.Process.Pid), "statm"))
		var pages float64
		if err != nil {
			return
		}
		if _, err := fmt.Sscanf(string(text), "%f %f", new(float64), &pages); err == nil {
			s.memory = max(s.memory, pages*float64(os.Getpagesize())/mebibyte)
		}
	}
}

// evaluate prints the measurements and returns all problems.
func (s *siege) evaluate() []string {
	problems := s.ledger.problems()
	baseline, attacked := percentile(s.baseline, 99), percentile(s.attacked, 99)
	fmt.Printf("attacker     %d requests; victim: p50 %s, p99 %s without it (%d requests), p50 %s, p99 %s during the attack (%d requests); %.0f MiB resident at most\n", s.requests,
		rounded(percentile(s.baseline, 50)), rounded(baseline), len(s.baseline), rounded(percentile(s.attacked, 50)), rounded(attacked), len(s.attacked), s.memory)
	limit := max(maxSlowdown*baseline, noticeable)
	if s.length < reliableSiege {
		limit = max(limit, shortRunLimit)
	}
	if attacked > limit {
		problems = append(problems, fmt.Sprintf("the victim's p99 is %s during the attack, and %s without it; the limit is %s", attacked, baseline, limit))
	}
	if s.memory > maxMemory {
		problems = append(problems, fmt.Sprintf("%.0f MiB were resident, more than %.0f", s.memory, maxMemory))
	}
	if len(s.baseline) < 5 || len(s.attacked) < 5 || s.requests < 5 {
		problems = append(problems, "the victim or the attacker made fewer than five requests")
	}
	return append(problems, s.missingDecisions()...)
}

// missingDecisions returns a problem if decisions that the victim received are not in the log.
func (s *siege) missingDecisions() []string {
	files, _ := filepath.Glob(filepath.Join(s.server.state, "decisions*")) // the pattern is valid
	logged := map[string]bool{}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return []string{err.Error()}
		}
		for line := range bytes.Lines(text) {
			var event struct {
				ID string `json:"decision_id"`
			}
			if json.Unmarshal(line, &event) == nil {
				logged[event.ID] = true
			}
		}
	}
	lost := 0
	for _, id := range s.ids {
		if !logged[id] {
			lost++
		}
	}
	if lost > 0 {
		return []string{fmt.Sprintf("%d of %d decisions of the victim are not in the log", lost, len(s.ids))}
	}
	return nil
}
