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
	"syscall"
	"time"

	"gavel"
)

// How much calls that wait for a verifier cost calls that need none: many clients, each with one
// call a second, beside one victim. The same clients with calls that need no verifier show
// how much of it is only their number. What clients and verifier themselves cost is reported
// beside it: they share the cores, and the server cannot help it.
const (
	verifierTakes = 50 * time.Millisecond
	manyClients   = 500
	clientCalls   = time.Second // from one call of a client to the next
	verifiedRound = 3           // times that every phase is run, one after the other

	harnessGarbage = 1000 // percent of what this process has in use
)

// phase is what the many clients do, and what the victim saw.
type phase struct {
	name  string
	call  *gavel.Call // nil for no clients
	took  []time.Duration
	calls atomic.Int64  // of the clients that were decided
	again atomic.Int64  // and refused for the moment
	cpu   time.Duration // of the server
	own   time.Duration // of this process: victim, clients and verifier
}

// measureVerified measures all phases, for length in all, and prints what came of it.
func measureVerified(ctx context.Context, dir string, length time.Duration) ([]string, error) {
	// Clients and verifier share the cores of the server. What they do themselves is not part of what
	// calls cost others, so they collect their garbage rarely.
	debug.SetGCPercent(harnessGarbage)
	verifier, err := newSlowVerifier(verifierTakes)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create a directory for the server's files: %w", err)
	}
	server, err := serveWith(ctx, dir, verifier)
	if err != nil {
		verifier.close()
		return nil, err
	}
	plain, asked := probe(0).Call, verifiedCall("allow")
	phases := []*phase{{name: "alone"}, {name: "beside plain calls", call: &plain}, {name: "beside verified calls", call: &asked}}
	s := &siege{server: server, book: newLedger()}
	for range verifiedRound {
		for _, p := range phases {
			s.measure(ctx, p, length/time.Duration(verifiedRound*len(phases)))
		}
	}
	for _, p := range phases {
		p.report()
	}
	fmt.Printf("p99 beside verified calls: %.2f of alone, %.2f of beside as many plain calls\n", ratio(phases[2], phases[0]), ratio(phases[2], phases[1]))
	problems := s.book.problems()
	if err := server.stop(); err != nil {
		problems = append(problems, err.Error())
	}
	return problems, nil
}

// measure runs one phase for a while.
func (s *siege) measure(ctx context.Context, p *phase, length time.Duration) {
	working, done := context.WithTimeout(ctx, length)
	defer done()
	began, own := s.cpu(), ownCPU()
	var clients sync.WaitGroup
	if p.call != nil {
		for range manyClients {
			clients.Go(func() { s.crowd(working, p) })
		}
	}
	p.took = append(p.took, s.victim(working, length)...)
	clients.Wait()
	p.cpu += s.cpu() - began
	p.own += ownCPU() - own
}

// crowd is one of the many clients. It begins at some time of its own, and has another credential than
// the victim.
func (s *siege) crowd(ctx context.Context, p *phase) {
	c := s.client("decide")
	defer c.close()
	for wait := rand.N(clientCalls); pause(ctx, wait); {
		began := time.Now()
		var d gavel.Decision
		if c.do(http.MethodPost, "/v1/decisions", p.call, &d, http.StatusTooManyRequests, http.StatusServiceUnavailable) && d.Effect == gavel.Allow {
			p.calls.Add(1)
		} else {
			p.again.Add(1)
		}
		wait = clientCalls - time.Since(began) // a call that waits makes none of the later ones rarer
	}
}

// cpu is the processor time of the server so far.
func (s *siege) cpu() time.Duration {
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

// ownCPU is the processor time of this process so far.
func ownCPU() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

func (p *phase) report() {
	calls := float64(max(1, p.calls.Load()+int64(len(p.took))))
	fmt.Printf("%-22s victim: %5d calls, p50 %s, p99 %s; clients: %6d calls, %d refused; a call took %.2f ms of processor of the server, %.2f of clients and verifier\n",
		p.name, len(p.took), rounded(p.at(50)), rounded(p.at(99)), p.calls.Load(), p.again.Load(), p.cpu.Seconds()*1000/calls, p.own.Seconds()*1000/calls)
}

// at is a percentile of what the victim saw.
func (p *phase) at(part int) time.Duration {
	if len(p.took) == 0 {
		return 0
	}
	slices.Sort(p.took)
	return p.took[min(len(p.took)-1, len(p.took)*part/100)]
}

func ratio(a, b *phase) float64 {
	return float64(a.at(99)) / float64(max(b.at(99), time.Microsecond))
}
