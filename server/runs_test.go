package server_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestEnforcementPointsReportWhatHappenedToACommand(t *testing.T) {
	t.Parallel()
	audit := &fakeAudit{}
	cfg := config(t)
	cfg.Audit = audit
	s := newServer(t, cfg)
	ended := request{method: http.MethodPost, path: "/v1/runs", token: gatewayToken,
		body: `{"kind":"run.ended","agent":"main","session":"agent:main:main","decision":"d1","exitCode":137,"signal":"killed","durationMs":5}`}
	for _, token := range []string{decideToken, adminToken} {
		other := ended
		other.token = token
		assert.Equal(t, http.StatusForbidden, other.do(s).Code, "who sees no pins runs nothing")
	}
	answer := ended.do(s)
	require.Equal(t, http.StatusOK, answer.Code, answer.Body.String())
	assert.JSONEq(t, `{"recorded":true}`, answer.Body.String())
	event := audit.all()[len(audit.all())-1]
	assert.Equal(t, []string{gavel.AuditRunEnded, "main", "gateway"}, []string{event.Kind, event.Agent, event.By})
	assert.Equal(t, map[string]any{"session": "agent:main:main", "decision": "d1", "exitCode": 137, "signal": "killed", "timedOut": false, "durationMs": int64(5)}, event.Detail)

	audit.fail = assert.AnError
	assert.Equal(t, http.StatusInternalServerError, ended.do(s).Code, "what is not recorded is not answered as if it were")
}

func TestAnInvalidRunEventIsRefused(t *testing.T) {
	t.Parallel()
	audit := &fakeAudit{}
	cfg := config(t)
	cfg.Audit = audit
	s := newServer(t, cfg)
	for name, body := range map[string]string{
		"no kind":                  `{"agent":"main","decision":"d"}`,
		"a kind of other events":   `{"kind":"approval.resolved","agent":"main","decision":"d"}`,
		"no agent":                 `{"kind":"run.started","decision":"d"}`,
		"no decision":              `{"kind":"run.started","agent":"main"}`,
		"an end without a code":    `{"kind":"run.ended","agent":"main","decision":"d"}`,
		"a refusal without a code": `{"kind":"run.refused","agent":"main","decision":"d"}`,
		"an unknown member":        `{"kind":"run.started","agent":"main","decision":"d","by":"approve:alice"}`,
		"a negative duration":      `{"kind":"run.ended","agent":"main","decision":"d","exitCode":0,"durationMs":-1}`,
	} {
		assert.Equal(t, http.StatusBadRequest, request{method: http.MethodPost, path: "/v1/runs", token: gatewayToken, body: body}.do(s).Code, name)
	}
	assert.Empty(t, audit.all())
}

func TestARunEventNeedsACredentialThatSpeaksForItsAgent(t *testing.T) {
	t.Parallel()
	const token = "one-gateway-0123456789-0123456789-0123"
	audit := &fakeAudit{}
	cfg := config(t)
	cfg.Audit = audit
	cfg.Identities = []gavel.Identities{&fakeIdentities{known: map[string]gavel.Identity{token: {Name: "gateway:one",
		Speaks: &gavel.CallerFacts{Kind: gavel.CallerGateway, Name: "gateway:one", Agents: []string{"coder"}}}}}}
	s := newServer(t, cfg)
	for agent, want := range map[string]int{"coder": http.StatusOK, "main": http.StatusForbidden} {
		body := `{"kind":"run.started","agent":"` + agent + `","decision":"d"}`
		assert.Equal(t, want, request{method: http.MethodPost, path: "/v1/runs", token: token, body: body}.do(s).Code, agent)
	}
	for _, event := range audit.all() {
		assert.NotEqual(t, "main", event.Agent)
	}
}
