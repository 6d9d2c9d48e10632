package server_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(time.Minute)))
	return conn
}

// asks sends a request and reads its answer, on a connection that stays open.
func asks(t *testing.T, conn net.Conn, path, token string) *http.Response {
	t.Helper()
	head := "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n"
	if token != "" {
		head += "Authorization: Bearer " + token + "\r\n"
	}
	_, err := fmt.Fprint(conn, head+"\r\n")
	require.NoError(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	return answer
}

// ended reports whether the server has closed a connection.
func ended(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
	_, err := conn.Read(make([]byte, 4096))
	return err != nil && !isTimeout(err)
}

func isTimeout(err error) bool {
	failed, ok := err.(net.Error)
	return ok && failed.Timeout()
}

func TestRT10ConnectionsWithoutACredentialDoNotLockOthersOut(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Conns = server.ConnLimits{TCP: 8, Each: 4}
	addr, _ := tcp(t, newServer(t, cfg))
	kept := dial(t, addr)
	require.Equal(t, http.StatusOK, asks(t, kept, "/v1/status", decideToken).StatusCode)
	var idle []net.Conn
	for range 40 {
		idle = append(idle, dial(t, addr))
	}
	assert.Equal(t, http.StatusOK, asks(t, dial(t, addr), "/v1/status", decideToken).StatusCode, "another one gets in")
	assert.True(t, ended(idle[0]), "in the place of the oldest")
	assert.Equal(t, http.StatusOK, asks(t, kept, "/v1/status", decideToken).StatusCode, "who has shown a credential stays")
}

func TestRT10OnlyAConnectionWithACredentialIsKept(t *testing.T) {
	t.Parallel()
	addr, _ := tcp(t, newServer(t, config(t)))
	for path, token := range map[string]string{"/health": "", "/ready": "", "/v1/status": "wrong", "/nothing": ""} {
		conn := dial(t, addr)
		assert.True(t, asks(t, conn, path, token).Close, path)
		assert.True(t, ended(conn), path)
	}
	conn := dial(t, addr)
	for range 3 {
		answer := asks(t, conn, "/v1/status", decideToken)
		assert.Equal(t, http.StatusOK, answer.StatusCode)
		assert.False(t, answer.Close)
	}
	assert.False(t, asks(t, conn, "/health", "").Close, "it has shown one before")
}

func TestRT10HeadersHaveATimeLimit(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.HeaderTimeout = 50 * time.Millisecond
	addr, _ := tcp(t, newServer(t, cfg))
	silent, slow := dial(t, addr), dial(t, addr)
	_, err := fmt.Fprint(slow, "GET /health HTTP/1.1\r\nHost: local")
	require.NoError(t, err)
	assert.True(t, ended(silent), "nothing was sent")
	assert.True(t, ended(slow), "headers that do not end")
}

func TestRT10OneCredentialCannotTakeEveryConnection(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Conns = server.ConnLimits{TCP: 8, Each: 2}
	entered, leave := make(chan struct{}, 8), make(chan struct{})
	cfg.Handlers = waitHandlers(entered, leave)
	addr, _ := tcp(t, newServer(t, cfg))
	for range 2 { // two that are busy, which nothing takes the place of
		conn := dial(t, addr)
		_, err := fmt.Fprintf(conn, "GET /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", decideToken)
		require.NoError(t, err)
		<-entered
	}
	refused := asks(t, dial(t, addr), "/v1/status", decideToken)
	assert.Equal(t, http.StatusTooManyRequests, refused.StatusCode)
	assert.Equal(t, "1", refused.Header.Get("Retry-After"))
	assert.True(t, refused.Close)
	assert.Equal(t, http.StatusOK, asks(t, dial(t, addr), "/v1/status", gatewayToken).StatusCode, "another credential has its own")
	close(leave)
}

// waitHandlers is a route whose requests wait until they are let go.
func waitHandlers(entered chan<- struct{}, leave <-chan struct{}) map[string]server.Handler {
	return map[string]server.Handler{"GET /rpc": func(http.ResponseWriter, *http.Request, gavel.Caller) error {
		entered <- struct{}{}
		<-leave
		return nil
	}}
}

func TestRT10TheUnixSocketHasItsOwnConnectionLimit(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Conns = server.ConnLimits{TCP: 2, Unix: 3, Each: 3}
	entered, leave := make(chan struct{}, 8), make(chan struct{})
	cfg.Handlers = waitHandlers(entered, leave)
	s := newServer(t, cfg)
	dir := short(t)
	overTCP, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	overUnix, err := s.ListenUnix(filepath.Join(dir, "s"))
	require.NoError(t, err)
	start(t, s, overTCP, overUnix)
	busy := func(conn net.Conn) {
		_, err := fmt.Fprintf(conn, "GET /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", gatewayToken)
		require.NoError(t, err)
		<-entered
	}
	local := func() net.Conn {
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", filepath.Join(dir, "s"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn
	}
	for range 2 {
		busy(dial(t, overTCP.Addr().String()))
	}
	assert.True(t, ended(dial(t, overTCP.Addr().String())), "TCP is full")
	assert.Equal(t, http.StatusOK, asks(t, local(), "/v1/status", decideToken).StatusCode, "the owner gets in")
	for held := 0; held < 3; { // the connection before may still be counted for a moment
		conn, refused := local(), make(chan struct{})
		_, _ = fmt.Fprintf(conn, "GET /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", gatewayToken)
		go func() {
			_, _ = conn.Read(make([]byte, 1))
			close(refused)
		}()
		select {
		case <-entered:
			held++
		case <-refused:
		}
	}
	assert.True(t, ended(local()), "and has a bound as well")
	close(leave)
}

func TestRT10DescriptorsAreLeftForFiles(t *testing.T) {
	t.Parallel()
	limits := server.ConnLimits{}.WithDefaults()
	assert.Positive(t, limits.Unix)
	assert.LessOrEqual(t, limits.TCP, 1024)
	assert.LessOrEqual(t, limits.Unix, 256)
	assert.LessOrEqual(t, limits.Lines, 256)
}
