package decisionlog

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// panicking is a writer that panics while it is told to.
type panicking struct {
	*memory
	broken atomic.Bool
}

func (p *panicking) Write(b []byte) (int, error) {
	if p.broken.Load() {
		panic("a bug in the writer")
	}
	return p.memory.Write(b)
}

func TestAWriterThatPanicsBreaksTheLogUntilItWrites(t *testing.T) {
	t.Parallel()
	out := &panicking{memory: &memory{}}
	out.broken.Store(true)
	log := open(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), eventOf("before it showed", nil)))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, patience, time.Millisecond)
	err := log.Record(context.Background(), eventOf("refused", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "panic: a bug in the writer")
	out.broken.Store(false)
	require.Eventually(t, func() bool { return log.health.Load().err == nil }, patience, time.Millisecond)
	shut(t, log)
	lines := decoded(t, out.String())
	require.Len(t, lines, 1)
	assert.Equal(t, "before it showed", lines[0]["decision_id"])
}

// An event whose line cannot even be reduced is still a line, with its id and effect.
func TestAnEventThatPanicsIsStillWritten(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out, Now: func() time.Time { panic("a bug in the clock") }})
	event := eventOf("without a time", nil)
	event.Timestamp = time.Time{}
	require.NoError(t, log.Record(context.Background(), event))
	require.NoError(t, log.Record(context.Background(), eventOf("the next one", nil)))
	shut(t, log)
	lines := decoded(t, out.String())
	require.Len(t, lines, 2)
	assert.Equal(t, "without a time", lines[0]["decision_id"])
	assert.Equal(t, "allow", dig(t, lines[0], "result", "decision"))
	assert.Equal(t, codeMaskFailed, dig(t, lines[0], "error", "code"))
	assert.Equal(t, "the next one", lines[1]["decision_id"])
}

// badHandler is a logger with a bug, which ends the writer itself.
type badHandler struct{ slog.Handler }

func (badHandler) Handle(context.Context, slog.Record) error { panic("a bug in the logger") }

func TestALogWhoseWriterHasEndedRefusesEverything(t *testing.T) {
	t.Parallel()
	out := &memory{err: errors.New("no space left")}
	log := open(t, Config{Writer: out, Retry: time.Millisecond, Logger: slog.New(badHandler{slog.NewTextHandler(&bytes.Buffer{}, nil)})})
	require.NoError(t, log.Record(context.Background(), gavel.Event{Decision: gavel.Decision{ID: "d"}}))
	<-log.done
	out.set(nil, 0)
	require.ErrorIs(t, log.Record(context.Background(), eventOf("refused", nil)), ErrBroken)
	require.ErrorContains(t, log.Close(context.Background()), "1 events were not written")
}
