package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/private"
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

func TestRT06WhatACredentialMayNotClaimIsRefused(t *testing.T) {
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

func TestRT23FactsThatWereLookedUpAreForGateways(t *testing.T) {
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

func TestRT12ATokenFileThatIsDeletedOrReplacedIsRevokedAtOnce(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "state")
	files, err := server.OpenTokenFiles(dir, []string{"main"}, false, slog.New(slog.DiscardHandler), nil)
	require.NoError(t, err)
	path := filepath.Join(dir, "tokens", "decide.token")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	old := strings.TrimSpace(string(text))
	cfg := config(t)
	cfg.Tokens, cfg.Identities = server.Tokens{}, []gavel.Identities{files}
	s := newServer(t, cfg)
	status := func(token string) int {
		q := post("/v1/decisions", readCall)
		q.token = token
		return q.do(s).Code
	}
	require.Equal(t, http.StatusOK, status(old))
	require.NoError(t, os.WriteFile(path, []byte(decideToken), 0o600)) // in its place
	assert.Equal(t, http.StatusUnauthorized, status(old))
	assert.Equal(t, http.StatusOK, status(decideToken))
	require.NoError(t, os.WriteFile(path+".new", []byte(coderToken), 0o600))
	require.NoError(t, os.Rename(path+".new", path)) // as an editor does
	assert.Equal(t, http.StatusUnauthorized, status(decideToken))
	assert.Equal(t, http.StatusOK, status(coderToken))
	require.NoError(t, os.Chmod(path, 0o644))
	assert.Equal(t, http.StatusUnauthorized, status(coderToken), "others may read it")
	require.NoError(t, os.Chmod(path, 0o600))
	assert.Equal(t, http.StatusOK, status(coderToken))
	gateway := filepath.Join(dir, "tokens", "gateway.token")
	require.NoError(t, os.WriteFile(gateway, []byte("gateway-"+adminToken), 0o600))
	assert.Equal(t, http.StatusOK, status(coderToken), "its own file is the same")
	assert.Equal(t, http.StatusOK, status("gateway-"+adminToken), "another file was changed in its place")
	require.NoError(t, os.Remove(path))
	assert.Equal(t, http.StatusUnauthorized, status(coderToken))
	assert.NoFileExists(t, path, "it is not made again")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "tokens", "approve.alice.token"), []byte("alice-"+adminToken), 0o600))
	assert.Equal(t, http.StatusOK, get("/v1/status", "alice-"+adminToken).do(s).Code, "a person who is added is known")
}

func TestRT12ATokenThatWasNotTouchedForLongIsRevokedAtOnce(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(t *testing.T, folder, path string){
		"its file is removed":     func(t *testing.T, _, path string) { require.NoError(t, os.Remove(path)) },
		"its file has others":     func(t *testing.T, _, path string) { require.NoError(t, os.Chmod(path, 0o640)) },
		"its file is overwritten": func(t *testing.T, _, path string) { require.NoError(t, os.WriteFile(path, []byte(coderToken), 0o600)) },
		"its file is replaced": func(t *testing.T, _, path string) {
			require.NoError(t, os.Rename(filepath.Join(filepath.Dir(path), "gateway.token"), path))
		},
		"its folder has others":    func(t *testing.T, folder, _ string) { require.NoError(t, os.Chmod(folder, 0o755)) },
		"its folder is moved away": func(t *testing.T, folder, _ string) { require.NoError(t, os.Rename(folder, folder+".old")) },
		"the state is moved away": func(t *testing.T, folder, _ string) {
			require.NoError(t, os.Rename(filepath.Dir(folder), filepath.Dir(folder)+".old"))
		},
		"an empty folder takes its place": func(t *testing.T, folder, _ string) {
			require.NoError(t, os.Rename(folder, folder+".old"))
			require.NoError(t, os.Mkdir(folder, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "state")
			files, err := server.OpenTokenFiles(dir, []string{"main"}, false, slog.New(slog.DiscardHandler), nil)
			require.NoError(t, err)
			folder, path := filepath.Join(dir, "tokens"), filepath.Join(dir, "tokens", "decide.token")
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			token := strings.TrimSpace(string(text))
			holds := func() bool { _, ok := files.Token(token); return ok }
			require.Eventually(t, func() bool { return private.PrintOf(folder).Settled() && private.PrintOf(path).Settled() }, 10*time.Second, time.Millisecond)
			require.True(t, holds(), "the files are read again, for the last time")
			require.True(t, holds())
			revoke(t, folder, path)
			assert.False(t, holds())
		})
	}
}

func TestARequestThatWaitsEndsWhenItsTokenIsRevoked(t *testing.T) {
	t.Parallel()
	known := coders()
	began, ended := make(chan gavel.Caller, 1), make(chan error, 1)
	cfg := config(t)
	cfg.Identities = []gavel.Identities{known}
	cfg.Handlers = map[string]server.Handler{"GET /v1/approvals/{id}/wait": func(_ http.ResponseWriter, r *http.Request, from gavel.Caller) error {
		began <- from
		<-r.Context().Done()
		ended <- context.Cause(r.Context())
		return nil
	}}
	s := newServer(t, cfg)
	go get("/v1/approvals/1/wait", coderToken).do(s)
	from := <-began
	require.True(t, from.Valid())
	known.forget(coderToken)
	assert.False(t, from.Valid(), "the next message is refused")
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Fatal("it still waits")
	}
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

// fakePauses keeps pauses in memory.
type fakePauses struct {
	mu   sync.Mutex
	list []gavel.Pause
}

func (f *fakePauses) Observe(*gavel.AgentFacts) gavel.PauseFacts { return gavel.PauseFacts{} }

func (f *fakePauses) List() ([]gavel.Pause, error) { return f.list, nil }

func (f *fakePauses) Pause(_ context.Context, p gavel.Pause) error {
	f.list = append(f.list, p)
	return nil
}

func (f *fakePauses) Resume(context.Context, string) (bool, error) {
	was := len(f.list) > 0
	f.list = nil
	return was, nil
}

func TestAdministratorsPauseAgents(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	audit, kept := &fakeAudit{}, &fakePauses{}
	cfg := config(t)
	cfg.Audit, cfg.Pauses, cfg.Now = audit, kept, func() time.Time { return now }
	s := newServer(t, cfg)
	pause := request{method: http.MethodPost, path: "/v1/agents/Coder/pause", token: adminToken, body: `{"why":"loops","forSeconds":3600}`}
	for _, token := range []string{decideToken, gatewayToken} {
		other := pause
		other.token = token
		assert.Equal(t, http.StatusForbidden, other.do(s).Code)
	}
	require.Empty(t, kept.list)
	require.Equal(t, http.StatusOK, pause.do(s).Code)
	assert.Equal(t, []gavel.Pause{{Agent: "coder", Since: now, Until: now.Add(time.Hour), Why: "loops", By: "admin"}}, kept.list)
	assert.Contains(t, get("/v1/status", decideToken).do(s).Body.String(), `"paused":[{"agent":"coder"`)
	assert.Contains(t, get("/v1/agents", adminToken).do(s).Body.String(), `"why":"loops"`)
	pause.body = `{"why":"loops","forSeconds":-1}`
	assert.Equal(t, http.StatusBadRequest, pause.do(s).Code)

	resume := request{method: http.MethodPost, path: "/v1/agents/coder/resume", token: adminToken}
	audit.fail = assert.AnError
	assert.Equal(t, http.StatusInternalServerError, resume.do(s).Code, "what cannot be recorded is not done")
	require.NotEmpty(t, kept.list)
	audit.fail = nil
	require.Equal(t, http.StatusOK, resume.do(s).Code)
	assert.Equal(t, http.StatusNotFound, resume.do(s).Code)
	assert.Equal(t, gavel.AuditAgentPaused, audit.all()[len(audit.all())-3].Kind)
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newCertificate(t *testing.T, by *authority, template x509.Certificate) (tls.Certificate, authority) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := &template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, authority{cert, key}
}

func TestAClientCertificateIsACredential(t *testing.T) {
	t.Parallel()
	_, ca := newCertificate(t, nil, x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "ca"}})
	_, other := newCertificate(t, nil, x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "ca"}})
	own, _ := newCertificate(t, &ca, x509.Certificate{DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	client := func(by *authority, dns []string, name string) *tls.Certificate {
		cert, _ := newCertificate(t, by, x509.Certificate{DNSNames: dns, Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		return &cert
	}
	cfg := config(t)
	cfg.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}
	cfg.Identities = []gavel.Identities{&fakeIdentities{known: map[string]gavel.Identity{"cert:build.example.com": {Name: "gateway:build", Speaks: gavel.Trusted()}}}}
	addr, _ := tcp(t, newServer(t, cfg))
	get := func(cert *tls.Certificate, token string) (int, error) {
		config := &tls.Config{RootCAs: pool, ServerName: "localhost"}
		if cert != nil {
			config.Certificates = []tls.Certificate{*cert}
		}
		transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}
		defer transport.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+addr+"/v1/status", nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	for name, c := range map[string]struct {
		cert  *tls.Certificate
		token string
		want  int // 0: no connection
	}{
		"a certificate of a known name":         {client(&ca, []string{"build.example.com"}, ""), "", 200},
		"one that has only the common name":     {client(&ca, nil, "build.example.com"), "", 200},
		"one whose common name is not its name": {client(&ca, []string{"x.example.com"}, "build.example.com"), "", 401},
		"one of nobody's":                       {client(&ca, []string{"x.example.com"}, ""), "", 401},
		"one of another authority":              {client(&other, []string{"build.example.com"}, ""), "", 0},
		"no certificate and a token":            {nil, adminToken, 200},
		"neither":                               {nil, "", 401},
		"a good certificate and a wrong token":  {client(&ca, []string{"build.example.com"}, ""), "wrong-" + adminToken, 401},
	} {
		status, err := get(c.cert, c.token)
		if c.want == 0 {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want, status, name)
	}
	plain, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/health", nil)
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(plain)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, answer.StatusCode, "nothing is served in the clear")
	require.NoError(t, answer.Body.Close())
}
