package main

import (
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

// requests has the gateway ask people about a command with JSON-RPC, several times at once, and
// returns the results, and the question that all of them have joined.
func (o *testServer) requests(command, agent string, times int, more string) (results <-chan map[string]any, id string) {
	o.t.Helper()
	got := make(chan map[string]any, times)
	params := fmt.Sprintf(`{"command":%q,"agentId":%q,"twoPhase":true,%s}`, command, agent, more)
	for range times {
		first := o.rpc("gateway", "exec.approval.request", params)["result"].(map[string]any)
		id = first["id"].(string)
		go func() { got <- o.waitDecision(id) }()
	}
	return got, id
}

func (o *testServer) waitDecision(id string) map[string]any {
	result, _ := o.rpc("gateway", "exec.approval.waitDecision", fmt.Sprintf(`{"id":%q}`, id))["result"].(map[string]any)
	return result
}

func (o *testServer) answers(id, answer string) {
	o.t.Helper()
	status, v := o.do("approve", http.MethodPost, "/v1/approvals/"+id+"/resolve", fmt.Sprintf(`{"decision":%q}`, answer))
	require.Equal(o.t, http.StatusOK, status, v)
}

func codesIn(result map[string]any) (codes []string) {
	reasons, _ := result["reasons"].([]any)
	for _, reason := range reasons {
		codes = append(codes, fmt.Sprint(reason.(map[string]any)["code"]))
	}
	return codes
}

func TestAnAnswerOverJSONRPCIsUsedLikeAnyOther(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	results, id := o.requests("rm x", "main", 1, machine)
	o.answers(id, "allow-once")
	got := <-results
	assert.Equal(t, "allow", got["effect"])
	assert.Equal(t, "allow-once", got["decision"])
	require.Contains(t, got, "grant", "the machine that runs it can verify it")
	assert.Equal(t, got, o.waitDecision(id), "a client that lost its connection is told the same")
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect, "the answer is used")
	assert.Eventually(t, func() bool { return strings.Contains(decisionLog(t, o.state), `"approvals.approved"`) }, wait, tick, "and the decision is in the log")

	d := o.ask("rm y")
	o.answers(d.Approval.ID, "allow-once")
	assert.Equal(t, gavel.Allow, o.ask("rm y").Effect)
	late := o.waitDecision(d.Approval.ID)
	assert.Equal(t, "deny", late["effect"], "whoever waits for a used answer may not use it again")
	assert.Equal(t, "deny", late["decision"])
}

func TestOfSeveralRequestsThatJoinAQuestionOneIsPermitted(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	results, id := o.requests("rm x", "main", 5, machine)
	o.answers(id, "allow-once")
	allowed := 0
	for range 5 {
		if got := <-results; got["effect"] == "allow" {
			allowed++
		} else {
			assert.Equal(t, "deny", got["decision"])
			assert.Equal(t, []string{gavel.CodeNoApprovals}, codesIn(got))
		}
	}
	assert.Equal(t, 1, allowed)
}

func TestAnAnswerOverJSONRPCPermitsOnlyWhatThePolicyNowPermits(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "run.sh")
	require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho 1\n"), 0o755))
	here := fmt.Sprintf(`"cwd":%q,"environment":{"cwd":%q,"workspace":%q,"path":["/usr/bin","/bin"],"shell":"sh"}`, dir, dir, dir)
	for name, c := range map[string]struct {
		change func(t *testing.T, o *testServer, policy string)
		code   string
	}{
		"a script that was rewritten": {func(t *testing.T, _ *testServer, _ string) {
			require.NoError(t, os.WriteFile(script, []byte("#!/bin/sh\necho 2\n"), 0o755))
		}, gavel.CodeNoApprovals},
		"a policy that denies it now": {func(t *testing.T, o *testServer, policy string) {
			before := o.ask("ls").Revision
			require.NoError(t, os.WriteFile(policy, []byte("tools: {exec: {host: gateway, security: deny}}\nagents: {main: {}}\n"), 0o644))
			require.Eventually(t, func() bool { return o.ask("ls").Revision != before }, wait, tick)
		}, "exec.security_deny"},
	} {
		t.Run(name, func(t *testing.T) {
			o := startTestServer(t, asking)
			results, id := o.requests("./run.sh", "main", 1, here)
			c.change(t, o, o.policy)
			o.answers(id, "allow-once")
			got := <-results
			assert.Equal(t, "deny", got["effect"], got)
			assert.Equal(t, "deny", got["decision"], "a client may look at nothing else")
			assert.Equal(t, []string{c.code}, codesIn(got))
		})
	}
}

func TestAPauseEndsTheQuestionsOfTheAgent(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	results, id := o.requests("rm x", "main", 1, machine)
	other := o.ask("rm y")
	o.answers(other.Approval.ID, "allow-once")
	status, v := o.do("admin", http.MethodPost, "/v1/agents/main/pause", `{"why":"deletes files"}`)
	require.Equal(t, http.StatusOK, status, v)
	status, v = o.do("approve", http.MethodPost, "/v1/approvals/"+id+"/resolve", `{"decision":"allow-once"}`)
	assert.NotEqual(t, http.StatusOK, status, v)
	got := <-results
	assert.Equal(t, "deny", got["effect"], "whoever waits is told at once")
	assert.Equal(t, "deny", got["decision"], "and has no fallback of its own")
	late := o.waitDecision(other.Approval.ID)
	assert.Equal(t, "deny", late["effect"], "an answer of before is not used")
	assert.Equal(t, []string{"agent.paused"}, codesIn(late))
	assert.Eventually(t, func() bool { return strings.Contains(decisionLog(t, o.state), gavel.ExpiredPaused) }, wait, tick, "and the log says why")
}

func TestAGrantIsRefusedToOthersAndWhileTheAgentIsPaused(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	o.answers(d.Approval.ID, "allow-once")
	token := o.ask("rm x").Approval.Grant.Token
	verify := func(scope string) (int, string) {
		status, v := o.do(scope, http.MethodPost, "/v1/grants/verify", fmt.Sprintf(`{"grant":%q,"call":%s}`, token, execBody("rm x")))
		return status, codeIn(v)
	}
	code, out, errs := o.run("token", "create", "helper", "--claim", "environment")
	require.Equal(t, exitOK, code, errs)
	require.NoError(t, os.WriteFile(filepath.Join(o.state, "tokens", "helper.token"), []byte(strings.TrimSpace(out)), 0o600)) // do finds it there; no scope is called so
	status, why := verify("helper")
	assert.Equal(t, http.StatusConflict, status)
	assert.Equal(t, gavel.CodeGrantMismatch, why, "it does not speak for the agent")

	status, v := o.do("admin", http.MethodPost, "/v1/agents/main/pause", `{"why":"deletes files"}`)
	require.Equal(t, http.StatusOK, status, v)
	_, why = verify("gateway")
	assert.Equal(t, gavel.CodeGrantInvalid, why)
	status, v = o.do("admin", http.MethodPost, "/v1/agents/main/resume", "")
	require.Equal(t, http.StatusOK, status, v)
	status, _ = verify("gateway")
	assert.Equal(t, http.StatusOK, status, "it was not used up")
}
