package bundles

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	oparego "github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	shipped "gavel/rego"
)

func TestAReleasedValueIsMadeOnceForEverybodyWhoNeedsIt(t *testing.T) {
	t.Parallel()
	var made atomic.Int64
	b := &briefly[int64]{create: func() (int64, error) { return made.Add(1), nil }}
	b.put(100)
	value, err := b.get()
	require.NoError(t, err)
	assert.Equal(t, int64(100), value)
	for n := range int64(3) {
		b.release()
		var all sync.WaitGroup
		for range 20 {
			all.Go(func() {
				value, err := b.get()
				assert.NoError(t, err)
				assert.Equal(t, n+1, value)
			})
		}
		all.Wait()
	}
	b.drop()
	value, err = b.get()
	require.NoError(t, err)
	assert.Equal(t, int64(4), value)
}

func TestASlowValueIsMadeForTheNextCaller(t *testing.T) {
	t.Parallel()
	finish := make(chan struct{})
	b := &briefly[string]{create: func() (string, error) { <-finish; return "made", nil }}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.within(ctx)
	require.ErrorIs(t, err, context.Canceled)
	close(finish)
	value, err := b.get()
	require.NoError(t, err)
	assert.Equal(t, "made", value)
	value, err = b.within(ctx)
	require.NoError(t, err, "what is made costs no time")
	assert.Equal(t, "made", value)
}

func TestAValueThatCouldNotBeMadeIsTriedAgain(t *testing.T) {
	t.Parallel()
	var tries atomic.Int64
	b := &briefly[string]{create: func() (string, error) {
		switch tries.Add(1) {
		case 1:
			return "", errors.New("not now")
		case 2:
			panic("never")
		}
		return "made", nil
	}}
	for _, want := range []string{"not now", "panic: never"} {
		_, err := b.get()
		require.EqualError(t, err, want)
	}
	value, err := b.get()
	require.NoError(t, err)
	assert.Equal(t, "made", value)
}

// has reports whether there is a value, and whether it was released.
func (b *briefly[T]) has() (value, released bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.current != nil, b.released
}

// rests reports whether a store has let go of what a snapshot seldom needs.
func (s *Snapshot) rests() bool {
	_, parts := s.parts.has()
	_, queries := s.queries.has()
	return parts && queries
}

// holdsRules reports whether a snapshot has parsed rules, or queries for topdown.
func (s *Snapshot) holdsRules() bool {
	parts, _ := s.parts.has()
	queries, _ := s.queries.has()
	return parts || queries
}

func TestAStoreKeepsParsedRulesOnlyForThoseWhoNeedThem(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
	write("agents: {main: {}}\n")
	store, err := Open(t.Context(), Config{Path: path, Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
		FactsSchema: shipped.FactsSchema, Default: shipped.DefaultConfig, Now: time.Now})
	require.NoError(t, err)
	inForce := func() *Snapshot {
		s := store.current.Load()
		require.Eventually(t, func() bool { return s.rests() }, time.Minute, time.Millisecond)
		return s
	}
	facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "read"}}
	first := inForce()
	plain := first.Decide(t.Context(), facts, false)
	assert.False(t, first.holdsRules(), "a decision needs no parsed rules")
	explained := first.Decide(t.Context(), facts, true)
	assert.NotEmpty(t, explained.Layers)
	assert.Equal(t, plain.Effect, explained.Effect)
	assert.True(t, first.holdsRules(), "the next explanation need not wait")

	write("tools: {deny: [read]}\nagents: {main: {}}\n")
	require.NoError(t, store.Reload(t.Context()))
	second := inForce()
	assert.NotEqual(t, first.revision, second.revision)
	assert.Same(t, first.program, second.program)
	assert.Equal(t, gavel.Deny, second.Decide(t.Context(), facts, false).Effect)

	write("tools: {profile: codng}\nagents: {main: {}}\n")
	require.Error(t, store.Reload(t.Context()), "the configuration is checked all the same")
	write("agents: {main: {}}\n# again\n")
	require.NoError(t, store.Reload(t.Context()))
	assert.False(t, inForce().holdsRules(), "the rules that check a configuration are compiled, too")
}

func TestAnExplanationThatWouldComeTooLateIsADecisionWithoutOne(t *testing.T) {
	t.Parallel()
	s, err := Load(t.Context(), Config{Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
		FactsSchema: shipped.FactsSchema, Default: []byte("agents: {main: {}}\n"), Now: time.Now})
	require.NoError(t, err)
	s.Compile()
	s.letGo()
	finish, create := make(chan struct{}), s.queries.create
	s.queries.create = func() (map[string]oparego.PreparedEvalQuery, error) { <-finish; return create() }
	facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "read"}}
	plain := s.Decide(t.Context(), facts, false)
	limited, stop := context.WithTimeout(t.Context(), 2*time.Second)
	defer stop()
	explained := s.Decide(limited, facts, true)
	assert.Equal(t, plain, explained)
	close(finish)
	assert.NotEmpty(t, s.Decide(t.Context(), facts, true).Layers)
}
