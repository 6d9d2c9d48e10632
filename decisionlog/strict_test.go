package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// disk is a writer that can be told how to sync.
type disk struct {
	memory
	mu    sync.Mutex
	sync  func() error
	syncs int
}

func (d *disk) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	if d.sync == nil {
		return nil
	}
	return d.sync()
}

func (d *disk) set(sync func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sync = sync
}

func TestRT02AStrictLogAnswersWhenTheLineIsOnDisk(t *testing.T) {
	t.Parallel()
	out := &disk{}
	synced := make(chan struct{})
	out.set(func() error { <-synced; return nil })
	log := open(t, Config{Writer: out, Strict: true, Wait: patience})
	answers := make(chan error)
	go func() { answers <- log.Record(context.Background(), eventOf("d", nil)) }()
	require.Eventually(t, func() bool { return out.String() != "" }, patience, time.Millisecond)
	select {
	case <-answers:
		t.Error("it answered before the line was synced")
	case <-time.After(20 * time.Millisecond):
	}
	close(synced)
	require.NoError(t, <-answers)
	shut(t, log)
}

func TestRT02ManyAnswersShareOneSync(t *testing.T) {
	t.Parallel()
	out := &disk{}
	gate := make(chan struct{})
	out.set(func() error { <-gate; return nil })
	log := open(t, Config{Writer: out, Strict: true, Wait: patience})
	const events = 64
	var recording sync.WaitGroup
	for i := range events {
		recording.Go(func() { assert.NoError(t, log.Record(context.Background(), eventOf(fmt.Sprint(i), nil))) })
	}
	require.Eventually(t, func() bool { lines, _ := log.queue.waiting(); return lines == events }, patience, time.Millisecond)
	close(gate)
	recording.Wait()
	shut(t, log)
	assert.LessOrEqual(t, out.syncs, 2, "the first one, and all that waited in the meantime")
	assert.Len(t, decoded(t, out.String()), events)
}

func TestRT02AFailedSyncIsADenyAndTheLinesAreWrittenAgain(t *testing.T) {
	t.Parallel()
	out := &disk{}
	out.set(func() error { return errors.New("input/output error") })
	log := open(t, Config{Writer: out, Strict: true, Retry: time.Millisecond, Wait: patience})
	err := log.Record(context.Background(), eventOf("d", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "input/output error")
	out.set(nil)
	require.Eventually(t, func() bool { return log.Record(context.Background(), eventOf("next", nil)) == nil }, patience, time.Millisecond)
	shut(t, log)
	lines := decoded(t, out.String())
	assert.Greater(t, len(lines), 2, "what was not synced may be gone, and is written again")
	assert.Equal(t, "next", lines[len(lines)-1]["decision_id"])
}

func TestRT02AStrictAnswerDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	out := &disk{}
	hung := make(chan struct{})
	out.set(func() error { <-hung; return nil })
	log := open(t, Config{Writer: out, Strict: true, Wait: time.Millisecond})
	err := log.Record(context.Background(), eventOf("d", nil))
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "not on disk within")
	close(hung)
	shut(t, log)
}

func TestRT01OneCredentialTakesAQuarterOfTheQueue(t *testing.T) {
	t.Parallel()
	out := &memory{gate: make(chan struct{})}
	log := open(t, Config{Writer: out, QueueBytes: 16 * maxLine, Lag: patience, Wait: time.Millisecond})
	from := func(caller, id string) gavel.Event {
		event := eventOf(id, large())
		event.Caller = caller
		return event
	}
	var err error
	for i := 0; err == nil; i++ {
		require.Less(t, i, 10)
		err = log.Record(context.Background(), from("greedy", fmt.Sprint("greedy", i)))
	}
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "too many events of this credential are waiting")
	require.NoError(t, log.Record(context.Background(), from("other", "other")), "others have room")
	for i := 0; err == nil || !strings.Contains(err.Error(), ": too many events are waiting"); i++ {
		require.Less(t, i, 30)
		err = log.Record(context.Background(), from(fmt.Sprint("caller", i), "x"))
	}
	_, bytes := log.queue.waiting()
	assert.LessOrEqual(t, bytes, 16*maxLine)
	close(out.gate)
	shut(t, log)
	assert.Contains(t, out.String(), `"other"`)
}

func TestRT02WaitingLinesDoNotGetOld(t *testing.T) {
	t.Parallel()
	out := &memory{gate: make(chan struct{})}
	log := open(t, Config{Writer: out, Lag: time.Nanosecond, Wait: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), eventOf("first", nil)))
	err := log.Record(context.Background(), eventOf("second", nil))
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "have waited too long")
	close(out.gate)
	shut(t, log)
}

// slow takes a while for each write.
type slow struct{ memory }

func (s *slow) Write(p []byte) (int, error) {
	time.Sleep(30 * time.Millisecond)
	return s.memory.Write(p)
}

func TestRT02CloseWaitsAsLongAsTheQueueShrinks(t *testing.T) {
	t.Parallel()
	out := &slow{}
	log := open(t, Config{Writer: out, Stall: 300 * time.Millisecond, Lag: patience})
	const events = 200 // of 50 KB each: 40 batches of 30 ms each, which is longer than a stall
	for i := range events {
		require.NoError(t, log.Record(context.Background(), eventOf(fmt.Sprint(i), large())))
	}
	require.NoError(t, log.Close(context.Background()))
	assert.Len(t, decoded(t, out.String()), events)
}

func TestRT02CloseGivesUpWhenNothingIsWritten(t *testing.T) {
	t.Parallel()
	out := &memory{err: errors.New("no space left")}
	log := open(t, Config{Writer: out, Retry: time.Millisecond, Stall: 20 * time.Millisecond})
	require.NoError(t, log.Record(context.Background(), eventOf("d", nil)))
	err := log.Close(context.Background())
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "1 events were not written")
	<-log.done
}
