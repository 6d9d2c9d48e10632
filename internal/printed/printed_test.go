//go:build unix

package printed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/printed"
)

func program(text string) printed.Program {
	return printed.Program{Path: "/bin/sh", Args: []string{"-c", text}, Limit: time.Minute, Most: 100}
}

func TestWhatAProgramPrintsIsReturned(t *testing.T) {
	t.Setenv("SECRET", "x")
	text, err := program(`printf '%s %s' "$(pwd)" "${SECRET-none}"`).Text(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "/ none", text)
}

func TestAnErrorContainsStandardErrorAndNoStandardOutput(t *testing.T) {
	_, err := program("echo secret; echo why >&2; exit 3").Text(t.Context())
	require.ErrorContains(t, err, "sh: exit status 3: why")
	assert.NotContains(t, err.Error(), "secret")
	_, err = program("head -c 101 /dev/zero").Text(t.Context())
	require.ErrorContains(t, err, "sh printed more than 100 bytes")
}

func TestAnErrorDoesNotRepeatWhatWasPrinted(t *testing.T) {
	for _, text := range []string{
		"set -x; echo s3cret-value; exit 3",
		`set -x; printf '{"value":"%s"}' s3cret-value; exit 3`,
		"echo s3cret-value; echo prefix:s3cret-value/suffix >&2; exit 3",
		"echo s3cret; echo s3cret-value; echo s3cret-value >&2; exit 3",
	} {
		_, err := program(text).Text(t.Context())
		require.ErrorContains(t, err, "[REDACTED]", text)
		assert.NotContains(t, err.Error(), "s3cret", text)
		assert.NotContains(t, err.Error(), "value\n", text)
	}
}

func TestAProgramThatHangsIsEndedWithWhatItStarted(t *testing.T) {
	p := program("sleep 1000 & sleep 1000")
	p.Limit = 50 * time.Millisecond
	_, err := p.Text(t.Context())
	require.ErrorContains(t, err, "sh timed out after 50ms")
}
