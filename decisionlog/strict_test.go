package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// syncWriter is a memoryWriter with a Sync method, which calls sync if it is set.
type syncWriter struct {
	memoryWriter
	mu    sync.Mutex
	sync  func() error
	syncs int
}

func (d *syncWriter) Sync() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.syncs++
	if d.sync == nil {
		return nil
	}
	return d.sync()
}

func (d *syncWriter) onSync(sync func() error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sync = sync
}

func TestRT02StrictRecordReturnsWhenTheLineIsOnDisk(t *testing.T) {
	t.Parallel()
	out := &syncWriter{}
	synced := make(chan struct{})
	out.onSync(func() error { <-synced; return nil })
	log := openLog(t, Config{Writer: out, Strict: true, Wait: testTimeout})
	answers := make(chan error)
	go func() { answers <- log.Record(context.Background(), newEvent("d", nil)) }()
	require.Eventually(t, func() bool { return out.String() != "" }, testTimeout, time.Millisecond)
	select {
	case <-answers:
		t.Error("it answered before the line was synced")
	case <-time.After(20 * time.Millisecond):
	}
	close(synced)
	require.NoError(t, <-answers)
	closeLog(t, log)
}

func TestRT02WaitingRecordsShareOneSync(t *testing.T) {
	t.Parallel()
	out := &syncWriter{}
	gate := make(chan struct{})
	out.onSync(func() error { <-gate; return nil })
	log := openLog(t, Config{Writer: out, Strict: true, Wait: testTimeout})
	const events = 64
	var recording sync.WaitGroup
	for i := range events {
		recording.Go(func() { assert.NoError(t, log.Record(context.Background(), newEvent(fmt.Sprint(i), nil))) })
	}
	require.Eventually(t, func() bool { lines, _ := log.queue.waiting(); return lines == events }, testTimeout, time.Millisecond)
	close(gate)
	recording.Wait()
	closeLog(t, log)
	assert.LessOrEqual(t, out.syncs, 2, "one for the first line, and one for all that waited in the meantime")
	assert.Len(t, decodeLines(t, out.String()), events)
}

func TestRT02FailedSyncIsAnErrorAndTheLinesAreRewritten(t *testing.T) {
	t.Parallel()
	out := &syncWriter{}
	out.onSync(func() error { return errors.New("input/output error") })
	log := openLog(t, Config{Writer: out, Strict: true, Retry: time.Millisecond, Wait: testTimeout})
	err := log.Record(context.Background(), newEvent("d", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "input/output error")
	out.onSync(nil)
	require.Eventually(t, func() bool { return log.Record(context.Background(), newEvent("next", nil)) == nil }, testTimeout, time.Millisecond)
	closeLog(t, log)
	lines := decodeLines(t, out.String())
	assert.Greater(t, len(lines), 2, "a line that was not synced may be lost, so it is written again")
	assert.Equal(t, "next", lines[len(lines)-1]["decision_id"])
}

func TestRT02StrictRecordTimesOut(t *testing.T) {
	t.Parallel()
	out := &syncWriter{}
	hung := make(chan struct{})
	out.onSync(func() error { <-hung; return nil })
	log := openLog(t, Config{Writer: out, Strict: true, Wait: time.Millisecond})
	err := log.Record(context.Background(), newEvent("d", nil))
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "not on disk within")
	close(hung)
	closeLog(t, log)
}

func TestRT01OneCredentialGetsAQuarterOfTheQueue(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{gate: make(chan struct{})}
	log := openLog(t, Config{Writer: out, QueueBytes: 16 * maxLine, Lag: testTimeout, Wait: time.Millisecond})
	from := func(caller, id string) gavel.Event {
		event := newEvent(id, largeParams())
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
	require.NoError(t, log.Record(context.Background(), from("other", "other")), "other credentials have space")
	for i := 0; err == nil || !strings.Contains(err.Error(), ": too many events are waiting"); i++ {
		require.Less(t, i, 30)
		err = log.Record(context.Background(), from(fmt.Sprint("caller", i), "x"))
	}
	_, bytes := log.queue.waiting()
	assert.LessOrEqual(t, bytes, 16*maxLine)
	close(out.gate)
	closeLog(t, log)
	assert.Contains(t, out.String(), `"other"`)
}

func TestRT02RecordRefusesWhileQueuedLinesAreTooOld(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{gate: make(chan struct{})}
	log := openLog(t, Config{Writer: out, Lag: time.Nanosecond, Wait: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), newEvent("first", nil)))
	err := log.Record(context.Background(), newEvent("second", nil))
	require.ErrorIs(t, err, ErrFull)
	require.ErrorContains(t, err, "have waited too long")
	close(out.gate)
	closeLog(t, log)
}

// slowWriter takes 30 ms for each write.
type slowWriter struct{ memoryWriter }

func (s *slowWriter) Write(p []byte) (int, error) {
	time.Sleep(30 * time.Millisecond)
	return s.memoryWriter.Write(p)
}

func TestRT02CloseWaitsAsLongAsTheQueueShrinks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) { // its clock runs only while everything waits
		out := &slowWriter{}
		log := openLog(t, Config{Writer: out, Stall: 300 * time.Millisecond, Lag: testTimeout})
		const events = 200 // of 50 KB each: 40 batches of 30 ms each, which is longer than a stall
		for i := range events {
			require.NoError(t, log.Record(context.Background(), newEvent(fmt.Sprint(i), largeParams())))
		}
		require.NoError(t, log.Close(context.Background()))
		assert.Len(t, decodeLines(t, out.String()), events)
	})
}

func TestRT02CloseGivesUpWhenNothingIsWritten(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{err: errors.New("no space left")}
	log := openLog(t, Config{Writer: out, Retry: time.Millisecond, Stall: 20 * time.Millisecond})
	require.NoError(t, log.Record(context.Background(), newEvent("d", nil)))
	err := log.Close(context.Background())
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "1 events were not written")
	<-log.done
}
