package main

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// taken is a sample a second of a process that goes up and down and, when it is told
// to, grows by the minute.
func taken(seconds int, grow sample) []sample {
	var list []sample
	for i := range seconds {
		at := time.Duration(i) * time.Second
		wave := math.Abs(math.Sin(float64(i)))
		list = append(list, sample{at: at, heap: 50 + 40*wave + grow.heap*at.Minutes(), goroutines: 55 + 9*wave + grow.goroutines*at.Minutes(),
			descriptors: 40 + 3*wave + grow.descriptors*at.Minutes()})
	}
	return list
}

func TestTheSlopeFitsThePoints(t *testing.T) {
	t.Parallel()
	assert.InDelta(t, 3, slope([]point{{0, 1}, {1, 4}, {2, 7}}), 1e-9)
	assert.InDelta(t, -1, slope([]point{{0, 5}, {1, 3}, {2, 3}}), 1e-9)
	assert.Zero(t, slope([]point{{0, 5}}))
	assert.Zero(t, slope(nil))
}

func TestAFloorIsTheSmallestSampleOfItsWindow(t *testing.T) {
	t.Parallel()
	samples := taken(12, sample{})
	samples[3].heap, samples[7].heap, samples[11].heap = 7, 8, 1
	found := floors(samples, func(s sample) float64 { return s.heap })
	require.Len(t, found, 2)
	assert.Equal(t, []float64{7, 8}, []float64{found[0].value, found[1].value})
	assert.InDelta(t, 2.0/60, found[0].at, 1e-9)
}

func TestGrowthIsFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		seconds int
		grow    sample
		want    string // "" is: nothing grows
	}{
		"half a minute at rest":                    {20, sample{}, ""},
		"six minutes at rest":                      {360, sample{}, ""},
		"a goroutine for each call":                {20, sample{goroutines: 24000}, "goroutines"},
		"a descriptor for each reload":             {20, sample{descriptors: 120}, "open files"},
		"a policy kept with each reload":           {20, sample{heap: 1200}, "heap"},
		"two goroutines for each reload":           {20, sample{goroutines: 180}, "goroutines"},
		"a goroutine every half minute":            {360, sample{goroutines: 2}, "goroutines"},
		"a descriptor a minute":                    {360, sample{descriptors: 1}, "open files"},
		"100 bytes a call":                         {360, sample{heap: 1.6}, "heap"},
		"what shrinks is not a leak":               {360, sample{heap: -5, goroutines: -5, descriptors: -5}, ""},
		"nothing can be said of so little samples": {9, sample{}, "samples"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := leaks(taken(c.seconds, c.grow))
			if c.want == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.Contains(t, found[0], c.want)
		})
	}
}

func TestALeakWithoutTrafficIsFound(t *testing.T) {
	t.Parallel()
	before := sample{goroutines: 27, descriptors: 17}
	assert.Empty(t, residue(before, sample{goroutines: 29, descriptors: 18}))
	assert.Empty(t, residue(before, sample{goroutines: 20, descriptors: 10}))
	assert.Len(t, residue(before, sample{goroutines: 32, descriptors: 17}), 1)
	assert.Len(t, residue(before, sample{goroutines: 27, descriptors: 22}), 1)
	assert.Len(t, residue(before, sample{goroutines: 40, descriptors: 40}), 2)
}

// plenty is a soak in which everything happened.
func plenty() sum {
	return sum{allowed: 1, asked: 1, denied: 1, used: 1, denials: 1, late: 1, events: 1, configurations: map[int]bool{0: true, 1: true}, checked: 100, gone: 1}
}

func TestASoakWithLittleTrafficFails(t *testing.T) {
	t.Parallel()
	busy := sample{reloads: 3}
	assert.Empty(t, idle(plenty(), busy, 30*time.Second))
	assert.Len(t, idle(plenty(), sample{reloads: 2}, 30*time.Second), 1)
	for name, lack := range map[string]func(*sum){
		"nothing was allowed":  func(s *sum) { s.allowed = 0 },
		"nobody was asked":     func(s *sum) { s.asked = 0 },
		"one configuration":    func(s *sum) { s.configurations = map[int]bool{1: true} },
		"no answer was used":   func(s *sum) { s.used = 0 },
		"nobody denied":        func(s *sum) { s.denials = 0 },
		"no question expired":  func(s *sum) { s.late = 0 },
		"listeners heard none": func(s *sum) { s.events = 0 },
		"no verifier decided":  func(s *sum) { s.checked = 0 },
		"no caller went":       func(s *sum) { s.gone = 0 },
	} {
		s := plenty()
		lack(&s)
		assert.Len(t, idle(s, busy, 30*time.Second), 1, name)
	}
}

func TestTheServersOwnLogIsRead(t *testing.T) {
	t.Parallel()
	assert.Empty(t, complaints([]byte(`{"level":"INFO","msg":"policy in force"}
{"level":"ERROR","msg":"the policy is not usable; the last good one stays in force"}
`)))
	assert.Len(t, complaints([]byte(`{"level":"ERROR","msg":"panic while deciding"}`)), 1)
	assert.Len(t, complaints([]byte(`{"level":"WARN","msg":"http: something"}`)), 1)
	assert.Len(t, complaints([]byte("panic: runtime error\ngoroutine 1\n")), 2)
}

func TestEveryFileOfTheDecisionLogIsCounted(t *testing.T) {
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

// A run that counted everything fails for each thing that was not as it must be.
func TestTheConclusionHasEveryCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "decisions.jsonl"), []byte("{\"decision_id\":\"3\"}\n"), 0o600))
	log := filepath.Join(dir, "server.log")
	require.NoError(t, os.WriteFile(log, []byte("panic: no\n"), 0o600))
	s := &soak{server: &served{state: dir, log: log}, book: newLedger(), length: time.Minute, samples: taken(360, sample{goroutines: 60}),
		after: sample{descriptors: 99}}
	s.book.wrong(mixed, "planted")
	found := s.conclude(errors.New("the server did not exit with 0"))
	for _, want := range []string{mixed, "the decision log has 1", "too little happened", "goroutines", "open files: 0 at rest", "panic", "exit with 0"} {
		assert.Contains(t, join(found), want)
	}
}

func join(list []string) (all string) {
	for _, one := range list {
		all += one + "\n"
	}
	return all
}
