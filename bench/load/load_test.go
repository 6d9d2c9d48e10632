package load

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func body(buffer []byte, n uint64) []byte { return fmt.Appendf(buffer, `{"n":%d}`, n) }

func serve(t *testing.T, handle http.HandlerFunc) Target {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return Target{Network: "tcp", Address: server.Listener.Addr().String(), Path: "/ask", Body: body, Want: []byte("yes")}
}

func TestAStallDelaysEveryRequestThatIsDueDuringIt(t *testing.T) {
	t.Parallel()
	// However late this machine is, requests are measured from when they were due. That half of them are
	// answered soon needs a machine that is free for a second.
	for tries := 1; ; tries++ {
		if got := measureStall(t); got.Percentile(50) < 200*time.Millisecond {
			return
		}
		require.Less(t, tries, 60, "half of the requests are due after the stall, or before it")
	}
}

// measureStall sends requests to a server that answers none of them for a while, and checks that each
// request that was due in the meantime was delayed.
func measureStall(t *testing.T) Result {
	t.Helper()
	const stall = 400 * time.Millisecond
	var asked atomic.Int64
	until := make(chan struct{})
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 20 {
			time.AfterFunc(stall, func() { close(until) })
		}
		if asked.Load() >= 20 {
			<-until
		}
		_, _ = w.Write([]byte("yes"))
	})
	got, err := Open(t.Context(), target, 4, 200, time.Second)
	require.NoError(t, err)
	assert.EqualValues(t, 200, got.Latency.TotalCount(), "requests that waited for a connection are measured, too")
	// 80 of the 200 requests were due during the stall. They waited for the rest of it.
	assert.Greater(t, got.Percentile(92), 250*time.Millisecond)
	assert.Greater(t, got.Percentile(99), 350*time.Millisecond)
	assert.GreaterOrEqual(t, got.Percentile(100), stall)
	return got
}

func TestOpenSendsAtAConstantRate(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("yes")) })
	got, err := Open(t.Context(), target, 2, 100, 500*time.Millisecond)
	require.NoError(t, err)
	assert.EqualValues(t, 50, got.Latency.TotalCount())
	assert.GreaterOrEqual(t, got.Elapsed, 490*time.Millisecond)
}

func TestClosedUsesEveryConnectionUntilTheEnd(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(20 * time.Millisecond)
		_, _ = w.Write([]byte("yes"))
	})
	got, err := Closed(t.Context(), target, 4, 2*time.Second)
	require.NoError(t, err)
	assert.Greater(t, got.Latency.TotalCount(), int64(4))
	assert.LessOrEqual(t, got.Latency.TotalCount(), int64(404))
	assert.GreaterOrEqual(t, got.Percentile(0), 20*time.Millisecond)
}

func TestAWrongAnswerEndsTheMeasurement(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]http.HandlerFunc{
		"another status": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "yes", http.StatusForbidden) },
		"another answer": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("no")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := serve(t, handle)
			_, err := Open(t.Context(), target, 2, 100, time.Minute)
			assert.ErrorContains(t, err, "without yes")
			_, err = Closed(t.Context(), target, 2, time.Minute)
			assert.ErrorContains(t, err, "without yes")
		})
	}
}

func TestAUnixSocketIsATarget(t *testing.T) {
	t.Parallel()
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", socket)
	require.NoError(t, err)
	var header atomic.Value
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		header.Store(r.Header.Get("Authorization") + " " + r.URL.Path)
		_, _ = w.Write([]byte("yes"))
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	target := Target{Network: "unix", Address: socket, Path: "/ask", Token: "secret", Body: body, Want: []byte("yes")}
	require.NoError(t, Once(target))
	assert.Equal(t, "Bearer secret /ask", header.Load())
}
