package decisionlog

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestABrokenLogRefusesUntilItCanBeWrittenAgain(t *testing.T) {
	t.Parallel()
	out := &memory{}
	out.set(errors.New("no space left"), 0)
	log := open(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Record(context.Background(), eventOf("before it showed", nil)))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, patience, time.Millisecond)
	err := log.Record(context.Background(), eventOf("refused", nil))
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, "no space left")
	require.GreaterOrEqual(t, valueOf(log.metrics.errors), 2.0)

	out.set(nil, 0)
	require.Eventually(t, func() bool {
		return log.Record(context.Background(), eventOf("after", nil)) == nil
	}, patience, time.Millisecond)
	shut(t, log)
	lines := decoded(t, out.String())
	require.Len(t, lines, 2)
	assert.Equal(t, "before it showed", lines[0]["decision_id"])
	assert.Equal(t, "after", lines[1]["decision_id"])
}

func TestASingleFailureIsRetriedAtOnce(t *testing.T) {
	t.Parallel()
	out := &memory{most: 10, err: errors.New("interrupted")}
	log := open(t, Config{Writer: &once{memory: out}, Retry: time.Hour})
	require.NoError(t, log.Record(context.Background(), eventOf("d", nil)))
	shut(t, log)
	assert.Len(t, decoded(t, out.String()), 1)
}

// once fails its first write only.
type once struct {
	*memory
	after bool
}

func (o *once) Write(p []byte) (int, error) {
	if o.after {
		o.set(nil, 0)
	}
	o.after = true
	return o.memory.Write(p)
}

func TestShortWritesContinueWhereTheyStopped(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{"with an error": errors.New("disk full"), "without an error": nil} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memory{most: 7, err: err}
			// Between two retries it stays broken for long enough to be seen.
			log := open(t, Config{Writer: out, Retry: 50 * time.Millisecond})
			require.NoError(t, log.Record(context.Background(), eventOf("one", nil)))
			require.Eventually(t, func() bool { return log.health.Load().err != nil }, patience, time.Millisecond)
			out.set(nil, 100)
			shut(t, log)
			assert.Len(t, decoded(t, out.String()), 1)
		})
	}
}
