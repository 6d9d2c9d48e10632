package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

// fakeIdentities know tokens and names of certificates.
type fakeIdentities struct {
	mu    sync.Mutex
	known map[string]gavel.Identity
}

func (f *fakeIdentities) Token(token string) (gavel.Identity, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	who, ok := f.known[token]
	return who, ok
}

func (f *fakeIdentities) Certificate(names []string) (gavel.Identity, bool) {
	for _, name := range names {
		if who, ok := f.Token("cert:" + name); ok {
			return who, true
		}
	}
	return gavel.Identity{}, false
}

func (f *fakeIdentities) forget(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.known, token)
}

// fakeAudit remembers events.
type fakeAudit struct {
	mu     sync.Mutex
	events []gavel.AuditEvent
	fail   error
}

func (f *fakeAudit) Audit(_ context.Context, event gavel.AuditEvent) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		return f.fail
	}
	f.events = append(f.events, event)
	return nil
}

func (f *fakeAudit) all() []gavel.AuditEvent {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]gavel.AuditEvent(nil), f.events...)
}

const coderToken = "coder-0123456789-0123456789-0123456789"

func coders(claims ...string) *fakeIdentities {
	return &fakeIdentities{known: map[string]gavel.Identity{coderToken: {Name: "decide:coder",
		Speaks: &gavel.CallerFacts{Kind: gavel.CallerAgent, Name: "decide:coder", Agents: []string{"coder"}, Claims: claims}}}}
}

// seen is a server whose analyzer hands on the callers of its calls.
func seen(t *testing.T, cfg server.Config) (*server.Server, *atomic.Pointer[gavel.CallerFacts]) {
	t.Helper()
	var last atomic.Pointer[gavel.CallerFacts]
	cfg.PDP.Analyzer = fakeAnalyzer{func(call gavel.Call) gavel.Facts {
		last.Store(call.Caller)
		return gavel.Facts{Tool: gavel.ToolFacts{Name: call.Tool.Name}}
	}}
	return newServer(t, cfg), &last
}

func TestRT06EveryInterfaceIdentifiesTheCaller(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.Identities = []gavel.Identities{coders()}
	cfg.SharedDecideAgents = []string{"main", "ops"}
	s, last := seen(t, cfg)
	for name, q := range map[string]request{
		"a decision": post("/v1/decisions", readCall),
		"a batch":    post("/v1/decisions/batch", `{"calls":[`+readCall+`]}`),
		"the tools":  post("/v1/tools", question),
	} {
		last.Store(nil)
		require.Equal(t, http.StatusOK, q.do(s).Code, name)
		require.NotNil(t, last.Load(), name)
		assert.Equal(t, gavel.CallerFacts{Kind: "agent", Name: "decide", Agents: []string{"main", "ops"}}, *last.Load(), name)
		q.token = coderToken
		require.Equal(t, http.StatusOK, q.do(s).Code, name)
		assert.Equal(t, []string{"coder"}, last.Load().Agents, name)
		q.token = gatewayToken
		require.Equal(t, http.StatusOK, q.do(s).Code, name)
		assert.Equal(t, "gateway", last.Load().Kind, name)
	}
}

func TestRT06ACallWithAClaimThatItsCredentialMayNotMakeIsRefused(t *testing.T) {
	t.Parallel()
	claims := map[string]string{
		"model":       `"model":{"provider":"openai"}`,
		"group":       `"group":{"id":"g1"}`,
		"sender":      `"sender":{"id":"1"}`,
		"environment": `"environment":{}`,
	}
	inAgent := map[string]string{"depth": `"depth":0`, "parents": `"parents":[]`, "sandboxed": `"sandboxed":false`}
	call := func(claim string) string {
		if text, ok := inAgent[claim]; ok {
			return `{"agent":{"id":"coder",` + text + `},"tool":{"name":"read"}}`
		}
		return `{"agent":{"id":"coder"},` + claims[claim] + `,"tool":{"name":"read"}}`
	}
	for _, claim := range gavel.AllClaims() {
		cfg := config(t)
		cfg.Identities = []gavel.Identities{coders()}
		s := newServer(t, cfg)
		for _, token := range []string{coderToken, decideToken} {
			q := request{method: http.MethodPost, path: "/v1/decisions", token: token, body: call(claim)}
			answer := q.do(s)
			require.Equal(t, http.StatusForbidden, answer.Code, claim)
			e := errorOf(t, answer.Body)
			assert.Equal(t, "scope_required", e["code"])
			assert.True(t, strings.HasSuffix(e["path"].(string), claim), e["path"])
			q = request{method: http.MethodPost, path: "/v1/decisions/batch", token: token, body: `{"calls":[` + call(claim) + `]}`}
			require.Equal(t, http.StatusForbidden, q.do(s).Code, claim)
		}
		cfg = config(t)
		cfg.Identities = []gavel.Identities{coders(claim)}
		q := request{method: http.MethodPost, path: "/v1/decisions", token: coderToken, body: call(claim)}
		assert.Equal(t, http.StatusOK, q.do(newServer(t, cfg)).Code, "%s with the claim", claim)
	}
}

func TestRT23OnlyGatewaysSeeFactsThatWereLookedUp(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.PDP.Analyzer = fakeAnalyzer{func(gavel.Call) gavel.Facts {
		return gavel.Facts{Tool: gavel.ToolFacts{Name: "read", Params: map[string]any{"path": "link"}}, Environment: gavel.EnvironmentFacts{Home: "/home/secret"},
			Resources: []gavel.Resource{{Access: "read", Given: "link", Path: "/w/link", Real: "/etc/secret"}},
			Exec: &gavel.ExecFacts{Command: "bash x", Segments: []gavel.Segment{{Argv: []string{"bash", "x"},
				Executable: gavel.Executable{Real: "/usr/bin/secret", Inode: "77secret"},
				Scripts:    []gavel.Script{{Real: "/etc/secret", SHA256: "secret", Found: true}}}}}}
	}}
	s := newServer(t, cfg)
	told := post("/v1/decisions?explain=true", readCall).do(s).Body.String()
	assert.NotContains(t, told, "secret")
	assert.Contains(t, told, `"command":"bash x"`)
	assert.Contains(t, told, `"given":"link"`)
	assert.NotContains(t, post("/v1/decisions/batch?explain=true", `{"calls":[`+readCall+`]}`).do(s).Body.String(), "secret")
	q := post("/v1/decisions?explain=true", readCall)
	q.token = gatewayToken
	assert.Contains(t, q.do(s).Body.String(), `"sha256":"secret"`)
}

func TestRefusedRequestsAreRecordedAndCannotFillTheLog(t *testing.T) {
	t.Parallel()
	audit := &fakeAudit{}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	cfg := config(t)
	cfg.Audit, cfg.Now = audit, func() time.Time { return now }
	s := newServer(t, cfg)
	for range 100 {
		require.Equal(t, http.StatusUnauthorized, get("/v1/status", "wrong-"+adminToken).do(s).Code)
	}
	require.Len(t, audit.all(), 30)
	q := post("/v1/decisions", readCall)
	q.token = adminToken
	require.Equal(t, http.StatusForbidden, q.do(s).Code)
	events := audit.all()
	require.Len(t, events, 31)
	assert.Equal(t, gavel.AuditLoginRefused, events[0].Kind)
	assert.Equal(t, map[string]any{"method": "GET", "path": "/v1/status", "code": "unauthenticated"}, events[0].Detail)
	assert.Equal(t, gavel.AuditAccessRefused, events[30].Kind)
	assert.Equal(t, "admin", events[30].By)
	now = now.Add(time.Minute)
	get("/v1/status", "wrong-"+adminToken).do(s)
	events = audit.all()
	assert.Equal(t, 70, events[31].Detail["suppressed"])
	for _, event := range events {
		assert.NotContains(t, fmt.Sprint(event), adminToken, "no event holds a token")
	}
}
