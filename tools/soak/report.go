package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gavel"
)

// sum contains the counters of a ledger.
type sum struct {
	calls, requests, faults, events       int
	checked, gone                         int
	allowed, asked, denied                int
	opened, answered, denials, used, late int // approvals that a caller waited for
	revisions                             int
	configurations                        map[int]bool // the configurations that answered
	mean, most, usual                     time.Duration
}

func (l *ledger) sum() sum {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := sum{calls: l.calls, checked: l.checked, gone: l.gone, requests: len(l.latencies), events: l.events, revisions: len(l.seen), configurations: map[int]bool{},
		allowed: l.effects[gavel.Allow], asked: l.effects[gavel.Ask], denied: l.effects[gavel.Deny]}
	for _, times := range l.faults {
		s.faults += times
	}
	for _, effects := range l.seen {
		if i := l.configuration(effects); i >= 0 {
			s.configurations[i] = true
		}
	}
	for _, q := range l.questions {
		s.question(*q)
	}
	if len(l.latencies) > 0 {
		sorted := slices.Sorted(slices.Values(l.latencies))
		s.most, s.usual = sorted[len(sorted)-1], sorted[len(sorted)*99/100]
		for _, took := range sorted {
			s.mean += took
		}
		s.mean /= time.Duration(len(sorted))
	}
	return s
}

func (s *sum) question(q question) {
	s.opened++
	s.used += q.used
	switch {
	case q.taken && q.answer == gavel.DenyAnswer:
		s.denials++
	case q.taken:
		s.answered++
	case q.state == gavel.ApprovalExpired:
		s.late++
	}
}

// conclude writes the report and returns every problem. stopped is the result of stopping the
// server.
func (s *soak) conclude(stopped error) []string {
	problems := s.book.problems()
	total := s.book.sum()
	logged, err := logLines(s.server.state)
	s.report(total, logged)
	if err != nil {
		problems = append(problems, err.Error())
	}
	if logged != total.calls+total.gone {
		problems = append(problems, fmt.Sprintf("the decision log has %d decisions, the clients got %d and left %d alone", logged, total.calls, total.gone))
	}
	problems = append(problems, idle(total, s.last, s.length)...)
	problems = append(problems, leaks(s.samples)...)
	problems = append(problems, residue(s.before, s.after)...)
	text, err := os.ReadFile(s.server.log)
	if err != nil {
		problems = append(problems, err.Error())
	}
	problems = append(problems, complaints(text)...)
	if stopped != nil {
		problems = append(problems, stopped.Error())
	}
	return problems
}

// idle returns what was not exercised, because a soak in which nothing happens proves nothing.
func idle(total sum, last sample, length time.Duration) []string {
	var list []string
	for what, enough := range map[string]bool{
		"an effect was never decided":                               total.allowed > 0 && total.asked > 0 && total.denied > 0,
		"a configuration never answered":                            len(total.configurations) == len(configurations()),
		"no answer was used, nobody denied, or no question expired": total.used > 0 && total.denials > 0 && total.late > 0,
		"no verifier was asked, or nobody left it":                  total.checked > len(manners()) && total.gone > 0,
		"no event was heard":                                        total.events > 0,
		"less than one reload in ten seconds":                       last.reloads >= length.Seconds()/10,
	} {
		if !enough {
			list = append(list, fmt.Sprintf("too little happened: %s; see the report", what))
		}
	}
	slices.Sort(list)
	return list
}

// logLines counts the decisions in all files of the log. Other events have separate lines
// without the id of a decision.
func logLines(state string) (int, error) {
	files, err := filepath.Glob(filepath.Join(state, "decisions*"))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("there is no decision log in %s", state)
	}
	n := 0
	for _, name := range files {
		in, err := os.Open(name)
		if err != nil {
			return n, fmt.Errorf("read the decision log: %w", err)
		}
		for reader := bufio.NewReader(in); err == nil; {
			var line []byte
			if line, err = reader.ReadBytes('\n'); bytes.Contains(line, []byte(`"decision_id"`)) {
				n++
			}
		}
		_ = in.Close() // it was only read
		if !errors.Is(err, io.EOF) {
			return n, fmt.Errorf("read the decision log: %w", err)
		}
	}
	return n, nil
}

// complaints returns the errors and panics that the server logged, except those about the
// unusable policies that it was given.
func complaints(log []byte) []string {
	var list []string
	for line := range strings.Lines(string(log)) {
		var entry struct{ Level, Msg string }
		err := json.Unmarshal([]byte(line), &entry)
		if err != nil || entry.Level != "INFO" && !strings.HasPrefix(entry.Msg, "the policy is not usable") {
			list = append(list, "the server's log says: "+strings.TrimSpace(line))
		}
	}
	return list[:min(len(list), kept)]
}

// report writes the measurements for people.
func (s *soak) report(t sum, logged int) {
	line := func(name, format string, args ...any) {
		fmt.Printf("%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	seconds := s.length.Seconds()
	line("time", "%s, growth measured in the last two thirds", s.length)
	line("calls", "%d, %.0f a second, in %d requests", t.calls, float64(t.calls)/seconds, t.requests)
	line("effects", "%d allowed, %d asked, %d denied", t.allowed, t.asked, t.denied)
	line("log", "%d decisions", logged)
	line("latency", "%s mean, %s of 99 in 100, %s at most", rounded(t.mean), rounded(t.usual), rounded(t.most))
	line("policy", "%d changes, %.0f reloads, %.0f not usable, %d revisions answered", s.changes.Load(), s.last.reloads, s.last.failures, t.revisions)
	line("approvals", "%d waited for: %d approved, %d denied, %d expired; %d used", t.opened, t.answered, t.denials, t.late, t.used)
	line("verifier", "%d calls decided with it, %d callers went while it was asked", t.checked, t.gone)
	line("events", "%d heard", t.events)
	line("at rest", "%.0f goroutines before, %.0f after; %.0f open files before, %.0f after",
		s.before.goroutines, s.after.goroutines, s.before.descriptors, s.after.descriptors)
	line("problems", "%d", t.faults)
	fmt.Printf("\n%-12s %10s %10s %14s %10s %10s\n", "", "first", "last", "a minute", "growth", "bound")
	for _, g := range trends(s.samples) {
		most := "none"
		if g.most > 0 {
			most = fmt.Sprintf("%.0f", g.most)
		}
		fmt.Printf("%-12s %10.1f %10.1f %+14.2f %+10.2f %10s %s\n", g.name, g.first, g.last, g.slope, g.growth, most, g.unit)
	}
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
