package decisionlog

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBrokenLogRefusesUntilAWriteSucceeds(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	out.fail(errors.New("no space left"), 0)
	log := openLog(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), newEvent("accepted before the failure", nil)))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, testTimeout, time.Millisecond)
	err := log.Record(context.Background(), newEvent("refused", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "no space left")
	require.GreaterOrEqual(t, valueOf(log.metrics.errors), 2.0)

	out.fail(nil, 0)
	require.Eventually(t, func() bool {
		return log.Record(context.Background(), newEvent("after", nil)) == nil
	}, testTimeout, time.Millisecond)
	closeLog(t, log)
	lines := decodeLines(t, out.String())
	require.Len(t, lines, 2)
	assert.Equal(t, "accepted before the failure", lines[0]["decision_id"])
	assert.Equal(t, "after", lines[1]["decision_id"])
}

func TestSingleFailureIsRetriedAtOnce(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{maxWrite: 10, err: errors.New("interrupted")}
	log := openLog(t, Config{Writer: &failsOnce{memoryWriter: out}, Retry: time.Hour})
	require.NoError(t, log.Record(context.Background(), newEvent("d", nil)))
	closeLog(t, log)
	assert.Len(t, decodeLines(t, out.String()), 1)
}

// failsOnce is a writer whose first write fails.
type failsOnce struct {
	*memoryWriter
	failed bool
}

func (o *failsOnce) Write(p []byte) (int, error) {
	if o.failed {
		o.fail(nil, 0)
	}
	o.failed = true
	return o.memoryWriter.Write(p)
}

func TestShortWriteIsContinued(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"with an error": errors.New("disk full"), "without an error": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memoryWriter{maxWrite: 1, err: err}
			// The log stays broken between two retries, long enough to be observed.
			log := openLog(t, Config{Writer: out, Retry: 50 * time.Millisecond, Stall: testTimeout})
			require.NoError(t, log.Record(context.Background(), newEvent("one", nil)))
			require.Eventually(t, func() bool { return log.health.Load().err != nil }, testTimeout, time.Millisecond)
			out.fail(nil, 100)
			closeLog(t, log)
			assert.Len(t, decodeLines(t, out.String()), 1)
		})
	}
}
