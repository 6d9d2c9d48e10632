//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"gavel"
)

// tally counts events. It is safe for concurrent use.
type tally struct {
	mu        sync.Mutex
	commands  int
	decisions map[string]map[gavel.Effect]int // by dialect
	runs      map[string]int                  // by shell
	programs  int                             // programs that ran
	rendered  map[string]int                  // runs of exec.command, by problem
	originals map[string]int                  // runs of original texts, by problem
	skipped   int                             // texts that could not be run
	denied    int                             // commands that gavel run refused
	timeouts  int
}

func newTally() *tally {
	return &tally{decisions: map[string]map[gavel.Effect]int{}, runs: map[string]int{},
		rendered: map[string]int{}, originals: map[string]int{}}
}

func (t *tally) count(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f()
}

func (t *tally) command() { t.count(func() { t.commands++ }) }
func (t *tally) skip()    { t.count(func() { t.skipped++ }) }
func (t *tally) refused() { t.count(func() { t.denied++ }) }
func (t *tally) timeout() { t.count(func() { t.timeouts++ }) }

func (t *tally) decided(dialect string, d gavel.Decision) {
	t.count(func() {
		if t.decisions[dialect] == nil {
			t.decisions[dialect] = map[gavel.Effect]int{}
		}
		t.decisions[dialect][d.Effect]++
	})
}

func (t *tally) executed(shell string, did outcome) {
	t.count(func() { t.runs[shell]++; t.programs += len(did.ran) })
}

func (t *tally) compared(original bool, problem string) {
	t.count(func() {
		if original {
			t.originals[problem]++
		} else {
			t.rendered[problem]++
		}
	})
}

// report prints the counters.
func (t *tally) report(out io.Writer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(out, "commands   %d\n", t.commands)
	for _, dialect := range dialects() {
		if by := t.decisions[dialect]; by != nil {
			fmt.Fprintf(out, "decisions  %-5s %d allowed, %d denied\n", dialect, by[gavel.Allow], by[gavel.Deny]+by[gavel.Ask])
		}
	}
	total := 0
	var shells []string
	for _, name := range slices.Sorted(maps.Keys(t.runs)) {
		shells = append(shells, fmt.Sprintf("%s %d", name, t.runs[name]))
		total += t.runs[name]
	}
	fmt.Fprintf(out, "runs       %d (%s), %d programs ran, %d timeouts, %d texts not runnable\n",
		total, strings.Join(shells, ", "), t.programs, t.timeouts, t.skipped)
	if t.denied > 0 {
		fmt.Fprintf(out, "refused    %d by gavel run\n", t.denied)
	}
	fmt.Fprintf(out, "exec.command   %s\n", problems(t.rendered))
	fmt.Fprintf(out, "original text  %s (a shell runs builtins before programs)\n", problems(t.originals))
}

func problems(by map[string]int) string {
	parts := []string{fmt.Sprintf("%d exactly as allowed", by[""])}
	for _, problem := range slices.Sorted(maps.Keys(by)) {
		if problem != "" {
			parts = append(parts, fmt.Sprintf("%d: %s", by[problem], problem))
		}
	}
	return strings.Join(parts, "; ")
}
