package server_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

func codeOfBusy(t *testing.T, err error) string {
	t.Helper()
	var busy *gavel.BusyError
	require.ErrorAs(t, err, &busy)
	assert.NotEmpty(t, busy.Fix)
	return busy.Code
}

func TestRT16BytesAreCountedForEachCredentialAndForAll(t *testing.T) {
	t.Parallel()
	g := server.NewLimiter(server.LimiterConfig{Bytes: 100, BytesEach: 60})
	first, err := g.Reserve("a", 60)
	require.NoError(t, err)
	_, err = g.Reserve("a", 1)
	assert.Equal(t, gavel.CodeTooManyBytes, codeOfBusy(t, err))
	second, err := g.Reserve("b", 40)
	require.NoError(t, err, "another has a share of its own")
	_, err = g.Reserve("c", 1)
	assert.Equal(t, gavel.CodeServerFull, codeOfBusy(t, err))
	first()
	first() // counts once
	second()
	third, err := g.Reserve("a", 60)
	require.NoError(t, err, "what was given back is free")
	third()
}

func TestRT20OneCredentialCannotTakeAllCapacity(t *testing.T) {
	t.Parallel()
	g := server.NewLimiter(server.LimiterConfig{Requests: 4, RequestsEach: 3})
	for range 3 {
		_, err := g.Enter(t.Context(), "attacker", 10)
		require.NoError(t, err)
	}
	_, err := g.Enter(t.Context(), "attacker", 10)
	assert.Equal(t, gavel.CodeTooManyRequests, codeOfBusy(t, err))
	leave, err := g.Enter(t.Context(), "victim", 10)
	require.NoError(t, err, "the others keep theirs")
	_, err = g.Enter(t.Context(), "another", 10)
	assert.Equal(t, gavel.CodeServerFull, codeOfBusy(t, err))
	leave()
	_, err = g.Enter(t.Context(), "another", 10)
	require.NoError(t, err)
}

func TestRT20HeavyRequestsTakeTurnsAndLightOnesDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := server.NewLimiter(server.LimiterConfig{Heavy: 1})
		leave, err := g.Enter(t.Context(), "attacker", 1<<20)
		require.NoError(t, err)
		var order []string
		var mu sync.Mutex
		for _, name := range []string{"attacker", "attacker", "victim"} {
			go func() {
				if name == "victim" {
					g.Spent("attacker", time.Second)
				}
				next, err := g.Enter(t.Context(), name, 1<<20)
				if err != nil {
					return
				}
				mu.Lock()
				order = append(order, name)
				mu.Unlock()
				time.Sleep(time.Millisecond)
				next()
			}()
			synctest.Wait()
		}
		light, err := g.Enter(t.Context(), "victim", 100)
		require.NoError(t, err, "light requests wait for nobody")
		light()
		leave()
		time.Sleep(time.Second)
		mu.Lock()
		assert.Equal(t, []string{"victim", "attacker", "attacker"}, order, "who used least comes first")
		mu.Unlock()

		stays, err := g.Enter(t.Context(), "attacker", 1<<20)
		require.NoError(t, err)
		_, err = g.Enter(t.Context(), "attacker", 1<<20)
		assert.Equal(t, gavel.CodeTooManyRequests, codeOfBusy(t, err), "whose turn does not come is told so")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = g.Enter(ended, "victim", 1<<20)
		require.Error(t, err, "nobody waits for who has gone")
		stays()
		leave, err = g.Enter(t.Context(), "victim", 1<<20)
		require.NoError(t, err)
		leave()
	})
}

func TestRT20AfterAHeavyRequestItsCredentialMustPauseIfOthersAreActive(t *testing.T) {
	for name, c := range map[string]struct {
		others []string
		took   time.Duration
		rests  time.Duration
	}{
		"another asks":                   {[]string{"victim"}, 100 * time.Millisecond, 400 * time.Millisecond},
		"two others ask":                 {[]string{"victim", "gateway"}, 100 * time.Millisecond, 400 * time.Millisecond},
		"nobody else asks":               {nil, 100 * time.Millisecond, 0},
		"it takes little":                {[]string{"victim"}, 5 * time.Millisecond, 0},
		"it takes very long, and is let": {[]string{"victim"}, 10 * time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := server.NewLimiter(server.LimiterConfig{Heavy: 2})
				leave, err := g.Enter(t.Context(), "attacker", 1<<20)
				require.NoError(t, err)
				time.Sleep(c.took)
				for _, other := range c.others {
					light, err := g.Enter(t.Context(), other, 10)
					require.NoError(t, err)
					light()
				}
				leave()
				began := time.Now()
				for _, other := range c.others {
					heavy, err := g.Enter(t.Context(), other, 1<<20)
					require.NoError(t, err)
					heavy()
				}
				assert.Zero(t, time.Since(began), "the others do not wait for it")
				leave, err = g.Enter(t.Context(), "attacker", 1<<20)
				require.NoError(t, err)
				leave()
				assert.Equal(t, c.rests, time.Since(began))
				time.Sleep(time.Minute)
				began = time.Now()
				leave, err = g.Enter(t.Context(), "attacker", 1<<20)
				require.NoError(t, err)
				leave()
				assert.Zero(t, time.Since(began), "it is forgotten")
			})
		})
	}
}

func TestRT20ACredentialWithSlowCallsIsHeavyWhateverTheirSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := server.NewLimiter(server.LimiterConfig{Heavy: 1})
		for range 10 { // ten costly calls hidden among many cheap ones
			g.Spent("attacker", 20*time.Millisecond)
			for range 100 {
				g.Spent("attacker", 20*time.Microsecond)
			}
		}
		for range 5 { // somebody whose calls take long since the attacker's do
			g.Spent("victim", 40*time.Millisecond)
		}
		g.Spent("attacker", 500*time.Millisecond)
		for range 10_000 { // a gateway that asks much, and cheaply
			g.Spent("gateway", 30*time.Microsecond)
		}
		leave, err := g.Enter(t.Context(), "attacker", 10)
		require.NoError(t, err)
		_, err = g.Enter(t.Context(), "attacker", 10)
		assert.Equal(t, gavel.CodeTooManyRequests, codeOfBusy(t, err))
		for range 10 {
			_, err := g.Enter(t.Context(), "gateway", 10)
			require.NoError(t, err, "it waits for nobody")
			_, err = g.Enter(t.Context(), "victim", 10)
			require.NoError(t, err, "nor does who is slowed down")
		}
		leave()
		time.Sleep(time.Minute)
		for range 2 {
			_, err := g.Enter(t.Context(), "attacker", 10)
			require.NoError(t, err, "in time it is forgotten")
		}
	})
}

// Costs of calls on a machine that is so many times slower than a usual one. A gateway's calls are
// answered from memory or not, as they come.
func ordinary(slower int) []time.Duration {
	var list []time.Duration
	for _, usual := range []time.Duration{50 * time.Microsecond, 400 * time.Microsecond, 2 * time.Millisecond, 5 * time.Millisecond} {
		list = append(list, usual*time.Duration(slower))
	}
	return list
}

// works has a credential make calls, one after the other, and returns how long it waited for its
// turns, which takes no time where it is let in at once.
func works(t *testing.T, g *server.Limiter, credential string, bytes int, costs []time.Duration, calls int) (waited time.Duration) {
	t.Helper()
	for n := range calls {
		began := time.Now()
		leave, err := g.Enter(t.Context(), credential, bytes)
		require.NoError(t, err)
		waited += time.Since(began)
		cost := costs[n%len(costs)]
		time.Sleep(cost)
		g.Spent(credential, cost)
		leave()
	}
	return waited
}

// Nothing here is measured: the clock is that of the test.
func TestRT20ACallIsSlowComparedWithCallsOfOthers(t *testing.T) {
	for _, slower := range []int{1, 10} {
		for name, c := range map[string]struct {
			who    string
			costs  []time.Duration
			bytes  int
			agents []string // who else asks for decisions
			rests  bool
		}{
			"a gateway beside agents":              {"gateway", ordinary(slower), 300, []string{"coder", "ops"}, false},
			"a gateway beside one agent":           {"gateway", ordinary(slower), 300, []string{"coder"}, false},
			"a gateway whose bodies are large":     {"gateway", ordinary(slower), 20 << 10, []string{"coder"}, false},
			"a gateway beside who reads status":    {"gateway", ordinary(slower), 300, nil, false},
			"an attacker with small bodies":        {"attacker", []time.Duration{60 * time.Millisecond * time.Duration(slower)}, 6 << 10, []string{"coder", "ops"}, true},
			"an attacker beside one agent":         {"attacker", []time.Duration{60 * time.Millisecond * time.Duration(slower)}, 6 << 10, []string{"coder"}, true},
			"an attacker with the largest bodies":  {"attacker", []time.Duration{80 * time.Millisecond * time.Duration(slower)}, 1 << 20, []string{"coder", "ops"}, true},
			"an attacker that hides in cheap ones": {"attacker", append(slices.Repeat([]time.Duration{20 * time.Microsecond}, 3), 60*time.Millisecond*time.Duration(slower)), 6 << 10, []string{"coder"}, true},
			"three that attack together":           {"attacker", []time.Duration{60 * time.Millisecond * time.Duration(slower)}, 6 << 10, []string{"coder", "second", "third"}, true},
		} {
			t.Run(fmt.Sprintf("%s, on a machine %d times slower", name, slower), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					g := server.NewLimiter(server.LimiterConfig{Heavy: 1})
					var waited time.Duration
					for range 40 { // they take turns: here is one core
						for _, agent := range c.agents {
							costs := ordinary(slower)
							if agent == "second" || agent == "third" {
								costs = c.costs
							}
							works(t, g, agent, 300, costs, 4)
						}
						leave, err := g.Enter(t.Context(), "monitor", 0) // which makes no calls
						require.NoError(t, err)
						leave()
						waited += works(t, g, c.who, c.bytes, c.costs, 4)
					}
					if c.rests {
						assert.Greater(t, waited, time.Second)
					} else {
						assert.Zero(t, waited)
					}
				})
			})
		}
	}
}

func TestRT20ASlowBodyDoesNotBlockOthers(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Limiter = server.NewLimiter(server.LimiterConfig{Requests: 2, RequestsEach: 1})
	addr, _ := tcp(t, newServer(t, cfg))
	for range 8 {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		_, err = conn.Write([]byte("POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + decideToken + "\r\nContent-Length: 1000\r\n\r\n{"))
		require.NoError(t, err)
	}
	time.Sleep(50 * time.Millisecond)
	assert.Equal(t, http.StatusOK, post("/v1/decisions", readCall).do(newServer(t, cfg)).Code)
}
