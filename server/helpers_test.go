package server_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/server"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	decideToken  = "decide-0123456789-0123456789-0123456789"
	gatewayToken = "gateway-0123456789-0123456789-0123456789"
	adminToken   = "admin-0123456789-0123456789-0123456789"

	readCall = `{"id":"c1","agent":{"id":"main"},"tool":{"name":"read","params":{"path":"/x"}}}`
	question = `{"agent":{"id":"main"}}`
)

// fakeAnalyzer passes on what the fake snapshot looks at.
type fakeAnalyzer struct{ analyze func(gavel.Call) gavel.Facts }

func (f fakeAnalyzer) Analyze(_ context.Context, call gavel.Call, _ *gavel.AnalyzerSettings) gavel.Facts {
	if f.analyze != nil {
		return f.analyze(call)
	}
	return gavel.Facts{Agent: gavel.AgentFacts{ID: call.Agent.ID}, Tool: gavel.ToolFacts{Name: call.Tool.Name}}
}

// fakeSnapshot allows read, asks for exec, and denies the rest.
type fakeSnapshot struct {
	revision string
	decide   func(context.Context, gavel.Facts) // called first; may be nil
}

func (f fakeSnapshot) Revision() string { return f.revision }

func (f fakeSnapshot) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	if f.decide != nil {
		f.decide(ctx, facts)
	}
	decision := gavel.Decision{Revision: f.revision, Reasons: []gavel.Reason{{Layer: "tools", Code: "tools.fake"}}}
	switch facts.Tool.Name {
	case "read":
		decision.Effect = gavel.Allow
	case "exec":
		decision.Effect, decision.Terms = gavel.Ask, &gavel.Terms{Quorum: 1}
	}
	if explain {
		decision.Layers = []gavel.Layer{{Layer: "tools"}}
	}
	return decision
}

func (f fakeSnapshot) Tools(context.Context, gavel.Facts) gavel.ToolReport {
	return gavel.ToolReport{Revision: f.revision, Tools: []gavel.ToolVerdict{{Name: "read", Visible: true}}}
}

func (fakeSnapshot) Change(context.Context, gavel.Facts) gavel.Change {
	return gavel.Change{Patch: "+ more", Admits: "more", Decision: "allow"}
}

func (fakeSnapshot) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (fakeSnapshot) Overrides() []string                       { return nil }

func (fakeSnapshot) Masks() bool { return false }

func (fakeSnapshot) Mask(context.Context, map[string]any) ([]gavel.MaskRule, error) { return nil, nil }

// fakePolicy hands out a snapshot whose revision counts the times it was asked.
type fakePolicy struct {
	asked  atomic.Int64
	decide func(context.Context, gavel.Facts)
	none   bool
}

func (f *fakePolicy) Current() gavel.Snapshot {
	n := f.asked.Add(1)
	if f.none {
		return nil
	}
	return fakeSnapshot{revision: "r" + string(rune('0'+n)), decide: f.decide}
}

// fakeLog remembers who asked.
type fakeLog struct{ callers chan string }

func (f fakeLog) Record(_ context.Context, event gavel.Event) error {
	select {
	case f.callers <- event.RequestedBy:
	default:
	}
	return nil
}

// config returns a working configuration with all three tokens.
func config(t testing.TB) server.Config {
	t.Helper()
	tokens, err := server.NewTokens(map[string]string{
		"decide": decideToken, "gateway": gatewayToken, "admin": adminToken,
	})
	require.NoError(t, err)
	return server.Config{
		PDP: &gavel.PDP{
			Analyzer: fakeAnalyzer{},
			Policy:   &fakePolicy{},
			NewID:    func() string { return "00000000-0000-4000-8000-000000000000" },
			Now:      time.Now,
		},
		Status:  func() gavel.PolicyStatus { return gavel.PolicyStatus{Source: "built-in", Revision: "r1"} },
		Tokens:  tokens,
		Version: "v1.2.3",
	}
}

func newServer(t testing.TB, cfg server.Config) *server.Server {
	t.Helper()
	s, err := server.New(cfg)
	require.NoError(t, err)
	return s
}

// request is one request in a few words.
type request struct {
	method, path, token, body string
	header                    map[string]string
	host                      string
}

func (q request) do(s *server.Server) *httptest.ResponseRecorder {
	r := httptest.NewRequest(q.method, q.path, strings.NewReader(q.body))
	r.Host = "localhost:8181"
	if q.host != "" {
		r.Host = q.host
	}
	if q.token != "" {
		r.Header.Set("Authorization", "Bearer "+q.token)
	}
	for name, value := range q.header {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, r)
	return w
}

// post is a POST with the decide token.
func post(path, body string) request {
	return request{method: http.MethodPost, path: path, token: decideToken, body: body}
}

func get(path, token string) request {
	return request{method: http.MethodGet, path: path, token: token}
}

// decoded returns a body as JSON.
func decoded(t *testing.T, body io.Reader) map[string]any {
	t.Helper()
	var v map[string]any
	require.NoError(t, json.NewDecoder(body).Decode(&v))
	return v
}

// errorOf returns the error of a body.
func errorOf(t *testing.T, body io.Reader) map[string]any {
	t.Helper()
	e, ok := decoded(t, body)["error"].(map[string]any)
	require.True(t, ok, "the body has no error")
	return e
}

// start serves on listeners until the test ends, or stop is called, which
// returns what Serve returned.
func start(t *testing.T, s *server.Server, listeners ...net.Listener) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, listeners...) }()
	stopped := false
	stop = func() error {
		cancel()
		if stopped {
			return nil
		}
		stopped = true
		return <-done
	}
	t.Cleanup(func() { _ = stop() })
	return stop
}

// short is a directory with a short name: a socket's path has a limit.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(dir)) })
	return dir
}

// tcp serves on a free loopback port and returns its address.
func tcp(t *testing.T, s *server.Server) (addr string, stop func() error) {
	t.Helper()
	ln, err := s.ListenTCP("127.0.0.1:0")
	require.NoError(t, err)
	return ln.Addr().String(), start(t, s, ln)
}

// client returns a client without connections of other tests. A path of a unix
// socket, when not empty, is where it connects.
func client(t *testing.T, socket string) *http.Client {
	t.Helper()
	transport := &http.Transport{}
	if socket != "" {
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		}
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}
