package server_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// fakePauses keeps pauses in memory.
type fakePauses struct {
	mu    sync.Mutex
	list  []gavel.Pause
	fails error // of a pause
}

func (f *fakePauses) Observe(*gavel.AgentFacts) gavel.PauseFacts { return gavel.PauseFacts{} }

func (f *fakePauses) List() ([]gavel.Pause, error) { return f.list, nil }

func (f *fakePauses) Pause(_ context.Context, p gavel.Pause) error {
	f.list = append(f.list, p)
	return f.fails
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

func TestAPauseAppliesHoweverThePathSpellsTheAgent(t *testing.T) {
	t.Parallel()
	for path, agent := range map[string]string{"coder": "coder", "c%6Fder": "coder", "team%2Fa": "team/a", "agent%3Ax": "agent:x", "a%20b": "a b", "c%256Fder": "c%6fder"} {
		kept := &fakePauses{}
		cfg := config(t)
		cfg.Audit, cfg.Pauses = &fakeAudit{}, kept
		pause := request{method: http.MethodPost, path: "/v1/agents/" + path + "/pause", token: adminToken, body: `{"why":"loops"}`}
		require.Equal(t, http.StatusOK, pause.do(newServer(t, cfg)).Code, path)
		assert.Equal(t, agent, kept.list[0].Agent, path)
	}
}

func TestAPauseThatCannotBeStoredIsAnError(t *testing.T) {
	t.Parallel()
	pause := request{method: http.MethodPost, path: "/v1/agents/coder/pause", token: adminToken, body: `{"why":"loops"}`}
	resume := request{method: http.MethodPost, path: "/v1/agents/coder/resume", token: adminToken}
	cfg := config(t)
	cfg.Audit = &fakeAudit{}
	for _, q := range []request{pause, resume} {
		w := q.do(newServer(t, cfg))
		assert.Equal(t, http.StatusServiceUnavailable, w.Code, q.path)
		body := errorOf(t, w.Body)
		assert.Equal(t, gavel.CodePausesUnusable, body["code"], q.path)
		assert.Equal(t, "this server does not support pauses", body["message"], q.path)
	}
	for code, fails := range map[string]error{gavel.CodePausesUnusable: assert.AnError, "invalid_call": &gavel.InputError{Path: "/agent", Message: "too long"}} {
		cfg.Pauses = &fakePauses{fails: fails}
		assert.Equal(t, code, errorOf(t, pause.do(newServer(t, cfg)).Body)["code"])
	}
}
