package approvals_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/approvals"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// clock is a wall clock that tests set.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) step(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// patterns is an allowlist that remembers what was added.
type patterns struct {
	mu    sync.Mutex
	added map[string][]string
	err   error
}

func (p *patterns) Allow(_ context.Context, agent string, list []gavel.OfferedPattern) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil {
		return p.err
	}
	if p.added == nil {
		p.added = map[string][]string{}
	}
	for _, entry := range list {
		p.added[agent] = append(p.added[agent], entry.Pattern)
	}
	return nil
}

// desk is a manager with everything that it works with.
type desk struct {
	*approvals.Manager
	clock    *clock
	store    approvals.Store
	patterns *patterns
	ids      int
}

// ids are made so that some begin alike.
func (d *desk) newID() string {
	d.ids++
	return fmt.Sprintf("0000000%d-aaaa-4000-8000-%012d", d.ids/10, d.ids)
}

func newDesk(t testing.TB, change func(*approvals.Config)) *desk {
	t.Helper()
	d := &desk{clock: newClock(), store: approvals.NewInMemory(), patterns: &patterns{}}
	var mu sync.Mutex
	cfg := approvals.Config{Store: d.store, Now: d.clock.Now, Allowlist: d.patterns,
		NewID:    func() string { mu.Lock(); defer mu.Unlock(); return d.newID() },
		Script:   func(string) (string, error) { return "", nil },
		Identify: func(path string) (string, string, bool) { return "1", fmt.Sprint(len(path)), true }}
	if change != nil {
		change(&cfg)
		d.store = cfg.Store
	}
	m, err := approvals.Open(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(m.Close)
	d.Manager = m
	return d
}

// question is an exec call that would run rg, by an agent of the gateway.
func question(change ...func(*gavel.Facts, *gavel.Decision)) gavel.Question {
	facts := &gavel.Facts{
		Agent:   gavel.AgentFacts{ID: "main"},
		Session: gavel.SessionFacts{Key: "agent:main:main"},
		Tool:    gavel.ToolFacts{Name: "exec", Params: map[string]any{"command": "rg TODO"}},
		Exec: &gavel.ExecFacts{Command: "rg TODO", Shell: "bash", Workdir: "/srv/app", Parsed: true, Rendered: "'/usr/bin/rg' 'TODO'",
			Segments: []gavel.Segment{segment("/usr/bin/rg", "rg", "TODO")}},
	}
	decision := &gavel.Decision{Effect: gavel.Ask, Reasons: []gavel.Reason{{Code: "exec.allowlist_miss"}}, Revision: "r1",
		Exec: &gavel.Exec{Host: "gateway", Command: "'/usr/bin/rg' 'TODO'", Segments: []gavel.ExecSegment{{Argv: []string{"/usr/bin/rg", "TODO"}}}},
		Terms: &gavel.Terms{Answers: []gavel.Answer{gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer},
			Offer: []string{"/usr/bin/rg"}, TimeoutMs: 120_000, Quorum: 1}}
	for _, f := range change {
		f(facts, decision)
	}
	return gavel.Question{Facts: facts, Decision: decision, Caller: "gateway"}
}

func segment(real string, argv ...string) gavel.Segment {
	return gavel.Segment{Argv: argv, Executable: gavel.Executable{Name: argv[0], Path: real, Real: real, RealName: filepath.Base(real), Found: true}}
}

// other makes a question another one, by its argument.
func other(n int) func(*gavel.Facts, *gavel.Decision) {
	return func(f *gavel.Facts, d *gavel.Decision) {
		f.Exec.Segments[0].Argv = []string{"rg", fmt.Sprint(n)}
		d.Exec.Command = fmt.Sprintf("'/usr/bin/rg' '%d'", n)
	}
}

func (d *desk) opened(t testing.TB, q gavel.Question) gavel.Approval {
	t.Helper()
	a, err := d.Open(t.Context(), q)
	require.NoError(t, err)
	return a
}

func (d *desk) answered(t testing.TB, id, answer string) gavel.Approval {
	t.Helper()
	a, err := d.Resolve(t.Context(), approvals.Resolution{ID: id, Answer: answer, By: "approve"})
	require.NoError(t, err)
	return a
}

// code is the code of an error about approvals.
func code(err error) string {
	var known *gavel.ApprovalError
	if errors.As(err, &known) {
		return known.Code
	}
	return fmt.Sprint(err)
}

// onDisk opens a store in a directory of the test's own.
func onDisk(t testing.TB, path string) *approvals.OnDisk {
	t.Helper()
	s, err := approvals.OpenOnDisk(path)
	require.NoError(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}
