package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func (o *testServer) resolve(scope, id, decision string) (int, map[string]any) {
	o.t.Helper()
	return o.do(scope, http.MethodPost, "/v1/approvals/"+id+"/resolve", fmt.Sprintf(`{"decision":%q}`, decision))
}

func TestRT08OnlyTheAskerUsesTheAnswer(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "tools: {exec: {host: gateway}}\nagents: {main: {}}\n")
	by := func(scope string) gavel.Decision {
		status, v := o.do(scope, http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"/usr/bin/id -steal","workdir":"/"}}}`)
		require.Equal(t, http.StatusOK, status, v)
		text, err := json.Marshal(v)
		require.NoError(t, err)
		var d gavel.Decision
		require.NoError(t, json.Unmarshal(text, &d))
		return d
	}
	first := by("gateway")
	require.Equal(t, gavel.Ask, first.Effect, first.Reasons)
	_, v := o.resolve("approve", first.Approval.ID, "approve")
	require.Equal(t, "resolved", v["state"], v)
	stolen := by("decide")
	require.Equal(t, gavel.Ask, stolen.Effect)
	assert.NotEqual(t, first.Approval.ID, stolen.Approval.ID, "it is a question of its own")
	assert.Equal(t, gavel.Allow, by("gateway").Effect)
}

func TestRT09ASecondCredentialIsNotASecondPerson(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2}}\n"+asking, "alice", "bob")
	d := o.ask("rm x")
	status, v := o.resolve("approve.alice", d.Approval.ID, "approve")
	require.Equal(t, http.StatusOK, status, v)
	status, v = o.resolve("approve", d.Approval.ID, "approve")
	assert.Equal(t, http.StatusForbidden, status)
	assert.Equal(t, gavel.CodePersonRequired, codeIn(v))
	_, v = o.resolve("approve.bob", d.Approval.ID, "approve")
	assert.Equal(t, "resolved", v["state"])
}

func TestRT13ATightenedPolicyReachesQuestionsThatAreOpen(t *testing.T) {
	t.Parallel()
	state, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(state, "tokens"), 0o700))
	for _, name := range []string{"op2", "op3", "op4"} {
		require.NoError(t, os.WriteFile(filepath.Join(state, "tokens", "approve."+name+".token"), []byte("token-of-"+name+"-"+strings.Repeat("x", 32)), 0o600))
	}
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(asking), 0o644))
	n, stop := serving(t, "--policy", policy, "--state", state)
	t.Cleanup(func() { assert.Equal(t, exitOK, stop()); assert.NoError(t, os.RemoveAll(state)) })
	o := &testServer{t: t, url: n.Listen, state: state}
	answered, open := o.ask("rm x"), o.ask("rm y")
	_, v := o.resolve("approve.op2", answered.Approval.ID, "approve")
	require.Equal(t, "resolved", v["state"])
	before := o.revision()
	require.NoError(t, os.WriteFile(policy, []byte("approvals: {exec: {quorum: 2, approvers: [op3, op4]}}\n"+asking), 0o644))
	require.Eventually(t, func() bool { return o.revision() != before }, wait, tick)
	again := o.ask("rm x")
	assert.Equal(t, gavel.Ask, again.Effect, "an answer by one who may no longer answer permits nothing")
	_, v = o.resolve("approve.op2", open.Approval.ID, "approve")
	assert.Equal(t, gavel.CodeNotApprover, codeIn(v))
	_, v = o.resolve("approve.op3", open.Approval.ID, "approve")
	assert.Equal(t, "pending", v["state"], "two must agree by now")
	_, v = o.resolve("approve.op4", open.Approval.ID, "allow-always")
	assert.Equal(t, gavel.CodeAnswerUnavailable, codeIn(v), "nothing of another policy is answered permanently")
	_, v = o.resolve("approve.op4", open.Approval.ID, "approve")
	assert.Equal(t, "resolved", v["state"])
	assert.Equal(t, gavel.Allow, o.ask("rm y").Effect)
}

func (o *testServer) revision() string {
	_, v := o.do("admin", http.MethodGet, "/v1/status", "")
	policy, _ := v["policy"].(map[string]any)
	return fmt.Sprint(policy["revision"])
}

func TestRT15ValuesOfVariablesAreShownEverywhere(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	status, v := o.do("gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"rm x",`+
		`"env":{"AWS_PROFILE":"prod-evil","DEPLOY_TOKEN":"sesame-1234 and more"}}},`+machine+`}`)
	require.Equal(t, http.StatusOK, status)
	approval, ok := v["approval"].(map[string]any)
	require.True(t, ok, v)
	_, list := o.do("approve", http.MethodGet, "/v1/approvals", "")
	_, shown := o.do("approve", http.MethodGet, "/v1/approvals/"+fmt.Sprint(approval["id"]), "")
	_, cli, _ := runGavel(t, "", "approvals", "show", fmt.Sprint(approval["id"]), "--state", o.state)
	for name, text := range map[string]string{"list": fmt.Sprint(list), "show": fmt.Sprint(shown), "the command line": cli} {
		assert.Contains(t, text, "AWS_PROFILE=prod-evil", name)
		assert.Contains(t, text, "DEPLOY_TOKEN=**REDACTED**", name)
		assert.NotContains(t, text, "sesame-1234", name)
		assert.NotContains(t, text, "and more", "%s: by its name all of a value is secret", name)
	}
}

func TestRT28OnlyTheOwnerOfTheFileSetsTheSecretOfTheSocket(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	for _, socket := range []string{`{"token":"a"}`, `{"path":"/tmp/evil.sock"}`, `{"token":"` + strings.Repeat("a", 40) + `"}`} {
		v := o.rpc("admin", "exec.approvals.set", fmt.Sprintf(`{"baseHash":%q,"file":{"version":1,"socket":%s}}`, o.hash("admin"), socket))
		assert.Equal(t, gavel.CodeAllowlistInvalid, codeIn(v), socket)
	}
	v := o.rpc("admin", "exec.approvals.get", `{}`)
	file, err := json.Marshal(v["result"].(map[string]any)["file"])
	require.NoError(t, err)
	v = o.rpc("admin", "exec.approvals.set", fmt.Sprintf(`{"baseHash":%q,"file":%s}`, o.hash("admin"), file))
	assert.Nil(t, v["error"], "what was read can be sent back")
}

func TestRT31EveryRouteReadsTheSameMediaTypes(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	for _, route := range []struct{ scope, method, path string }{{"approve", http.MethodPost, "/rpc"}, {"gateway", http.MethodPost, "/v1/decisions"},
		{"admin", http.MethodPut, "/v1/allowlists/main"}, {"approve", http.MethodPost, "/v1/approvals/00000000/resolve"}} {
		request, err := http.NewRequestWithContext(t.Context(), route.method, o.url+route.path, strings.NewReader(`{}`))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+o.token(route.scope))
		request.Header.Set("Content-Type", "text/plain")
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		assert.Equal(t, http.StatusUnsupportedMediaType, answer.StatusCode, route.path)
	}
}

func TestRT14TheDecisionLogSaysWhoApprovedWhat(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking, "alice")
	d := o.ask("rm x")
	denied := o.ask("rm z")
	_, v := o.do("approve.alice", http.MethodPost, "/v1/approvals/"+d.Approval.ID+"/resolve", `{"decision":"allow-always","comment":"ticket-4711"}`)
	require.Equal(t, "resolved", v["state"], v)
	_, _ = o.do("approve.alice", http.MethodPost, "/v1/approvals/"+denied.Approval.ID+"/resolve", `{"decision":"deny","comment":"ticket-4712"}`)
	require.Equal(t, gavel.Allow, o.ask("rm x").Effect)
	for _, want := range []string{gavel.AuditApprovalRequested, gavel.AuditApprovalResolved, gavel.AuditAllowlistEdited,
		"ticket-4711", "ticket-4712", "approve:alice", d.Approval.ID} {
		assert.Eventually(t, func() bool { return strings.Contains(decisionLog(t, o.state), want) }, wait, tick, want)
	}
}

func TestACommandThatDoesNotMatchItsArgvIsRefused(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	for name, c := range map[string]struct {
		params string
		want   string
	}{
		"another program":            {`{"command":"ls","commandArgv":["rm","-rf","/"]}`, "invalid_call"},
		"another argument":           {`{"command":"rm x","commandArgv":["rm","y"]}`, "invalid_call"},
		"words joined otherwise":     {`{"command":"rm x y","commandArgv":["rm","x y"]}`, "invalid_call"},
		"a longer text":              {`{"command":"rm x; true","commandArgv":["rm","x;","true"]}`, "invalid_call"},
		"a text that is expanded":    {`{"command":"rm $X","commandArgv":["rm","$X"]}`, "invalid_call"},
		"the same words":             {`{"command":"/bin/rm x","commandArgv":["/bin/rm","x"],"cwd":"/","twoPhase":true}`, "<nil>"},
		"the same words, quoted":     {`{"command":"/bin/rm 'x y'","commandArgv":["/bin/rm","x y"],"cwd":"/","twoPhase":true}`, "<nil>"},
		"the text that a shell gets": {`{"command":"/bin/rm x","commandArgv":["/bin/sh","-c","/bin/rm x"],"cwd":"/","twoPhase":true}`, "<nil>"},
	} {
		assert.Equal(t, c.want, codeIn(o.rpc("gateway", "exec.approval.request", c.params)), name)
	}
}

func TestRT05AListOfHeavyQuestionsIsAnsweredPageByPage(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	for i := range 5 {
		status, v := o.do("gateway", http.MethodPost, "/v1/decisions", execBody("rm "+strings.Repeat("x", 40_000)+fmt.Sprint(i)))
		require.Equal(t, http.StatusOK, status)
		require.Equal(t, "ask", v["decision"], v["reasons"])
	}
	_, v := o.do("approve", http.MethodGet, "/v1/approvals", "")
	assert.Len(t, v["approvals"], 5)
	assert.Less(t, len(fmt.Sprint(v)), 5*16_000, "each is shown cut")
	seen, cursor := 0, ""
	for range 3 {
		_, v = o.do("approve", http.MethodGet, "/v1/approvals?limit=2&cursor="+cursor, "")
		list, _ := v["approvals"].([]any)
		seen += len(list)
		cursor, _ = v["next"].(string)
	}
	assert.Equal(t, 5, seen)
	assert.Empty(t, cursor)
	status, v := o.do("approve", http.MethodGet, "/v1/approvals?limit=x", "")
	assert.Equal(t, http.StatusBadRequest, status, v)
}

func TestRT09TheSharedTokenCanBeSwitchedOffAndTheSocketBelongsToAPerson(t *testing.T) {
	t.Parallel()
	state, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	require.NoError(t, os.Mkdir(filepath.Join(state, "tokens"), 0o700))
	shared := filepath.Join(state, "tokens", "approve.token")
	require.NoError(t, os.WriteFile(shared, []byte("token-of-everybody-"+strings.Repeat("x", 32)), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(state, "tokens", "approve.alice.token"), []byte("token-of-alice-"+strings.Repeat("x", 32)), 0o600))
	n, stop := serving(t, "--state", state, "--shared-approve=false", "--socket-person", "bob")
	defer func() { assert.Equal(t, exitOK, stop()) }()
	assert.NoFileExists(t, shared)
	o := &testServer{t: t, url: n.Listen, state: state}
	status, _ := o.do("approve.alice", http.MethodGet, "/v1/approvals", "")
	assert.Equal(t, http.StatusOK, status)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.url+"/v1/approvals", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer token-of-everybody-"+strings.Repeat("x", 32))
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	assert.Equal(t, http.StatusUnauthorized, answer.StatusCode)
	a, _, _ := testApp("")
	assert.Equal(t, exitError, a.run(t.Context(), []string{"serve", "--state", t.TempDir(), "--socket-person", "Bob B"}), "not the name of a person")
}

func TestRT31AnUnwritableFileIsNotReportedAsABug(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	hash := o.hash("admin")
	lock := filepath.Join(o.state, "exec-approvals.json.lock")
	require.NoError(t, os.RemoveAll(lock))
	require.NoError(t, os.Mkdir(lock, 0o700))
	status, v := o.do("admin", http.MethodPut, "/v1/allowlists/main", fmt.Sprintf(`{"baseHash":%q,"allowlist":["/usr/bin/true"]}`, hash))
	assert.Equal(t, http.StatusServiceUnavailable, status)
	assert.Equal(t, gavel.CodeApprovalsUnavailable, codeIn(v))
}

func TestRT31TheLeftoversOfAKilledServerAreRemovedAtTheStart(t *testing.T) {
	t.Parallel()
	state, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	var leftovers []string
	for _, dir := range []string{"", "tokens", "keys"} {
		require.NoError(t, os.MkdirAll(filepath.Join(state, dir), 0o700))
		leftovers = append(leftovers, filepath.Join(state, dir, ".new-42"))
		require.NoError(t, os.WriteFile(filepath.Join(state, dir, ".new-42"), []byte("x"), 0o600))
	}
	_, stop := serving(t, "--state", state)
	assert.Equal(t, exitOK, stop())
	for _, path := range leftovers {
		assert.NoFileExists(t, path)
	}
}
