package server_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

func TestRT20SlowCallsAreHeavyOnlyNextToOthersThatAreNot(t *testing.T) {
	for name, c := range map[string]struct {
		others map[string]time.Duration // a call of each
		calls  int
		heavy  bool
	}{
		"another has fast calls":               {map[string]time.Duration{"other": time.Millisecond}, 20, true},
		"nobody else makes calls":              {nil, 0, false},
		"calls of the others are as slow":      {map[string]time.Duration{"other": 20 * time.Millisecond}, 20, false},
		"another has used more than twice its": {map[string]time.Duration{"other": time.Millisecond}, 2000, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := server.NewLimiter(server.LimiterConfig{Heavy: 1})
				for other, took := range c.others {
					for range c.calls {
						l.Spent(other, took)
					}
				}
				for range 10 {
					l.Spent("slow", 40*time.Millisecond)
				}
				first, err := l.Enter(t.Context(), "slow", 10)
				require.NoError(t, err)
				second, err := l.Enter(t.Context(), "slow", 10)
				if c.heavy {
					assert.Equal(t, gavel.CodeTooManyRequests, codeOfBusy(t, err), "one heavy request at a time")
				} else if assert.NoError(t, err) {
					second()
				}
				first()
			})
		})
	}
}
