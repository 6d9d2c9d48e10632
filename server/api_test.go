package server_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

func TestADecisionEchoesTheIDOfItsCall(t *testing.T) {
	t.Parallel()
	w := post("/v1/decisions", readCall).do(newServer(t, config(t)))
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.JSONEq(t, `{"id":"00000000-0000-4000-8000-000000000000","call":"c1","decision":"allow",
		"reasons":[{"layer":"tools","code":"tools.fake","message":""}],"revision":"r1"}`, w.Body.String())
	assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
	assert.Equal(t, "no-store", w.Header().Get("Cache-Control"))
	assert.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
}

func TestAnExplanationIsGivenWhenAskedFor(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	for query, want := range map[string]bool{"": false, "?explain=false": false, "?explain=true": true} {
		answer := decoded(t, post("/v1/decisions"+query, readCall).do(s).Body)
		assert.Equal(t, want, answer["layers"] != nil, query)
		assert.Equal(t, want, answer["facts"] != nil, query)
	}
}

func TestAChangeIsShownToGatewaysThatAskForIt(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	refused := strings.Replace(readCall, "read", "exec", 1)
	for _, c := range []struct {
		path, call, token string
		want              bool
	}{
		{"/v1/decisions?change=true", refused, gatewayToken, true},
		{"/v1/decisions?explain=true&change=true", refused, gatewayToken, true},
		{"/v1/decisions?change=true&pins=true", refused, gatewayToken, true},
		{"/v1/decisions?change=false", refused, gatewayToken, false},
		{"/v1/decisions", refused, gatewayToken, false},
		{"/v1/decisions?change=true", refused, decideToken, false},
		{"/v1/decisions?change=true", readCall, gatewayToken, false},
	} {
		q := post(c.path, c.call)
		q.token = c.token
		w := q.do(s)
		assert.Equal(t, c.want, strings.Contains(w.Body.String(), `"change"`), "%+v: %s", c, w.Body)
	}
	q := post("/v1/decisions/batch?change=true", `{"calls":[`+readCall+`,`+refused+`]}`)
	q.token = gatewayToken
	body := q.do(s).Body.String()
	assert.Equal(t, 1, strings.Count(body, `"change"`), body)
}

func TestWithoutAPolicyEveryCallIsDenied(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.PDP.Policy = &fakePolicy{none: true}
	w := post("/v1/decisions", readCall).do(newServer(t, cfg))
	require.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "deny", decoded(t, w.Body)["decision"])
}

func TestAPanicWhileDecidingIsADeny(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.PDP.Analyzer = fakeAnalyzer{func(gavel.Call) gavel.Facts { panic("boom") }}
	w := post("/v1/decisions", readCall).do(newServer(t, cfg))
	require.Equal(t, http.StatusOK, w.Code)
	assert.Equal(t, "deny", decoded(t, w.Body)["decision"])
}

func TestTheDecisionLogRecordsWhoAsked(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	log := fakeLog{make(chan string, 1)}
	cfg.PDP.Log = log
	post("/v1/decisions", readCall).do(newServer(t, cfg))
	assert.Equal(t, "decide@192.0.2.1:1234", <-log.callers)
}

func TestJSONIsAcceptedWithTheContentTypesThatClientsSend(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"application/json; charset=UTF-8", "application/x-www-form-urlencoded"} {
		q := post("/v1/decisions", readCall)
		q.header = map[string]string{"Content-Type": media}
		assert.Equal(t, http.StatusOK, q.do(newServer(t, config(t))).Code, media)
	}
}

func TestBatch(t *testing.T) {
	t.Parallel()
	t.Run("calls are decided in order by one snapshot", func(t *testing.T) {
		t.Parallel()
		body := `{"calls":[` + readCall + `,` + strings.ReplaceAll(readCall, "read", "exec") + `,` +
			strings.ReplaceAll(readCall, "read", "write") + `]}`
		w := post("/v1/decisions/batch", body).do(newServer(t, config(t)))
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		decisions := decoded(t, w.Body)["decisions"].([]any)
		require.Len(t, decisions, 3)
		for i, want := range []string{"allow", "ask", "deny"} {
			decision := decisions[i].(map[string]any)
			assert.Equal(t, want, decision["decision"])
			assert.Equal(t, "r1", decision["revision"])
		}
	})
	t.Run("one bad call refuses them all, and nothing is decided", func(t *testing.T) {
		t.Parallel()
		for _, bad := range []string{
			`{}`, `{"agent":{"id":"a","id":"b"}}`, `null`,
			`{"agent":{"id":"main"},"tool":{"name":"read"},"environment":{}}`,
		} {
			cfg := config(t)
			policy := &fakePolicy{}
			cfg.PDP.Policy = policy
			w := post("/v1/decisions/batch", `{"calls":[`+readCall+`,`+bad+`]}`).do(newServer(t, cfg))
			assert.GreaterOrEqual(t, w.Code, 400, bad)
			assert.True(t, strings.HasPrefix(errorOf(t, w.Body)["path"].(string), "/calls/1"), bad)
			assert.Zero(t, policy.asked.Load(), bad)
		}
	})
}

func TestTools(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	w := post("/v1/tools", question).do(s)
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	assert.JSONEq(t, `{"tools":[{"name":"read","visible":true}],"revision":"r1"}`, w.Body.String())
	assert.Equal(t, http.StatusBadRequest, post("/v1/tools", readCall).do(s).Code, "a call with a tool is not a question")
}

func TestStatus(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := start
	var mu sync.Mutex
	cfg := config(t)
	cfg.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return clock }
	cfg.Status = func() gavel.PolicyStatus {
		return gavel.PolicyStatus{Source: "/etc/gavel", Revision: "r1", Reloads: 2, Failures: 1, Remembered: 5, Evaluated: 3, StaleSince: start,
			Problems: []gavel.Problem{{File: "config.yaml", Line: 3, Column: 1, Message: "unknown key"}}}
	}
	s := newServer(t, cfg)
	mu.Lock()
	clock = start.Add(90 * time.Second)
	mu.Unlock()

	t.Run("status says version, uptime, and why the policy is stale", func(t *testing.T) {
		w := get("/v1/status", adminToken).do(s)
		require.Equal(t, http.StatusOK, w.Code)
		assert.JSONEq(t, `{"version":"v1.2.3","startedAt":"2026-01-02T03:04:05Z","uptimeSeconds":90,"stuck":0,
			"policy":{"source":"/etc/gavel","revision":"r1","staleSince":"2026-01-02T03:04:05Z","reloads":2,"failures":1,"remembered":5,"evaluated":3,
			"problems":[{"file":"config.yaml","line":3,"column":1,"message":"unknown key"}]}}`, w.Body.String())
	})
	t.Run("RT-29: without a token a stale policy is ready, and says since when and no more", func(t *testing.T) {
		for _, token := range []string{"", "not-one-of-this-servers-tokens"} {
			w := get("/ready", token).do(s)
			require.Equal(t, http.StatusOK, w.Code)
			assert.JSONEq(t, `{"status":"ready","revision":"r1","stale":{"since":"2026-01-02T03:04:05Z"}}`, w.Body.String())
		}
	})
	t.Run("a stale policy is ready, and says what is wrong and where to those who may read the status", func(t *testing.T) {
		w := get("/ready", adminToken).do(s)
		require.Equal(t, http.StatusOK, w.Code)
		assert.JSONEq(t, `{"status":"ready","revision":"r1","stale":{"since":"2026-01-02T03:04:05Z",
			"problems":[{"file":"config.yaml","line":3,"column":1,"message":"unknown key"}]}}`, w.Body.String())
	})
	t.Run("metrics say the same", func(t *testing.T) {
		body := get("/metrics", decideToken).do(s).Body.String()
		for _, line := range []string{
			"gavel_policy_stale_seconds 90", `gavel_policy_answers_total{from="memory"} 5`, `gavel_policy_answers_total{from="evaluation"} 3`, "gavel_policy_reloads_total 2", "gavel_policy_reload_failures_total 1",
			`gavel_policy_info{revision="r1"} 1`,
		} {
			assert.Contains(t, body, line+"\n")
		}
	})
}

func TestHealth(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	t.Run("health is ok without a token", func(t *testing.T) {
		t.Parallel()
		w := get("/health", "").do(s)
		assert.Equal(t, http.StatusOK, w.Code)
		assert.JSONEq(t, `{"status":"ok"}`, w.Body.String())
	})
	t.Run("a current policy is ready and not stale", func(t *testing.T) {
		t.Parallel()
		assert.JSONEq(t, `{"status":"ready","revision":"r1"}`, get("/ready", "").do(s).Body.String())
	})
	t.Run("HEAD is answered wherever GET is", func(t *testing.T) {
		t.Parallel()
		for _, path := range []string{"/health", "/ready", "/metrics", "/v1/status"} {
			q := get(path, adminToken)
			q.method = http.MethodHead
			assert.Equal(t, http.StatusOK, q.do(s).Code, path)
		}
	})
}

func TestMetricsCount(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	post("/v1/decisions", readCall).do(s)
	post("/v1/decisions/batch", `{"calls":[`+readCall+`,`+strings.ReplaceAll(readCall, "read", "exec")+`]}`).do(s)
	post("/v1/decisions", `{`).do(s)
	post("/v1/secret-"+strings.Repeat("x", 20), `{`).do(s)
	body := get("/metrics", adminToken).do(s).Body.String()
	for _, line := range []string{
		`gavel_decisions_total{decision="allow"} 2`,
		`gavel_decisions_total{decision="ask"} 1`,
		`gavel_decisions_total{decision="deny"} 0`,
		`gavel_http_requests_total{code="200",route="/v1/decisions"} 1`,
		`gavel_http_requests_total{code="400",route="/v1/decisions"} 1`,
		`gavel_http_requests_total{code="404",route="unmatched"} 1`,
		`gavel_http_request_duration_seconds_count{route="/v1/decisions"} 2`,
		`gavel_in_flight_requests 1`, // this one
	} {
		assert.Contains(t, body, line+"\n")
	}
	assert.Contains(t, body, "go_goroutines")
	assert.NotContains(t, body, "secret", "paths that nobody serves make no series")
}

func TestConcurrentRequests(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			tool, want := "read", "allow"
			if i%2 == 1 {
				tool, want = "exec", "ask"
			}
			for range 50 {
				w := post("/v1/decisions", strings.ReplaceAll(readCall, "read", tool)).do(s)
				assert.Equal(t, want, decoded(t, w.Body)["decision"])
			}
		})
	}
	group.Wait()
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*server.Config){
		"no PDP":                func(c *server.Config) { c.PDP = nil },
		"a PDP that is a shell": func(c *server.Config) { c.PDP = &gavel.PDP{} },
		"no status":             func(c *server.Config) { c.Status = nil },
		"a negative limit":      func(c *server.Config) { c.MaxBatch = -1 },
		"a negative timeout":    func(c *server.Config) { c.ReadTimeout = -1 },
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			t.Parallel()
			cfg := config(t)
			spoil(&cfg)
			_, err := server.New(cfg)
			require.Error(t, err)
		})
	}
}

func BenchmarkServeDecision(b *testing.B) {
	s := newServer(b, config(b))
	b.ReportAllocs()
	for b.Loop() {
		if w := post("/v1/decisions", readCall).do(s); w.Code != http.StatusOK {
			b.Fatal(w.Body)
		}
	}
}
