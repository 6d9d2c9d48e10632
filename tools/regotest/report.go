package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// report runs the tests and returns the exit code. It prints each failure immediately, and a line
// for each package when its last test has ended.
func (s *suite) report(ctx context.Context, o options, out io.Writer) int {
	p := &progress{out: out, verbose: o.verbose, remaining: map[string]int{}, packages: map[string]tally{}}
	queue := make(chan test, len(s.tests))
	for _, t := range s.tests {
		p.remaining[t.pkg]++
		queue <- t
	}
	close(queue)
	p.start = time.Now()
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
	elapsed              time.Duration // the sum over all tests
}

func (t tally) plus(r result) tally {
	t.tests, t.cases, t.elapsed = t.tests+1, t.cases+r.cases, t.elapsed+r.elapsed
	if r.problem != "" {
		t.failed++
	}
	return t
}

// progress collects and prints results. It is safe for concurrent use.
type progress struct {
	out     io.Writer
	verbose bool
	start   time.Time

	mu        sync.Mutex
	remaining map[string]int // unfinished tests by package
	packages  map[string]tally
	all       tally
	finished  int // packages
}

func (p *progress) add(r result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all, p.packages[r.pkg] = p.all.plus(r), p.packages[r.pkg].plus(r)
	if p.verbose {
		fmt.Fprintf(p.out, "%8.2fs  %s.%s, %s\n", r.elapsed.Seconds(), r.pkg, r.name, plural(r.cases, "case"))
	}
	if r.problem != "" {
		fmt.Fprintf(p.out, "FAIL  %s.%s\n      %s:%d\n      %s\n", r.pkg, r.name, r.location.File, r.location.Row,
			strings.ReplaceAll(r.problem, "\n", "\n      "))
		if r.printed != "" {
			fmt.Fprintf(p.out, "      it printed:\n%s\n", r.printed)
		}
	}
	if p.remaining[r.pkg]--; p.remaining[r.pkg] > 0 {
		return
	}
	p.finished++
	t, verdict := p.packages[r.pkg], "ok  "
	if t.failed > 0 {
		verdict = "FAIL"
	}
	fmt.Fprintf(p.out, "%s  %2d/%d  %-42s %-10s %-10s %6.2fs\n", verdict, p.finished, len(p.remaining), strings.TrimPrefix(r.pkg, "data."),
		plural(t.tests, "test"), plural(t.cases, "case"), t.elapsed.Seconds())
}

// end prints the totals and returns the exit code.
func (p *progress) end(interrupted error) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.out, "%s, %s, %d failed, %.1fs\n", plural(p.all.tests, "test"), plural(p.all.cases, "case"), p.all.failed, time.Since(p.start).Seconds())
	if interrupted != nil {
		fmt.Fprintln(p.out, "FAIL  the run was interrupted")
	}
	if p.all.failed > 0 || interrupted != nil {
		return 1
	}
	return 0
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
