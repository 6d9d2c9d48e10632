package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wave returns samples, one per second, of a process whose usage rises and falls, and grows by this
// much per minute.
func wave(seconds int, grow sample) []sample {
	var list []sample
	for i := range seconds {
		at := time.Duration(i) * time.Second
		wave := math.Abs(math.Sin(float64(i)))
		list = append(list, sample{at: at, heap: 50 + 40*wave + grow.heap*at.Minutes(), goroutines: 55 + 9*wave + grow.goroutines*at.Minutes(),
			descriptors: 40 + 3*wave + grow.descriptors*at.Minutes()})
	}
	return list
}

func TestSlopeOfALine(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 3, slope([]point{{0, 1}, {1, 4}, {2, 7}}), 1e-9)
	assert.InDelta(t, -1, slope([]point{{0, 5}, {1, 3}, {2, 3}}), 1e-9)
	assert.Zero(t, slope([]point{{0, 5}}))
	assert.Zero(t, slope(nil))
}

func TestFloorsAreTheMinimaOfWindows(t *testing.T) {
	t.Parallel()
	samples := wave(12, sample{})
	samples[3].heap, samples[7].heap, samples[11].heap = 7, 8, 1
	found := floors(samples, func(s sample) float64 { return s.heap })
	require.Len(t, found, 2)
	assert.Equal(t, []float64{7, 8}, []float64{found[0].value, found[1].value})
	assert.InDelta(t, 2.0/60, found[0].at, 1e-9)
}

func TestLeaksAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seconds int
		grow    sample
		want    string // "" means no growth
	}{
		"half a minute at rest":          {20, sample{}, ""},
		"six minutes at rest":            {360, sample{}, ""},
		"a goroutine for each call":      {20, sample{goroutines: 24000}, "goroutines"},
		"a descriptor for each reload":   {20, sample{descriptors: 120}, "open files"},
		"a policy for each reload":       {20, sample{heap: 1200}, "heap"},
		"two goroutines for each reload": {20, sample{goroutines: 180}, "goroutines"},
		"a goroutine every half minute":  {360, sample{goroutines: 2}, "goroutines"},
		"a descriptor a minute":          {360, sample{descriptors: 1}, "open files"},
		"100 bytes a call":               {360, sample{heap: 1.6}, "heap"},
		"shrinking usage":                {360, sample{heap: -5, goroutines: -5, descriptors: -5}, ""},
		"too few samples":                {9, sample{}, "samples"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := leaks(wave(c.seconds, c.grow))
			if c.want == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.Contains(t, found[0], c.want)
		})
	}
}

func TestGrowthAtRestIsFound(t *testing.T) {
	t.Parallel()
	before := sample{goroutines: 27, descriptors: 17}
	assert.Empty(t, restGrowth(before, sample{goroutines: 29, descriptors: 18}))
	assert.Empty(t, restGrowth(before, sample{goroutines: 20, descriptors: 10}))
	assert.Len(t, restGrowth(before, sample{goroutines: 32, descriptors: 17}), 1)
	assert.Len(t, restGrowth(before, sample{goroutines: 27, descriptors: 22}), 1)
	assert.Len(t, restGrowth(before, sample{goroutines: 40, descriptors: 40}), 2)
}

// complete returns the totals of a run in which everything happened.
func complete() totals {
	return totals{allowed: 1, asked: 1, denied: 1, used: 1, denials: 1, expired: 1, events: 1, configurations: map[int]bool{0: true, 1: true}, verified: 100, abandoned: 1}
}

func TestASoakThatExercisesTooLittleFails(t *testing.T) {
	t.Parallel()
	busy := sample{reloads: 3}
	assert.Empty(t, unexercised(complete(), busy, 30*time.Second))
	assert.Len(t, unexercised(complete(), sample{reloads: 2}, 30*time.Second), 1)
	for name, remove := range map[string]func(*totals){
		"nothing was allowed": func(s *totals) { s.allowed = 0 },
		"nobody was asked":    func(s *totals) { s.asked = 0 },
		"one configuration":   func(s *totals) { s.configurations = map[int]bool{1: true} },
		"no answer was used":  func(s *totals) { s.used = 0 },
		"nobody denied":       func(s *totals) { s.denials = 0 },
		"no question expired": func(s *totals) { s.expired = 0 },
		"no events":           func(s *totals) { s.events = 0 },
		"no verifier decided": func(s *totals) { s.verified = 0 },
		"no abandoned call":   func(s *totals) { s.abandoned = 0 },
	} {
		s := complete()
		remove(&s)
		assert.Len(t, unexercised(s, busy, 30*time.Second), 1, name)
	}
}

func TestProblemsInTheServerLogAreFound(t *testing.T) {
	t.Parallel()
	assert.Empty(t, logProblems([]byte(`{"level":"INFO","msg":"policy in force"}
{"level":"ERROR","msg":"the policy is not usable; the last good one stays in force"}
`)))
	assert.Len(t, logProblems([]byte(`{"level":"ERROR","msg":"panic while deciding"}`)), 1)
	assert.Len(t, logProblems([]byte(`{"level":"WARN","msg":"http: something"}`)), 1)
	assert.Len(t, logProblems([]byte("panic: runtime error\ngoroutine 1\n")), 2)
}

func TestAllDecisionLogFilesAreCounted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := logLines(dir)
	require.Error(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "decisions.jsonl"), []byte("{\"decision_id\":\"1\"}\n{\"type\":\"audit\"}\n{\"decision_id\":\"2\"}\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "decisions-2026.jsonl"), []byte("{\"decision_id\":\"3\"}\n"), 0o600))
	n, err := logLines(dir)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
}

// Every check of conclude fails in this run.
func TestTheConclusionIncludesEveryCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "decisions.jsonl"), []byte("{\"decision_id\":\"3\"}\n"), 0o600))
	log := filepath.Join(dir, "server.log")
	require.NoError(t, os.WriteFile(log, []byte("panic: no\n"), 0o600))
	s := &soak{server: &serverProcess{state: dir, log: log}, ledger: newLedger(), length: time.Minute, samples: wave(360, sample{goroutines: 60}),
		after: sample{descriptors: 99}}
	s.ledger.report(mixedRevisions, "example")
	found := s.conclude(errors.New("the server did not exit with 0"))
	for _, want := range []string{mixedRevisions, "the decision log has 1", "exercised too little", "goroutines", "open files: 0 at rest", "panic", "exit with 0"} {
		assert.Contains(t, strings.Join(found, "\n"), want)
	}
}
