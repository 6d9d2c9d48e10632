package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// report runs the tests. It prints a line when a package is done, prints every failure
// immediately, and returns the exit code.
func (s *suite) report(ctx context.Context, o options, out io.Writer) int {
	p := &progress{out: out, verbose: o.verbose, open: map[string]int{}, packages: map[string]tally{}}
	queue := make(chan test, len(s.tests))
	for _, t := range s.tests {
		p.open[t.pkg]++
		queue <- t
	}
	close(queue)
	p.begun = time.Now()
	var workers sync.WaitGroup
	for range o.parallel {
		workers.Go(func() {
			for t := range queue {
				if ctx.Err() == nil {
					p.add(s.run(ctx, t, o.timeout))
				}
			}
		})
	}
	workers.Wait()
	return p.end(ctx.Err())
}

// tally counts the tests of a package.
type tally struct {
	tests, cases, failed int
	took                 time.Duration // of all tests of the package together
}

func (t tally) plus(r result) tally {
	t.tests, t.cases, t.took = t.tests+1, t.cases+r.cases, t.took+r.took
	if r.problem != "" {
		t.failed++
	}
	return t
}

// progress reports how far the run has come. It is safe for concurrent use.
type progress struct {
	out     io.Writer
	verbose bool
	begun   time.Time

	mu       sync.Mutex
	open     map[string]int // how many tests of a package are still running
	packages map[string]tally
	all      tally
	ended    int // finished packages
}

func (p *progress) add(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.packages[r.pkg] = p.all.plus(r), p.packages[r.pkg].plus(r)
	if p.verbose {
		fmt.Fprintf(p.out, "%8.2fs  %s.%s, %s\n", r.took.Seconds(), r.pkg, r.name, number(r.cases, "case"))
	}
	if r.problem != "" {
		fmt.Fprintf(p.out, "FAIL  %s.%s\n      %s:%d\n      %s\n", r.pkg, r.name, r.place.File, r.place.Row,
			strings.ReplaceAll(r.problem, "\n", "\n      "))
		if r.printed != "" {
			fmt.Fprintf(p.out, "      it printed:\n%s\n", r.printed)
		}
	}
	if p.open[r.pkg]--; p.open[r.pkg] > 0 {
		return
	}
	p.ended++
	t, verdict := p.packages[r.pkg], "ok  "
	if t.failed > 0 {
		verdict = "FAIL"
	}
	fmt.Fprintf(p.out, "%s  %2d/%d  %-42s %-10s %-10s %6.2fs\n", verdict, p.ended, len(p.open), strings.TrimPrefix(r.pkg, "data."),
		number(t.tests, "test"), number(t.cases, "case"), t.took.Seconds())
}

// end prints the totals and returns the exit code.
func (p *progress) end(interrupted error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%s, %s, %d failed, %.1fs\n", number(p.all.tests, "test"), number(p.all.cases, "case"), p.all.failed, time.Since(p.begun).Seconds())
	if interrupted != nil {
		fmt.Fprintln(p.out, "FAIL  the run was interrupted")
	}
	if p.all.failed > 0 || interrupted != nil {
		return 1
	}
	return 0
}

func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
