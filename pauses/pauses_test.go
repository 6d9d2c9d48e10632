//go:build unix

package pauses_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/pauses"
)

var _ gavel.PauseKeeper = (*pauses.Store)(nil)

func start() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }

func open(dir string, now *time.Time) *pauses.Store {
	return pauses.Open(dir, func() time.Time { return *now }, slog.New(slog.DiscardHandler), nil)
}

func of(id string, parents ...string) *gavel.AgentFacts {
	facts := &gavel.AgentFacts{ID: id}
	for _, parent := range parents {
		facts.Parents = append(facts.Parents, gavel.ParentFacts{ID: parent})
	}
	return facts
}

func TestAPauseAppliesToTheAgentAndItsDescendantsUntilItEnds(t *testing.T) {
	dir, now := t.TempDir(), start()
	pause := gavel.Pause{Agent: "coder", Since: now, Until: now.Add(time.Hour), Why: "loops", By: "admin"}
	require.NoError(t, open(dir, &now).Pause(t.Context(), pause))
	s := open(dir, &now) // after a restart
	want := gavel.PauseFacts{State: "paused", Agent: "coder", Until: "2026-01-02T04:04:05Z", Why: "loops"}
	assert.Equal(t, want, s.Observe(of("coder")))
	assert.Equal(t, want, s.Observe(of("helper", "x", "coder")))
	assert.Equal(t, gavel.PauseFacts{}, s.Observe(of("main")))
	list, err := s.List()
	require.NoError(t, err)
	assert.Equal(t, []gavel.Pause{pause}, list)
	now = now.Add(time.Hour)
	assert.Equal(t, gavel.PauseFacts{}, s.Observe(of("coder")))
	list, err = s.List()
	require.NoError(t, err)
	assert.Empty(t, list)
}

func TestAPauseOfAllAgentsIsOneOfEach(t *testing.T) {
	dir, now := t.TempDir(), start()
	s := open(dir, &now)
	require.NoError(t, s.Pause(t.Context(), gavel.Pause{Agent: "*", Why: "an incident"}))
	for _, id := range []string{"coder", "main", "nobody knows"} {
		assert.Equal(t, gavel.PauseFacts{State: "paused", Agent: "*", Why: "an incident"}, s.Observe(of(id)), id)
	}
	require.Error(t, s.Pause(t.Context(), gavel.Pause{Agent: "co*", Why: "loops"}), "a pattern would be of nobody")
	was, err := s.Resume(t.Context(), "*")
	require.NoError(t, err)
	assert.True(t, was)
	assert.Equal(t, gavel.PauseFacts{}, s.Observe(of("coder")))
}

func TestAnAgentIsResumedOnce(t *testing.T) {
	dir, now := t.TempDir(), start()
	s := open(dir, &now)
	require.NoError(t, s.Pause(t.Context(), gavel.Pause{Agent: "coder", Why: "loops"}))
	assert.Equal(t, gavel.PauseFacts{State: "paused", Agent: "coder", Why: "loops"}, s.Observe(of("coder")))
	other := open(dir, &now)
	was, err := other.Resume(t.Context(), "coder")
	require.NoError(t, err)
	assert.True(t, was)
	assert.Equal(t, gavel.PauseFacts{}, s.Observe(of("coder")), "another process resumed it")
	was, err = other.Resume(t.Context(), "coder")
	require.NoError(t, err)
	assert.False(t, was)
	info, err := os.Stat(filepath.Join(dir, "agents.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

func TestAnUnusableFilePausesAllAgentsAndIsNotChanged(t *testing.T) {
	for name, text := range map[string]string{
		"empty":              "",
		"no JSON":            "{",
		"of another version": `{"version":2,"paused":[]}`,
		"with unknown keys":  `{"version":1,"paused":[],"x":1}`,
		"without a list":     `{"version":1}`,
		"without a reason":   `{"version":1,"paused":[{"agent":"a","since":"2026-01-02T03:04:05Z","why":"","by":""}]}`,
		"without an agent":   `{"version":1,"paused":[{"agent":"","since":"2026-01-02T03:04:05Z","why":"x","by":""}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir, now := t.TempDir(), start()
			path := filepath.Join(dir, "agents.json")
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			s := open(dir, &now)
			assert.Equal(t, gavel.PauseUnknown, s.Observe(of("main")).State)
			_, err := s.List()
			require.ErrorContains(t, err, path)
			require.Error(t, s.Pause(t.Context(), gavel.Pause{Agent: "coder", Why: "loops"}))
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, text, string(after))
		})
	}
}

func TestAnInvalidPauseIsRefused(t *testing.T) {
	dir, now := t.TempDir(), start()
	for name, pause := range map[string]gavel.Pause{
		"no agent":          {Why: "x"},
		"no reason":         {Agent: "a", Why: " "},
		"capitals":          {Agent: "A", Why: "x"},
		"a very long story": {Agent: "a", Why: strings.Repeat("x", 1001)},
	} {
		require.Error(t, open(dir, &now).Pause(t.Context(), pause), name)
	}
	assert.NoFileExists(t, filepath.Join(dir, "agents.json"))
}

// An agent has one spelling everywhere; otherwise a pause would be of nobody.
func TestAnAgentWithAnyNameCanBePaused(t *testing.T) {
	dir, now := t.TempDir(), start()
	s := open(dir, &now)
	for _, id := range []string{"Coder", "\u0130x", "\u212Aelvin", "\u00c4rger"} {
		require.NoError(t, s.Pause(t.Context(), gavel.Pause{Agent: gavel.Fold(id), Why: "loops"}), id)
		assert.Equal(t, gavel.PausePaused, s.Observe(of(gavel.Fold(id))).State, id)
	}
}
