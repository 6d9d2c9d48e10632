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
	"math"
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

// errorCase is a request that gets an error.
type errorCase struct {
	name   string
	adapt  func(*server.Config) // may be nil
	send   request
	status int
	code   string
	path   string // of the body
}

func errorCases() []errorCase {
	decisions := func(body string) request { return post("/v1/decisions", body) }
	with := func(q request, header, value string) request {
		q.header = map[string]string{header: value}
		return q
	}
	at := func(host string) request { q := get("/health", ""); q.host = host; return q }
	method := func(q request, m string) request { q.method = m; return q }
	deep := `{"agent":{"id":"a"},"tool":{"name":"x","params":{"a":` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}}}`
	small := func(c *server.Config) { c.MaxBody = 64 }
	return []errorCase{
		{"an empty body", nil, decisions(""), 400, "malformed_json", ""},
		{"a duplicate member", nil, decisions(`{"agent":{"id":"a","id":"b"}}`), 400, "malformed_json", "/agent/id"},
		{"an unknown member", nil, decisions(`{"agent":{"idd":"a"}}`), 400, "malformed_json", "/agent/idd"},
		{"bytes after the call", nil, decisions(readCall + "x"), 400, "malformed_json", ""},
		{"a second call", nil, decisions(readCall + readCall), 400, "malformed_json", ""},
		{"nesting too deep", nil, decisions(deep), 400, "malformed_json", ""},
		{"invalid UTF-8", nil, decisions("{\"id\":\"\xff\"}"), 400, "malformed_json", "/id"},
		{"no agent", nil, decisions(`{"tool":{"name":"read"}}`), 400, "invalid_call", "/agent/id"},
		{"no tool", nil, decisions(question), 400, "invalid_call", "/tool/name"},
		{"a tool in a question about all", nil, post("/v1/tools", readCall), 400, "invalid_call", "/tool"},
		{"an empty batch", nil, post("/v1/decisions/batch", `{"calls":[]}`), 400, "invalid_call", "/calls"},
		{"a bad call in a batch", nil, post("/v1/decisions/batch", `{"calls":[`+readCall+`,{}]}`), 400, "invalid_call", "/calls/1/agent/id"},
		{"an unknown query", nil, post("/v1/decisions?explian=true", readCall), 400, "invalid_query", ""},
		{"another value of explain", nil, post("/v1/decisions?explain=1", readCall), 400, "invalid_query", ""},
		{"explain said twice", nil, post("/v1/decisions?explain=true&explain=false", readCall), 400, "invalid_query", ""},
		{"another value of change", nil, post("/v1/decisions?change=yes", readCall), 400, "invalid_query", ""},
		{"a broken query", nil, post("/v1/decisions?explain=%zz", readCall), 400, "invalid_query", ""},
		{"a query of a batch", nil, post("/v1/decisions/batch?x=1", readCall), 400, "invalid_query", ""},
		{"a query of tools", nil, post("/v1/tools?explain=true", question), 400, "invalid_query", ""},
		{"a query of status", nil, get("/v1/status?x", adminToken), 400, "invalid_query", ""},
		{"no token", nil, get("/v1/status", ""), 401, "unauthenticated", ""},
		{"a wrong token", nil, get("/v1/status", decideToken+"x"), 401, "unauthenticated", ""},
		{"another scheme", nil, with(get("/v1/status", ""), "Authorization", "Basic "+decideToken), 401, "unauthenticated", ""},
		{"a blank token", nil, with(get("/v1/status", ""), "Authorization", "Bearer "), 401, "unauthenticated", ""},
		{"any token without tokens", func(c *server.Config) { c.Tokens = server.Tokens{} }, get("/v1/status", decideToken), 401, "unauthenticated", ""},
		{"a claimed environment", nil, decisions(strings.Replace(readCall, "{", `{"environment":{},`, 1)), 403, "scope_required", "/environment"},
		{"a claimed sender", nil, decisions(strings.Replace(readCall, "{", `{"sender":{},`, 1)), 403, "scope_required", "/sender"},
		{"a claimed sender for tools", nil, post("/v1/tools", strings.Replace(question, "{", `{"sender":{},`, 1)), 403, "scope_required", "/sender"},
		{"a page's request", nil, with(get("/health", ""), "Origin", "http://localhost"), 403, "origin_refused", ""},
		{"a request from no page in particular", nil, with(get("/health", ""), "Origin", "null"), 403, "origin_refused", ""},
		{"another host's name", nil, at("attacker.example:8181"), 403, "host_refused", ""},
		{"a name that begins like ours", nil, at("localhost.attacker.example"), 403, "host_refused", ""},
		{"an address beyond loopback", nil, at("192.0.2.1:8181"), 403, "host_refused", ""},
		{"an unknown path", nil, get("/v2/decisions", decideToken), 404, "not_found", ""},
		{"a path with a slash too many", nil, post("/v1/decisions/", readCall), 404, "not_found", ""},
		{"an encoded path", nil, post("/v1%2Fdecisions", readCall), 404, "not_found", ""},
		{"a wrong method", nil, get("/v1/decisions", decideToken), 405, "method_not_allowed", ""},
		{"an unheard-of method", nil, method(get("/health", ""), "BREW"), 405, "method_not_allowed", ""},
		{"a body too large", small, decisions(readCall), 413, "body_too_large", ""},
		{"a batch too large", func(c *server.Config) { c.MaxBatch = 1 }, post("/v1/decisions/batch", `{"calls":[`+readCall+`,`+readCall+`]}`), 413, "batch_too_large", ""},
		{"a form with parts", nil, with(decisions(readCall), "Content-Type", "multipart/form-data; boundary=x"), 415, "unsupported_media_type", ""},
		{"a form of text that is not a call", nil, with(decisions("a=b"), "Content-Type", "application/x-www-form-urlencoded"), 400, "malformed_json", ""},
		{"plain text", nil, with(decisions(readCall), "Content-Type", "text/plain"), 415, "unsupported_media_type", ""},
		{"another charset", nil, with(decisions(readCall), "Content-Type", "application/json; charset=utf-16"), 415, "unsupported_media_type", ""},
		{"a compressed body", nil, with(decisions(readCall), "Content-Encoding", "gzip"), 415, "unsupported_media_type", ""},
		{"readiness without a policy", func(c *server.Config) {
			c.Status = func() gavel.PolicyStatus { return gavel.PolicyStatus{} }
		}, get("/ready", ""), 503, "no_policy", ""},
		{"a panic in a handler", func(c *server.Config) {
			c.Status = func() gavel.PolicyStatus { panic("secret detail") }
		}, get("/ready", ""), 500, "internal", ""},
		{"an answer that JSON cannot say", func(c *server.Config) {
			c.PDP.Analyzer = fakeAnalyzer{func(gavel.Call) gavel.Facts {
				return gavel.Facts{Tool: gavel.ToolFacts{Name: "read", Params: map[string]any{"x": math.Inf(1)}}}
			}}
		}, post("/v1/decisions?explain=true", readCall), 500, "internal", ""},
	}
}

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
