package rescue_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/rescue"
)

func TestTheStackOfAPanicGoesOnlyToTheLog(t *testing.T) {
	require.NoError(t, rescue.Call(func() error { return nil }))
	cause := errors.New("an error")
	require.ErrorIs(t, rescue.Call(func() error { return cause }), cause)
	assert.Empty(t, rescue.Stack(cause))
	var none []int
	err := rescue.Call(func() error { none[0]++; return nil })
	require.EqualError(t, err, "panic: runtime error: index out of range [0] with length 0")
	assert.Contains(t, rescue.Stack(err), "rescue_test.go")
}

func TestAPanicIsLoggedWithWhatWasBeingDone(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	assert.True(t, rescue.Run(logger, "count sheep", func() {}))
	assert.Empty(t, log.String())
	assert.False(t, rescue.Run(logger, "count sheep", func() { panic("a wolf") }))
	for _, want := range []string{"level=ERROR", "count sheep", "a wolf", "rescue_test.go"} {
		assert.Contains(t, log.String(), want)
	}
}

func TestAPanickedFunctionIsRetriedUntilItReturns(t *testing.T) {
	runs := 0
	rescue.Keep(t.Context(), slog.New(slog.DiscardHandler), "try", 1, func() {
		if runs++; runs < 3 {
			panic(runs)
		}
	})
	assert.Equal(t, 3, runs)
}

func TestAPanickedFunctionIsNotRetriedAfterTheEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	runs := 0
	rescue.Keep(ctx, slog.New(slog.DiscardHandler), "try", 1, func() { runs++; cancel(); panic(runs) })
	assert.Equal(t, 1, runs)
	rescue.Keep(ctx, slog.New(slog.DiscardHandler), "try", 1, func() { runs++ })
	assert.Equal(t, 1, runs)
}
