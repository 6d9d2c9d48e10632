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

// hash is the base hash of the allowlist file.
func (o *testServer) hash(scope string) string {
	o.t.Helper()
	status, v := o.do(scope, http.MethodGet, "/v1/allowlists/main", "")
	require.Equal(o.t, http.StatusOK, status, v)
	return fmt.Sprint(v["hash"])
}

// put replaces main's allowlist.
func (o *testServer) put(scope string, patterns ...string) (int, map[string]any) {
	o.t.Helper()
	entries := []map[string]string{}
	for _, pattern := range patterns {
		entries = append(entries, map[string]string{"pattern": pattern})
	}
	body, err := json.Marshal(map[string]any{"baseHash": o.hash(scope), "allowlist": entries})
	require.NoError(o.t, err)
	return o.do(scope, http.MethodPut, "/v1/allowlists/main", string(body))
}

func TestRT04AnAskerCannotAllowlistWhatTheyAskedFor(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking, "alice", "bob")
	v := o.rpc("approve.alice", "exec.approval.request", `{"command":"/bin/rm x","cwd":"/","agentId":"main","twoPhase":true}`)
	id := v["result"].(map[string]any)["id"].(string)
	for _, edit := range []func() map[string]any{
		func() map[string]any { _, v := o.put("approve.alice", "/usr/bin/id"); return v },
		func() map[string]any { _, v := o.put("approve.alice", "/**"); return v },
		func() map[string]any {
			return o.rpc("approve.alice", "exec.approvals.set", fmt.Sprintf(`{"baseHash":%q,"file":{"version":1,"agents":{"*":{"allowlist":["/**"]}}}}`, o.hash("approve.alice")))
		},
	} {
		assert.Equal(t, gavel.CodeSelfApproval, codeIn(edit()), "a question of hers is open")
	}
	_, v = o.put("approve", "/usr/bin/id")
	assert.Equal(t, gavel.CodePersonRequired, codeIn(v), "she may hold the shared token, too")
	_, _ = o.resolve("approve.bob", id, "deny")
	for _, pattern := range []string{"/usr/bin/rm", "/usr/**", "/**"} {
		_, v := o.put("approve.alice", pattern)
		assert.Equal(t, gavel.CodeSelfApproval, codeIn(v), "it admits what she asked for: %s", pattern)
		_, v = o.put("approve", pattern)
		assert.Equal(t, gavel.CodePersonRequired, codeIn(v), "it admits what a person asked for: %s", pattern)
	}
	status, v := o.put("approve", "/usr/bin/true")
	assert.Equal(t, http.StatusOK, status, "nobody asked for it: %v", v)
	status, v = o.put("approve.alice", "/usr/bin/true")
	assert.Equal(t, http.StatusOK, status, "it admits something else: %v", v)
	status, v = o.put("approve.bob", "/usr/bin/rm")
	assert.Equal(t, http.StatusOK, status, v)
}

func TestRT04AnEditThatNeedsSeveralPeopleWaitsForThem(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2, approvers: [alice, bob]}}\n"+asking, "alice", "bob", "carol")
	for _, scope := range []string{"approve", "approve.carol", "admin"} {
		status, v := o.put(scope, "/**")
		assert.Equal(t, http.StatusForbidden, status, scope)
		assert.Equal(t, gavel.CodeNotApprover, codeIn(v), scope)
	}
	status, v := o.put("approve.alice", "/usr/bin/rm")
	require.Equal(t, http.StatusAccepted, status, v)
	id := v["pending"].(map[string]any)["id"].(string)
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect, "nothing is permitted yet")
	_, v = o.do("approve.bob", http.MethodGet, "/v1/approvals/"+id, "")
	assert.Contains(t, fmt.Sprint(v["request"]), "/usr/bin/rm", "who answers sees what would be added")
	_, v = o.resolve("approve.alice", id, "approve")
	assert.Equal(t, gavel.CodeSelfApproval, codeIn(v))
	_, v = o.resolve("approve", id, "approve")
	assert.Equal(t, gavel.CodeNotApprover, codeIn(v))
	status, v = o.resolve("approve.bob", id, "approve")
	require.Equal(t, http.StatusOK, status, v)
	assert.Equal(t, "consumed", v["state"])
	assert.Equal(t, gavel.Allow, o.ask("rm x").Effect)
	status, v = o.put("approve.bob")
	assert.Equal(t, http.StatusOK, status, "an edit that only tightens waits for nobody: %v", v)
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect)
	assert.Eventually(t, func() bool { return strings.Contains(decisionLog(t, o.state), gavel.AuditAllowlistEdited) }, wait, tick)
}

func TestRT04AnAskerCannotAgreeToAnEditThatPermitsWhatTheyAskedFor(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2}}\n"+asking, "alice", "bob", "carol")
	v := o.rpc("approve.bob", "exec.approval.request", `{"command":"/bin/rm x","cwd":"/","agentId":"main","twoPhase":true}`)
	question := v["result"].(map[string]any)["id"].(string)
	status, v := o.put("approve.alice", "/usr/bin/rm")
	require.Equal(t, http.StatusAccepted, status, v)
	edit := v["pending"].(map[string]any)["id"].(string)
	_, v = o.resolve("approve.bob", edit, "approve")
	assert.Equal(t, gavel.CodeSelfApproval, codeIn(v), "his question is open")
	_, _ = o.resolve("approve.carol", question, "deny")
	_, v = o.resolve("approve.bob", edit, "approve")
	assert.Equal(t, gavel.CodeSelfApproval, codeIn(v), "the edit permits what he asked for")
	status, v = o.resolve("approve.carol", edit, "approve")
	require.Equal(t, http.StatusOK, status, v)
	assert.Equal(t, "consumed", v["state"])

	status, v = o.put("approve.alice", "/usr/bin/rm", "/usr/bin/true")
	require.Equal(t, http.StatusAccepted, status, v)
	status, v = o.resolve("approve.bob", v["pending"].(map[string]any)["id"].(string), "approve")
	assert.Equal(t, http.StatusOK, status, "this one permits something else: %v", v)
}

func TestRT04AnEditIsNotMadeOfAListThatChangedSince(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2}}\n"+asking, "alice", "bob", "carol")
	_, v := o.put("approve.alice", "/usr/bin/rm")
	id := v["pending"].(map[string]any)["id"].(string)
	path := filepath.Join(o.state, "exec-approvals.json")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.Replace(string(text), `"version": 1`, `"version": 1, "defaults": {"security": "deny"}`, 1)
	require.NoError(t, os.WriteFile(path, []byte(changed), 0o600))
	status, v := o.resolve("approve.bob", id, "approve")
	assert.Equal(t, http.StatusConflict, status)
	assert.Equal(t, gavel.CodeBaseHashStale, codeIn(v))
	now, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, changed, string(now))
}

func TestRT04AQuorumHoldsForEveryWayToEditTheList(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2}}\n"+asking, "alice")
	for _, file := range []string{
		`{"version":1,"agents":{"main":{"allowlist":["/**"]}}}`,
		`{"version":1,"agents":{"*":{"allowlist":[{"pattern":"/usr/bin/rm"}]}}}`,
		`{"version":1,"agents":{"default":{"allowlist":["/usr/bin/rm"]}}}`,
		`{"version":1,"agents":{"main":{"autoAllowSkills":true}}}`,
	} {
		v := o.rpc("approve.alice", "exec.approvals.set", fmt.Sprintf(`{"baseHash":%q,"file":%s}`, o.hash("approve"), file))
		assert.NotNil(t, v["result"].(map[string]any)["pending"], "%s: %v", file, v)
		assert.Equal(t, gavel.Ask, o.ask("rm x").Effect, file)
	}
	status, _ := o.put("admin", "/usr/bin/rm")
	assert.Equal(t, http.StatusAccepted, status, "the scope admin is nobody by name")
}
