package bundles

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// commandFacts returns facts about a command that is allowed, with some arguments.
func commandFacts(program string, words ...string) gavel.Facts {
	facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "coder"}, Tool: gavel.ToolFacts{Name: "exec"}, Touches: []gavel.Touch{}, Resources: []gavel.Resource{},
		Caller:      gavel.CallerFacts{Kind: "gateway", Agents: []string{"*"}, InSession: true},
		Stated:      gavel.StatedFacts{Model: true, Group: true, Depth: true, Sandboxed: true, Sender: true},
		Environment: gavel.EnvironmentFacts{Cwd: "/srv/app", Home: "/home/u", Workspace: "/srv/app", Claimed: true}}
	segment := segmentFor(program)
	segment.Argv = append(segment.Argv, words...)
	facts.Exec = &gavel.ExecFacts{Shell: "bash", Workdir: "/srv/app", Directory: "/srv/app", Parsed: true, Rendered: program,
		Constructs: []gavel.Construct{}, Redirects: []gavel.Redirect{}, Assigned: []gavel.Assignment{}, Segments: []gavel.Segment{segment}}
	return facts
}

func TestARecycledBufferIsEmpty(t *testing.T) {
	t.Parallel()
	answers, err := newResultCache()
	require.NoError(t, err)
	for _, segments := range []int{1, 3, maxRecycledSegments, maxRecycledSegments + 1} {
		c := &completedFacts{facts: commandFacts("wc", "secret")}
		c.exec = *c.facts.Exec
		for range segments {
			c.segments = append(c.segments, c.facts.Exec.Segments...)
		}
		answers.recycle(c)
		assert.Zero(t, c.facts)
		assert.Zero(t, c.exec)
		assert.Empty(t, c.segments)
		assert.LessOrEqual(t, cap(c.segments), 2*maxRecycledSegments)
		for _, kept := range c.segments[:cap(c.segments)] {
			assert.Zero(t, kept)
		}
	}
}

func TestCachedDecisionsAreNotChangedByOtherCalls(t *testing.T) {
	t.Parallel()
	s := loadUncached(t, Config{})
	s.Decide(context.Background(), commandFacts("wc", "first"), false)
	var deciding sync.WaitGroup
	for _, word := range []string{"a", "b", "c", "d"} {
		deciding.Go(func() {
			for range 50 {
				facts := commandFacts("wc", word)
				decision := s.Decide(context.Background(), facts, false)
				if !assert.Equal(t, gavel.Allow, decision.Effect) || !assert.Len(t, decision.Exec.Segments, 1) {
					return
				}
				assert.Equal(t, []string{"/usr/bin/wc", word}, decision.Exec.Segments[0].Argv)
				assert.Equal(t, commandFacts("wc", word), facts, "the caller's facts stay as they are")
			}
		})
	}
	deciding.Wait()
	assert.Positive(t, s.results.counters.cached.Load())
}

func TestACommandWithoutSegmentsHasAnEmptyList(t *testing.T) {
	t.Parallel()
	s := loadUncached(t, Config{})
	for _, c := range []*completedFacts{{}, {segments: make([]gavel.Segment, 0, 4)}} {
		c.facts = commandFacts("wc")
		c.facts.Exec.Segments = nil
		_, err := s.completeInto(context.Background(), c)
		require.NoError(t, err)
		assert.NotNil(t, c.facts.Exec.Segments)
		assert.Empty(t, c.facts.Exec.Segments)
	}
}
