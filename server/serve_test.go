package server_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

// unixSocket serves on a new socket and returns its path.
func unixSocket(t *testing.T, s *server.Server) (path string, stop func() error) {
	t.Helper()
	path = filepath.Join(short(t), "gavel.sock")
	ln, err := s.ListenUnix(path)
	require.NoError(t, err)
	return path, start(t, s, ln)
}

// sendOnSocket sends a request on a socket, with a token unless it is "".
func sendOnSocket(t *testing.T, socket, method, path, token, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, "http://gavel"+path, strings.NewReader(body))
	require.NoError(t, err)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client(t, socket).Do(r)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

// loggedSocket returns the socket of a server, and the callers that its decision log records.
func loggedSocket(t *testing.T) (socket string, callers <-chan string) {
	t.Helper()
	cfg := config(t)
	log := fakeLog{make(chan string, 1)}
	cfg.PDP.Log = log
	socket, _ = unixSocket(t, newServer(t, cfg))
	return socket, log.callers
}

func TestTheUserOfASocketNeedsNoTokenToAskAndRead(t *testing.T) {
	t.Parallel()
	claim := strings.Replace(readCall, "{", `{"environment":{},`, 1)
	socket, callers := loggedSocket(t)
	assert.Equal(t, 200, sendOnSocket(t, socket, "POST", "/v1/decisions", "", readCall).StatusCode)
	assert.Equal(t, fmt.Sprintf("unix:uid=%d", os.Getuid()), <-callers)
	assert.Equal(t, 200, sendOnSocket(t, socket, "GET", "/v1/status", "", "").StatusCode)
	assert.Equal(t, 403, sendOnSocket(t, socket, "POST", "/v1/decisions", "", claim).StatusCode, "claims need the gateway's token")
}

func TestATokenCountsOnASocketAndABadOneIsRefused(t *testing.T) {
	t.Parallel()
	claim := strings.Replace(readCall, "{", `{"environment":{},`, 1)
	socket, callers := loggedSocket(t)
	assert.Equal(t, 200, sendOnSocket(t, socket, "POST", "/v1/decisions", gatewayToken, claim).StatusCode)
	assert.Equal(t, fmt.Sprintf("gateway@unix:uid=%d", os.Getuid()), <-callers)
	assert.Equal(t, 403, sendOnSocket(t, socket, "POST", "/v1/decisions", adminToken, readCall).StatusCode)
	assert.Equal(t, 401, sendOnSocket(t, socket, "POST", "/v1/decisions", "wrong", readCall).StatusCode)
}

func TestAnotherUserIsRefusedOnASocketWhateverTheToken(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.UID = uint32(os.Getuid()) + 1
	socket, _ := unixSocket(t, newServer(t, cfg))
	for _, path := range []string{"/v1/status", "/health", "/nowhere"} {
		answer := sendOnSocket(t, socket, "GET", path, gatewayToken, "")
		assert.Equal(t, 403, answer.StatusCode)
		assert.Equal(t, "peer_refused", errorOf(t, answer.Body)["code"])
	}
}

func TestTheFileOfASocketIsPrivateAndRemovedAtTheEnd(t *testing.T) {
	t.Parallel()
	socket, stop := unixSocket(t, newServer(t, config(t)))
	info, err := os.Lstat(socket)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.NoError(t, stop())
	assert.NoFileExists(t, socket)
}

// panicking is a listener with a bug.
type panicking struct{ net.Listener }

func (panicking) Accept() (net.Conn, error) { panic("a bug") }

func TestAPanicInAListenerShutsTheServerDownCleanly(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	first, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	second, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	require.ErrorContains(t, s.Serve(t.Context(), first, panicking{second}), "panic: a bug")
	require.Error(t, first.Close(), "the other one is closed")
}

// newBlocked returns a server whose decisions wait until leave is closed, or until the request's context
// ends.
func newBlocked(t *testing.T, grace time.Duration) (s *server.Server, entered, leave chan struct{}) {
	t.Helper()
	cfg := config(t)
	cfg.ShutdownGrace = grace
	entered, leave = make(chan struct{}, 1), make(chan struct{})
	cfg.PDP.Policy = &fakePolicy{decide: func(ctx context.Context, _ gavel.Facts) {
		entered <- struct{}{}
		select {
		case <-leave:
		case <-ctx.Done():
		}
	}}
	return newServer(t, cfg), entered, leave
}

// sendCall sends a call, and returns the channel of the body of the answer, or "cut off".
func sendCall(t *testing.T, addr string) chan string {
	t.Helper()
	got := make(chan string, 1)
	c := client(t, "")
	go func() {
		r, err := http.NewRequest(http.MethodPost, "http://"+addr+"/v1/decisions", strings.NewReader(readCall))
		if err != nil {
			got <- err.Error()
			return
		}
		r.Header.Set("Authorization", "Bearer "+decideToken)
		answer, err := c.Do(r)
		if err != nil {
			got <- "cut off"
			return
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			got <- "cut off"
			return
		}
		got <- string(body)
	}()
	return got
}

func TestRunningRequestsFinishAtShutdown(t *testing.T) {
	t.Parallel()
	s, entered, leave := newBlocked(t, time.Minute)
	addr, stop := tcp(t, s)
	got := sendCall(t, addr)
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	require.Eventually(t, func() bool {
		conn, err := net.Dial("tcp", addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	}, time.Minute, time.Millisecond, "new connections are refused")
	close(leave)
	assert.Contains(t, <-got, `"decision":"allow"`)
	require.NoError(t, <-stopped)
}

func TestRequestsThatOutlastTheGraceAreCutOff(t *testing.T) {
	t.Parallel()
	s, entered, leave := newBlocked(t, 20*time.Millisecond)
	addr, stop := tcp(t, s)
	got := sendCall(t, addr)
	<-entered
	require.ErrorContains(t, stop(), "cut off")
	assert.Equal(t, "cut off", <-got)
	close(leave)
}

func TestAListenerThatFailsEndsAllListeners(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	first, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	second, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, second.Close())
	require.ErrorContains(t, s.Serve(t.Context(), first, second), second.Addr().String())
	require.Error(t, first.Close(), "the other one is closed")
}

func TestAContextThatHasEndedServesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	ln, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, s.Serve(ctx, ln))
	require.Error(t, ln.Close(), "the listener is closed")
}
