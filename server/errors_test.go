package server_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	for _, tc := range errorCases() {
		t.Run(fmt.Sprintf("%s gets %d", tc.name, tc.status), func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			if tc.adapt != nil {
				tc.adapt(&cfg)
			}
			w := tc.send.do(newServer(t, cfg))
			assert.NotContains(t, w.Body.String(), "secret detail")
			assert.NotContains(t, w.Body.String(), `"decision"`)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
			assert.Equal(t, tc.status == 401, w.Header().Get("WWW-Authenticate") != "")
			assert.Equal(t, tc.status == 405, w.Header().Get("Allow") != "")
			assert.Equal(t, tc.status, w.Code)
			e := errorOf(t, w.Body)
			assert.Equal(t, tc.code, e["code"])
			assert.NotEmpty(t, e["message"])
			if tc.path != "" {
				assert.Equal(t, tc.path, e["path"])
			}
		})
	}
}

func TestAllowNamesTheMethods(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	assert.Equal(t, "POST", get("/v1/decisions", "").do(s).Header().Get("Allow"))
	assert.Equal(t, "GET, HEAD", post("/health", "").do(s).Header().Get("Allow"))
}

// brokenWriter panics once the answer has begun.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (brokenWriter) Write([]byte) (int, error) { panic("boom") }

func TestAPanicInTheMiddleOfAnAnswerCutsTheConnection(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	r := httptest.NewRequest(http.MethodGet, "http://localhost/health", nil)
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() {
		s.Handler().ServeHTTP(brokenWriter{httptest.NewRecorder()}, r)
	})
}

// exchange sends raw bytes on a new connection and returns the answer.
func exchange(t *testing.T, addr, raw string, halfClose bool) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	_, err = conn.Write([]byte(raw))
	require.NoError(t, err)
	if halfClose {
		require.NoError(t, conn.(*net.TCPConn).CloseWrite())
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	return answer
}

const rawHead = "POST /v1/decisions HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + decideToken + "\r\n"

func TestIncompleteBodiesAreRefused(t *testing.T) {
	t.Parallel()
	t.Run("a body that is too slow gets 408", func(t *testing.T) {
		t.Parallel()
		cfg := config(t)
		cfg.ReadTimeout = 50 * time.Millisecond
		addr, _ := tcp(t, newServer(t, cfg))
		answer := exchange(t, addr, rawHead+"Content-Length: 99\r\n\r\n{", false)
		assert.Equal(t, http.StatusRequestTimeout, answer.StatusCode)
		assert.Equal(t, "body_timeout", errorOf(t, answer.Body)["code"])
	})
	t.Run("a body that ends early gets 400", func(t *testing.T) {
		t.Parallel()
		addr, _ := tcp(t, newServer(t, config(t)))
		answer := exchange(t, addr, rawHead+"Content-Length: 99\r\n\r\n{", true)
		assert.Equal(t, http.StatusBadRequest, answer.StatusCode)
		assert.Equal(t, "body_incomplete", errorOf(t, answer.Body)["code"])
	})
	t.Run("a body of undeclared size is cut off at the limit with 413", func(t *testing.T) {
		t.Parallel()
		cfg := config(t)
		cfg.MaxBody = 8
		addr, _ := tcp(t, newServer(t, cfg))
		answer := exchange(t, addr, rawHead+"Transfer-Encoding: chunked\r\n\r\n10\r\n"+strings.Repeat(" ", 16)+"\r\n0\r\n\r\n", false)
		assert.Equal(t, http.StatusRequestEntityTooLarge, answer.StatusCode)
		assert.Equal(t, "body_too_large", errorOf(t, answer.Body)["code"])
	})
}

func TestOverload(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	entered, leave := make(chan struct{}), make(chan struct{})
	cfg.PDP.Policy = &fakePolicy{decide: func(context.Context, gavel.Facts) { entered <- struct{}{}; <-leave }}
	cfg.Limiter = server.NewLimiter(server.LimiterConfig{Requests: 1, RequestsEach: 2})
	s := newServer(t, cfg)
	done := make(chan int)
	go func() { done <- post("/v1/decisions", readCall).do(s).Code }()
	<-entered

	w := post("/v1/decisions", readCall).do(s)
	assert.Equal(t, http.StatusServiceUnavailable, w.Code)
	assert.Equal(t, "1", w.Header().Get("Retry-After"))
	assert.Equal(t, "overloaded", errorOf(t, w.Body)["code"])
	assert.Equal(t, http.StatusOK, get("/health", "").do(s).Code, "health does not depend on room")

	close(leave)
	assert.Equal(t, http.StatusOK, <-done)
	go func() { <-entered }()
	assert.Equal(t, http.StatusOK, post("/v1/decisions", readCall).do(s).Code, "the room is free again")
}

// TestEveryCodeHasACase reads the codes from the source, so that a new one
// without a test is noticed.
func TestEveryCodeHasACase(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{ // by tests of their own
		"body_timeout": true, "body_incomplete": true, "peer_refused": true, "too_many_connections": true,
	}
	for _, tc := range errorCases() {
		tested[tc.code] = true
	}
	file, err := parser.ParseFile(token.NewFileSet(), "errors.go", nil, 0)
	require.NoError(t, err)
	found := 0
	for name, object := range file.Scope.Objects {
		spec, ok := object.Decl.(*ast.ValueSpec)
		if !ok || !strings.HasPrefix(name, "code") {
			continue
		}
		code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
		require.NoError(t, err)
		assert.True(t, tested[code], "no case for %s", code)
		found++
	}
	assert.GreaterOrEqual(t, found, 18, "codes in errors.go")
}

func TestRT31AFullDiskIsReportedAsSuchAndLogged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		code   string
	}{
		"no space":                    {fmt.Errorf("replace the file: %w", &fs.PathError{Op: "write", Path: "/state/x", Err: syscall.ENOSPC}), 503, gavel.CodeApprovalsUnavailable},
		"no quota":                    {fmt.Errorf("replace the file: %w", syscall.EDQUOT), 503, gavel.CodeApprovalsUnavailable},
		"an error of the disk":        {fmt.Errorf("replace the file: %w", syscall.EIO), 500, "internal"},
		"no space behind a known one": {&gavel.ApprovalError{Code: gavel.CodeAllowlistCorrupt, Message: "x", Err: syscall.ENOSPC}, 503, gavel.CodeAllowlistCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			cfg := config(t)
			cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
			cfg.Handlers = map[string]server.Handler{"GET /v1/grants/key": func(http.ResponseWriter, *http.Request, gavel.Caller) error { return c.err }}
			w := get("/v1/grants/key", decideToken).do(newServer(t, cfg))
			assert.Equal(t, c.status, w.Code)
			e := errorOf(t, w.Body)
			assert.Equal(t, c.code, e["code"])
			assert.NotContains(t, fmt.Sprint(e), "/state/x", "the caller is not told where")
			assert.Contains(t, log.String(), "request failed", "whoever runs the server is told why")
		})
	}
}

func TestAServerOfSomeRoutesNamesOnlyThose(t *testing.T) {
	cfg := config(t)
	cfg.Only = []string{"GET /health"}
	cfg.Handlers = map[string]server.Handler{"POST /v1/exec": func(http.ResponseWriter, *http.Request, gavel.Caller) error { return nil }}
	answer := post("/v1/decisions", readCall).do(newServer(t, cfg))
	assert.Equal(t, http.StatusNotFound, answer.Code)
	assert.Equal(t, "use POST /v1/exec, GET /health", decoded(t, answer.Body)["error"].(map[string]any)["fix"])
}
