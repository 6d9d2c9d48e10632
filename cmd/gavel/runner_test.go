//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/shell"
	"gavel/runner/front"
)

func TestEveryShellThatTheRunnerTakesFromTheEnvironmentIsRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "sh", "dash", "ash", "mksh", "ksh", "zsh", "fish", "csh", "python3", "gavel-shell"} {
		taken := front.DefaultShell(func(string) string { return "/usr/bin/" + name })
		_, read := shell.Grammar(taken)
		assert.True(t, read, taken)
		if _, read := shell.Grammar(name); !read {
			assert.NotEqual(t, name, taken)
		}
	}
}

func TestTheRunningNoticeComesFromThePolicyUnlessItIsGivenAndZeroSwitchesItOff(t *testing.T) {
	t.Parallel()
	flag := (&app{}).runnerCommand().Flags().Lookup("running-notice")
	require.NotNil(t, flag)
	assert.Contains(t, flag.Usage, "or 10s")
	assert.Zero(t, runnerFlags{}.runningNotice())
	assert.Negative(t, runnerFlags{noticeGiven: true}.runningNotice())
	assert.Equal(t, time.Minute, runnerFlags{notice: time.Minute, noticeGiven: true}.runningNotice())
}
