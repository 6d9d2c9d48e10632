package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
)

// The measurement of how much calls that wait for a verifier slow other calls: a victim makes calls
// that need no verifier, next to many clients whose calls do. For comparison, the clients also make
// calls that need none. Clients and verifier share the cores with the server, so their processor time
// is reported, too.
const (
	verifierDelay  = 50 * time.Millisecond
	manyClients    = 500
	clientInterval = time.Second // from one call of a client to the next
	verifiedRounds = 3           // in each, every phase runs once

	harnessGCPercent = 1000 // for debug.SetGCPercent
)

// phase is a kind of load next to the victim, with its measurements.
type phase struct {
	name       string
	call       *gavel.Call     // of the clients; nil means no clients
	latencies  []time.Duration // of the victim
	calls      atomic.Int64    // calls of the clients that were decided
	refused    atomic.Int64    // calls of the clients that failed or were refused because of overload
	serverCPU  time.Duration
	harnessCPU time.Duration // of this process: victim, clients and verifier
}

// measureVerified runs all phases within length, prints the measurements and returns all problems.
func measureVerified(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	// This process shares the cores with the server, so it should use little processor time itself.
	debug.SetGCPercent(harnessGCPercent)
	verifier, err := newSlowVerifier(verifierDelay)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for the server's files: %w", err)
	}
	server, err := startServerWith(ctx, dir, verifier)
	if err != nil {
		verifier.close()
		return nil, err
	}
	plain, verified := probe(0).Call, verifiedCall("allow")
	phases := []*phase{{name: "alone"}, {name: "next to plain calls", call: &plain}, {name: "next to verified calls", call: &verified}}
	s := &siege{server: server, ledger: newLedger()}
	for range verifiedRounds {
		for _, p := range phases {
			s.measure(ctx, p, length/time.Duration(verifiedRounds*len(phases)))
		}
	}
	for _, p := range phases {
		p.report()
	}
	fmt.Printf("p99 next to verified calls: %.2f times that alone, %.2f times that next to as many plain calls\n", ratio(phases[2], phases[0]), ratio(phases[2], phases[1]))
	problems := s.ledger.problems()
	if err := server.stop(); err != nil {
		problems = append(problems, err.Error())
	}
	return problems, nil
}

// measure runs one phase for a while.
func (s *siege) measure(ctx context.Context, p *phase, length time.Duration) {
	working, done := context.WithTimeout(ctx, length)
	defer done()
	server, harness := s.serverCPU(), harnessCPU()
	var clients sync.WaitGroup
	if p.call != nil {
		for range manyClients {
			clients.Go(func() { s.runClient(working, p) })
		}
	}
	p.latencies = append(p.latencies, s.runVictim(working, length)...)
	clients.Wait()
	p.serverCPU += s.serverCPU() - server
	p.harnessCPU += harnessCPU() - harness
}

// runClient is one of the many clients. It starts at a random time, and has another credential than
// the victim.
func (s *siege) runClient(ctx context.Context, p *phase) {
	c := s.client("decide")
	defer c.close()
	for wait := rand.N(clientInterval); pause(ctx, wait); {
		start := time.Now()
		var d gavel.Decision
		if c.do(http.MethodPost, "/v1/decisions", p.call, &d, http.StatusTooManyRequests, http.StatusServiceUnavailable) && d.Effect == gavel.Allow {
			p.calls.Add(1)
		} else {
			p.refused.Add(1)
		}
		wait = clientInterval - time.Since(start) // the rate does not depend on the latency
	}
}

// serverCPU returns the processor time that the server has used.
func (s *siege) serverCPU() time.Duration {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(s.server.cmd.Process.Pid), "stat"))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseInt(fields[11], 10, 64) // the kernel writes numbers
	system, _ := strconv.ParseInt(fields[12], 10, 64)
	return time.Duration(user+system) * (time.Second / 100)
}

func (p *phase) report() {
	calls := float64(max(1, p.calls.Load()+int64(len(p.latencies))))
	fmt.Printf("%-22s victim: %5d calls, p50 %s, p99 %s; clients: %6d calls, %d refused; processor time of a call: server %.2f ms, clients and verifier %.2f ms\n",
		p.name, len(p.latencies), rounded(percentile(p.latencies, 50)), rounded(percentile(p.latencies, 99)), p.calls.Load(), p.refused.Load(), p.serverCPU.Seconds()*1000/calls, p.harnessCPU.Seconds()*1000/calls)
}

// percentile sorts a list and returns a percentile, or 0 if the list is empty.
func percentile(list []time.Duration, percent int) time.Duration {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(len(list)-1, len(list)*percent/100)]
}

// ratio returns the quotient of the 99th percentiles of two phases.
func ratio(a, b *phase) float64 {
	return float64(percentile(a.latencies, 99)) / float64(max(percentile(b.latencies, 99), time.Microsecond))
}
