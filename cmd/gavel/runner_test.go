//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheNoticeOfARunningCommandIsAfterTenSecondsAndZeroIsNever(t *testing.T) {
	t.Parallel()
	flag := (&app{}).runnerCommand().Flags().Lookup("running-notice")
	require.NotNil(t, flag)
	assert.Equal(t, "10s", flag.DefValue)
	assert.Negative(t, runnerFlags{}.runningNotice())
	assert.Equal(t, time.Minute, runnerFlags{notice: time.Minute}.runningNotice())
}
