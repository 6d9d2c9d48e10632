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

// panickingWriter panics while broken is set.
type panickingWriter struct {
	*memoryWriter
	broken atomic.Bool
}

func (p *panickingWriter) Write(b []byte) (int, error) {
	if p.broken.Load() {
		panic("a bug in the writer")
	}
	return p.memoryWriter.Write(b)
}

func TestPanickingWriterBreaksTheLogUntilItRecovers(t *testing.T) {
	t.Parallel()
	out := &panickingWriter{memoryWriter: &memoryWriter{}}
	out.broken.Store(true)
	log := openLog(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), newEvent("accepted before the failure", nil)))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, testTimeout, time.Millisecond)
	err := log.Record(context.Background(), newEvent("refused", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "panic: a bug in the writer")
	out.broken.Store(false)
	require.Eventually(t, func() bool { return log.health.Load().err == nil }, testTimeout, time.Millisecond)
	closeLog(t, log)
	lines := decodeLines(t, out.String())
	require.Len(t, lines, 1)
	assert.Equal(t, "accepted before the failure", lines[0]["decision_id"])
}

// The event gets a reduced line, with its id and effect.
func TestEventIsWrittenAlthoughEncodingPanics(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out, Now: func() time.Time { panic("a bug in the clock") }})
	event := newEvent("without a time", nil)
	event.Timestamp = time.Time{}
	require.NoError(t, log.Record(context.Background(), event))
	require.NoError(t, log.Record(context.Background(), newEvent("the next one", nil)))
	closeLog(t, log)
	lines := decodeLines(t, out.String())
	require.Len(t, lines, 2)
	assert.Equal(t, "without a time", lines[0]["decision_id"])
	assert.Equal(t, "allow", dig(t, lines[0], "result", "decision"))
	assert.Equal(t, codeMaskFailed, dig(t, lines[0], "error", "code"))
	assert.Equal(t, "the next one", lines[1]["decision_id"])
}

// badHandler is a log handler that panics. The panic ends the writer goroutine.
type badHandler struct{ slog.Handler }

func (badHandler) Handle(context.Context, slog.Record) error { panic("a bug in the logger") }

func TestLogWithoutAWriterRefusesEverything(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{err: errors.New("no space left")}
	log := openLog(t, Config{Writer: out, Retry: time.Millisecond, Logger: slog.New(badHandler{slog.NewTextHandler(&bytes.Buffer{}, nil)})})
	require.NoError(t, log.Record(context.Background(), gavel.Event{Decision: gavel.Decision{ID: "d"}}))
	<-log.done
	out.fail(nil, 0)
	require.ErrorIs(t, log.Record(context.Background(), newEvent("refused", nil)), ErrBroken)
	require.ErrorContains(t, log.Close(context.Background()), "1 events were not written")
}
