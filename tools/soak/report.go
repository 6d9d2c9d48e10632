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

// totals contains the counters of a ledger.
type totals struct {
	calls, requests, failures, events        int
	verified, abandoned, retries             int
	allowed, asked, denied                   int
	opened, answered, denials, used, expired int // approvals that a caller waited for
	revisions                                int
	configurations                           map[int]bool // those that decided a probe, by index
	meanLatency, maxLatency, p99Latency      time.Duration
}

func (l *ledger) totals() totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := totals{calls: l.calls, verified: l.verifiedCalls, abandoned: l.abandoned, retries: l.retries, requests: len(l.latencies), events: l.events, revisions: len(l.effectsByRevision), configurations: map[int]bool{},
		allowed: l.effects[gavel.Allow], asked: l.effects[gavel.Ask], denied: l.effects[gavel.Deny]}
	for _, count := range l.failures {
		s.failures += count
	}
	for _, effects := range l.effectsByRevision {
		if i := l.findConfiguration(effects); i >= 0 {
			s.configurations[i] = true
		}
	}
	for _, q := range l.questions {
		s.addQuestion(*q)
	}
	if len(l.latencies) > 0 {
		sorted := slices.Sorted(slices.Values(l.latencies))
		s.maxLatency, s.p99Latency = sorted[len(sorted)-1], sorted[len(sorted)*99/100]
		for _, latency := range sorted {
			s.meanLatency += latency
		}
		s.meanLatency /= time.Duration(len(sorted))
	}
	return s
}

func (s *totals) addQuestion(q question) {
	s.opened++
	s.used += q.used
	switch {
	case q.accepted && q.answer == gavel.DenyAnswer:
		s.denials++
	case q.accepted:
		s.answered++
	case q.state == gavel.ApprovalExpired:
		s.expired++
	}
}

// conclude prints the report and returns all problems. stopped is the result of stopping the
// server.
func (s *soak) conclude(stopped error) []string {
	problems := s.ledger.problems()
	total := s.ledger.totals()
	logged, err := logLines(s.server.state)
	s.report(total, logged)
	if err != nil {
		problems = append(problems, err.Error())
	}
	if logged != total.calls+total.abandoned {
		problems = append(problems, fmt.Sprintf("the decision log has %d decisions, but clients received %d and abandoned %d", logged, total.calls, total.abandoned))
	}
	if s.length >= reliableLength && total.retries > total.requests/100 {
		problems = append(problems, fmt.Sprintf("the server had no turn for %d of %d requests", total.retries, total.requests))
	}
	problems = append(problems, unexercised(total, s.last, s.length)...)
	problems = append(problems, leaks(s.samples)...)
	problems = append(problems, restGrowth(s.before, s.after)...)
	text, err := os.ReadFile(s.server.log)
	if err != nil {
		problems = append(problems, err.Error())
	}
	problems = append(problems, logProblems(text)...)
	if stopped != nil {
		problems = append(problems, stopped.Error())
	}
	return problems
}

// unexercised returns what the run did not exercise, because a run in which too little happens
// proves nothing.
func unexercised(total totals, last sample, length time.Duration) []string {
	var list []string
	for what, enough := range map[string]bool{
		"an effect was never decided":                               total.allowed > 0 && total.asked > 0 && total.denied > 0,
		"a configuration never decided a probe":                     len(total.configurations) == len(configurations()),
		"no answer was used, none was deny, or no question expired": total.used > 0 && total.denials > 0 && total.expired > 0,
		"no call needed the verifier, or none was abandoned":        total.verified > len(verifierModes()) && total.abandoned > 0,
		"no event was received":                                     total.events > 0,
		"less than one reload in ten seconds":                       last.reloads >= length.Seconds()/10,
	} {
		if !enough {
			list = append(list, fmt.Sprintf("the run exercised too little: %s; see the report", what))
		}
	}
	slices.Sort(list)
	return list
}

// logLines counts the decisions in all files of the decision log. Lines without the id of a
// decision are other events.
func logLines(state string) (int, error) {
	files, err := filepath.Glob(filepath.Join(state, "decisions*"))
	if err != nil || len(files) == 0 {
		return 0, fmt.Errorf("%s has no decision log", state)
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

// logProblems returns the errors and panics in the server's log, except errors about the invalid
// policies of this test.
func logProblems(log []byte) []string {
	var list []string
	for line := range strings.Lines(string(log)) {
		var entry struct{ Level, Msg string }
		err := json.Unmarshal([]byte(line), &entry)
		if err != nil || entry.Level != "INFO" && !strings.HasPrefix(entry.Msg, "the policy is not usable") {
			list = append(list, "the server's log has: "+strings.TrimSpace(line))
		}
	}
	return list[:min(len(list), maxExamples)]
}

// report prints the measurements.
func (s *soak) report(t totals, logged int) {
	line := func(name, format string, args ...any) {
		fmt.Printf("%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	seconds := s.length.Seconds()
	line("time", "%s, growth measured in the last two thirds", s.length)
	line("calls", "%d, %.0f a second, in %d requests; %d sent again", t.calls, float64(t.calls)/seconds, t.requests, t.retries)
	line("effects", "%d allowed, %d asked, %d denied", t.allowed, t.asked, t.denied)
	line("log", "%d decisions", logged)
	line("latency", "mean %s, p99 %s, max %s", rounded(t.meanLatency), rounded(t.p99Latency), rounded(t.maxLatency))
	line("policy", "%d changes, %.0f reloads, %.0f failed reloads, %d revisions decided", s.changes.Load(), s.last.reloads, s.last.failures, t.revisions)
	line("approvals", "%d waited for: %d approved, %d denied, %d expired; %d used", t.opened, t.answered, t.denials, t.expired, t.used)
	line("verifier", "%d calls decided with it, %d abandoned", t.verified, t.abandoned)
	line("events", "%d received", t.events)
	line("at rest", "%.0f goroutines before, %.0f after; %.0f open files before, %.0f after",
		s.before.goroutines, s.after.goroutines, s.before.descriptors, s.after.descriptors)
	line("problems", "%d", t.failures)
	fmt.Printf("\n%-12s %10s %10s %14s %10s %10s\n", "", "first", "last", "per minute", "growth", "bound")
	for _, g := range trends(s.samples) {
		limit := "none"
		if g.limit > 0 {
			limit = fmt.Sprintf("%.0f", g.limit)
		}
		fmt.Printf("%-12s %10.1f %10.1f %+14.2f %+10.2f %10s %s\n", g.name, g.first, g.last, g.slope, g.growth, limit, g.unit)
	}
}

func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }
