//go:build linux

package daemon_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/wrap"
)

// On a busy machine a daemon may come to a request when it is no longer fresh.
func TestARequestThatIsLookedAtTooLateIsSignedAgain(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"echo": "echo ran"}, ""), nil)
	asked := 0
	r := s.with(t, func(c *wrap.Config) {
		c.Now = func() time.Time {
			if asked++; asked == 2 { // when the first request is signed
				return time.Now().Add(-time.Minute)
			}
			return time.Now()
		}
	}, "echo")
	require.NoError(t, r.err)
	assert.Equal(t, "ran\n", r.stdout)
	assert.EqualValues(t, 1, s.Counts()["auth_fail"])
}

func TestAClientWhoseClockIsWrongIsRefusedAtOnce(t *testing.T) {
	s := start(t, configured(t, "", map[string]string{"echo": "echo ran"}, ""), nil)
	r := s.with(t, func(c *wrap.Config) { c.Now = func() time.Time { return time.Now().Add(-time.Minute) } }, "echo")
	assert.EqualError(t, r.err, "daemon error: authentication failed")
	assert.EqualValues(t, 1, s.Counts()["auth_fail"])
}
