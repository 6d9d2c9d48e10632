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
	"gavel/approvals/allowlist"
	"gavel/grant"
)

func TestPeopleAnswerOverHTTP(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	require.Equal(t, gavel.Ask, d.Effect)
	path := "/v1/approvals/" + d.Approval.ID

	status, list := o.do("approve", http.MethodGet, "/v1/approvals", "")
	require.Equal(t, http.StatusOK, status)
	shown := list["approvals"].([]any)[0].(map[string]any)
	assert.Equal(t, d.Approval.ID, shown["id"])
	assert.Equal(t, "'/usr/bin/rm' 'x'", shown["request"].(map[string]any)["command"])
	status, _ = o.do("gateway", http.MethodGet, path, "")
	assert.Equal(t, http.StatusOK, status, "who asked may look")
	status, v := o.do("decide", http.MethodGet, path, "")
	assert.Equal(t, http.StatusNotFound, status, "another caller may not")
	assert.Equal(t, gavel.CodeApprovalNotFound, codeIn(v))
	status, v = o.do("gateway", http.MethodGet, path+"/wait?timeoutMs=1", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "pending", v["state"])

	waited := make(chan map[string]any)
	go func() {
		_, v := o.do("gateway", http.MethodGet, path+"/wait", "")
		waited <- v
	}()
	status, v = o.do("approve", http.MethodPost, "/v1/approvals/"+d.Approval.ID[:8]+"/resolve", `{"decision":"approve","comment":"go on"}`)
	require.Equal(t, http.StatusOK, status, v)
	assert.Equal(t, "allow-once", v["decision"])
	v = <-waited
	assert.Equal(t, "allow", v["outcome"].(map[string]any)["effect"])
	assert.Equal(t, "go on", v["comment"])

	allowed := o.ask("rm x")
	require.Equal(t, gavel.Allow, allowed.Effect)
	require.NotNil(t, allowed.Approval.Grant)
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect)
}

func TestEachBadRequestHasItsCode(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	open := "/v1/approvals/" + d.Approval.ID
	done := o.ask("rm done")
	status, _ := o.do("approve", http.MethodPost, "/v1/approvals/"+done.Approval.ID+"/resolve", `{"decision":"deny"}`)
	require.Equal(t, http.StatusOK, status)
	for name, c := range map[string]struct {
		scope, method, path, body string
		status                    int
		code                      string
	}{
		"no token":                    {"", "GET", "/v1/approvals", "", 401, "unauthenticated"},
		"the scope decide":            {"decide", "GET", "/v1/approvals", "", 403, "scope_required"},
		"the scope gateway":           {"gateway", "POST", open + "/resolve", `{"decision":"approve"}`, 403, "scope_required"},
		"the scope admin":             {"admin", "POST", open + "/resolve", `{"decision":"approve"}`, 403, "scope_required"},
		"approve asks for a decision": {"approve", "POST", "/v1/decisions", execBody("ls"), 403, "scope_required"},
		"an unknown id":               {"approve", "GET", "/v1/approvals/00000000-ffff", "", 404, gavel.CodeApprovalNotFound},
		"a short id":                  {"approve", "GET", "/v1/approvals/0000000", "", 400, gavel.CodeApprovalIDTooShort},
		"no decision":                 {"approve", "POST", open + "/resolve", `{}`, 400, gavel.CodeInvalidAnswer},
		"a decision that is none":     {"approve", "POST", open + "/resolve", `{"decision":"yes"}`, 400, gavel.CodeInvalidAnswer},
		"an unknown member":           {"approve", "POST", open + "/resolve", `{"decision":"deny","force":true}`, 400, "malformed_json"},
		"half a body":                 {"approve", "POST", open + "/resolve", `{"decision":`, 400, "malformed_json"},
		"a body of two megabytes":     {"approve", "POST", open + "/resolve", strings.Repeat(" ", 2<<20), 413, "body_too_large"},
		"JSON-RPC of two megabytes":   {"approve", "POST", "/rpc", strings.Repeat(" ", 2<<20), 413, "body_too_large"},
		"a list of two megabytes":     {"approve", "PUT", "/v1/allowlists/main", strings.Repeat(" ", 2<<20), 413, "body_too_large"},
		"a second answer":             {"approve", "POST", "/v1/approvals/" + done.Approval.ID + "/resolve", `{"decision":"approve"}`, 409, gavel.CodeApprovalResolved},
		"a time that is none":         {"gateway", "GET", open + "/wait?timeoutMs=soon", "", 400, "invalid_call"},
		"the wrong method":            {"approve", "DELETE", open, "", 405, "method_not_allowed"},
		"the allowlist, by a gateway": {"gateway", "GET", "/v1/allowlists/main", "", 403, "scope_required"},
		"no base hash":                {"approve", "PUT", "/v1/allowlists/main", `{"allowlist":[]}`, 400, gavel.CodeBaseHashRequired},
		"a stale base hash":           {"approve", "PUT", "/v1/allowlists/main", `{"baseHash":"00","allowlist":[]}`, 409, gavel.CodeBaseHashStale},
		"an unknown value":            {"approve", "PUT", "/v1/allowlists/main", `{"baseHash":"00","ask":"never"}`, 409, gavel.CodeBaseHashStale},
		"a grant that is none":        {"gateway", "POST", "/v1/grants/verify", `{"grant":"x","bound":{}}`, 400, gavel.CodeGrantInvalid},
		"nothing to compare it with":  {"gateway", "POST", "/v1/grants/verify", `{"grant":"x"}`, 400, "invalid_call"},
		"a WebSocket that is not one": {"approve", "GET", "/rpc", "", 400, "invalid_call"},
	} {
		t.Run(name, func(t *testing.T) {
			status, v := o.do(c.scope, c.method, c.path, c.body)
			assert.Equal(t, c.status, status, v)
			assert.Equal(t, c.code, codeIn(v), v)
			assert.NotEmpty(t, v["error"].(map[string]any)["message"])
		})
	}
}

func TestDroppedMessagesAreCounted(t *testing.T) {
	t.Parallel()
	_, v := startTestServer(t, asking).do("admin", http.MethodGet, "/metrics", "")
	assert.Contains(t, v["text"], "gavel_forward_dropped_total 0")
}

func TestNobodyAnswersTheirOwnQuestion(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking, "alice")
	// The scope approve may ask, too; then it may not answer.
	params := `{"command":"/bin/rm x","cwd":"/","agentId":"main","twoPhase":true}`
	v := o.rpc("approve", "exec.approval.request", params)
	result, ok := v["result"].(map[string]any)
	require.True(t, ok, v)
	assert.Equal(t, "accepted", result["status"])
	resolve := fmt.Sprintf(`{"id":%q,"decision":"allow-once"}`, result["id"])
	assert.Equal(t, gavel.CodeSelfApproval, codeIn(o.rpc("approve", "exec.approval.resolve", resolve)))
	status, v := o.do("approve", http.MethodPost, fmt.Sprintf("/v1/approvals/%s/resolve", result["id"]), `{"decision":"approve"}`)
	assert.Equal(t, http.StatusForbidden, status)
	assert.Equal(t, gavel.CodeSelfApproval, codeIn(v))
	v = o.rpc("approve.alice", "exec.approval.resolve", resolve)
	assert.Equal(t, true, v["result"].(map[string]any)["ok"], v)
}

func TestTwoApproversOfAList(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "approvals: {exec: {quorum: 2, approvers: [alice, bob]}}\n"+asking, "alice", "bob", "carol")
	d := o.ask("rm x")
	resolve := func(scope string) (int, map[string]any) {
		return o.do(scope, http.MethodPost, "/v1/approvals/"+d.Approval.ID+"/resolve", `{"decision":"allow-once"}`)
	}
	for _, scope := range []string{"approve", "approve.carol"} {
		status, v := resolve(scope)
		assert.Equal(t, http.StatusForbidden, status)
		assert.Equal(t, gavel.CodeNotApprover, codeIn(v))
	}
	_, v := resolve("approve.alice")
	assert.Equal(t, "pending", v["state"])
	_, v = resolve("approve.alice")
	assert.Equal(t, gavel.CodeApprovalVoted, codeIn(v))
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect, "one of two is not enough")
	_, v = resolve("approve.bob")
	assert.Equal(t, "resolved", v["state"])
	assert.Equal(t, gavel.Allow, o.ask("rm x").Effect)
}

func TestTheMethodsOfTheDocuments(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm \u0441at")
	got := o.rpc("approve", "exec.approval.get", fmt.Sprintf(`{"id":%q}`, d.Approval.ID[:8]))["result"].(map[string]any)
	assert.Contains(t, got["commandText"], `\u{441}at`)
	assert.Equal(t, []any{"allow-once", "allow-always", "deny"}, got["allowedDecisions"])
	list := o.rpc("approve", "exec.approval.list", `{}`)["result"].([]any)
	assert.Len(t, list, 1)
	waited := make(chan map[string]any)
	go func() {
		waited <- o.rpc("gateway", "exec.approval.waitDecision", fmt.Sprintf(`{"id":%q}`, d.Approval.ID))
	}()
	o.rpc("approve", "exec.approval.resolve", fmt.Sprintf(`{"id":%q,"decision":"allow-always"}`, d.Approval.ID))
	assert.Equal(t, "allow-always", (<-waited)["result"].(map[string]any)["decision"])

	file := o.rpc("approve", "exec.approvals.get", `{}`)["result"].(map[string]any)
	agents := file["file"].(map[string]any)["agents"].(map[string]any)
	assert.Equal(t, "/usr/bin/rm", agents["main"].(map[string]any)["allowlist"].([]any)[0].(map[string]any)["pattern"])
	assert.NotContains(t, file["file"].(map[string]any)["socket"], "token")
	text, err := json.Marshal(map[string]any{"file": file["file"], "baseHash": file["hash"]})
	require.NoError(t, err)
	set := o.rpc("admin", "exec.approvals.set", string(text))
	assert.NotNil(t, set["result"], set)

	for name, c := range map[string]struct{ scope, method, params, want string }{
		"an unknown method":         {"approve", "exec.approval.nonsense", `{}`, "-32601"},
		"no command":                {"gateway", "exec.approval.request", `{}`, "invalid_call"},
		"a node without a name":     {"gateway", "exec.approval.request", `{"host":"node","command":"ls"}`, "invalid_call"},
		"a reserved id":             {"gateway", "exec.approval.request", `{"id":"plugin:abcdefgh","command":"ls"}`, "invalid_call"},
		"a command that is denied":  {"gateway", "exec.approval.request", `{"command":"ls > x","cwd":"/srv"}`, "exec.redirect"},
		"a parameter nobody knows":  {"approve", "exec.approval.resolve", `{"id":"x","decision":"deny","x":1}`, "malformed_json"},
		"the wrong scope":           {"gateway", "exec.approval.resolve", `{"id":"x","decision":"deny"}`, "scope_required"},
		"the file, by a gateway":    {"gateway", "exec.approvals.get", `{}`, "scope_required"},
		"an id that is gone":        {"gateway", "exec.approval.waitDecision", `{"id":"gone-for-ever"}`, gavel.CodeApprovalNotFound},
		"a stale hash":              {"admin", "exec.approvals.set", `{"file":{"version":1},"baseHash":"00"}`, gavel.CodeBaseHashStale},
		"no file":                   {"admin", "exec.approvals.set", `{"baseHash":"00"}`, gavel.CodeAllowlistInvalid},
		"a node that is not there":  {"admin", "exec.approvals.node.get", `{"nodeId":"mac-1"}`, gavel.CodeApprovalsUnavailable},
		"a node with a path's name": {"admin", "exec.approvals.node.get", `{"nodeId":"../x"}`, "invalid_call"},
	} {
		assert.Equal(t, c.want, codeIn(o.rpc(c.scope, c.method, c.params)), name)
	}
}

func TestANodesFileIsReadAndWrittenThroughHere(t *testing.T) {
	t.Parallel()
	node, o := startTestServer(t, asking), startTestServer(t, asking)
	dir := filepath.Join(o.state, "nodes")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "mac-1.json"), fmt.Appendf(nil, `{"url":%q,"token":%q}`, node.url, node.token("admin")), 0o600))
	got := o.rpc("admin", "exec.approvals.node.get", `{"nodeId":"mac-1"}`)["result"].(map[string]any)
	assert.Equal(t, filepath.Join(node.state, allowlist.Name), got["path"])
	set := o.rpc("admin", "exec.approvals.node.set", fmt.Sprintf(`{"nodeId":"mac-1","baseHash":%q,"file":{"version":1,"agents":{"main":{"allowlist":["/usr/bin/rm"]}}}}`, got["hash"]))
	require.NotNil(t, set["result"], set)
	assert.Equal(t, gavel.Allow, node.ask("rm x").Effect)
	assert.Equal(t, gavel.CodeBaseHashStale, codeIn(o.rpc("admin", "exec.approvals.node.set", `{"nodeId":"mac-1","baseHash":"00","file":{"version":1}}`)))
}

func TestAGrantIsVerifiedOfflineAndOnce(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	d := o.ask("rm x")
	o.do("approve", http.MethodPost, "/v1/approvals/"+d.Approval.ID+"/resolve", `{"decision":"approve"}`)
	token := o.ask("rm x").Approval.Grant.Token
	verify := func(command string) (int, map[string]any) {
		return o.do("gateway", http.MethodPost, "/v1/grants/verify", fmt.Sprintf(`{"grant":%q,"call":%s}`, token, execBody(command)))
	}
	status, v := verify("rm y")
	assert.Equal(t, http.StatusConflict, status)
	assert.Equal(t, gavel.CodeGrantMismatch, codeIn(v))
	assert.Equal(t, []any{"command", "argv"}, v["error"].(map[string]any)["details"])
	status, v = o.do("gateway", http.MethodPost, "/v1/grants/verify", fmt.Sprintf(`{"grant":%q,"call":%s}`, token,
		strings.Replace(execBody("rm x"), `"cwd":"/srv/app",`, "", 1)))
	assert.Equal(t, http.StatusConflict, status, "what is unclear is denied")
	assert.Equal(t, gavel.CodeApprovalUnbound, codeIn(v), v)

	status, v = o.do("gateway", http.MethodPost, "/v1/grants/verify", fmt.Sprintf(`{"grant":%q,"call":%s,"exec":{"host":"gateway","lifecycle":{"timeoutSec":9}}}`, token, execBody("rm x")))
	assert.Equal(t, http.StatusConflict, status)
	assert.Equal(t, []any{"lifecycle"}, v["error"].(map[string]any)["details"], "obligations that the decision did not have")

	key, err := os.ReadFile(filepath.Join(o.state, "keys", "grant.pub"))
	require.NoError(t, err)
	_, served := o.do("gateway", http.MethodGet, "/v1/grants/key", "")
	assert.Equal(t, string(key), served["text"])
	public, err := grant.ParseKeys(key)
	require.NoError(t, err)
	claims, err := (&grant.Verifier{Keys: public, Now: now}).Read(token)
	require.NoError(t, err)
	assert.Equal(t, d.Approval.ID, claims.Approval)

	status, v = verify("rm x")
	require.Equal(t, http.StatusOK, status, v)
	assert.Equal(t, d.Approval.ID, v["approval"])
	status, v = verify("rm x")
	assert.Equal(t, http.StatusConflict, status)
	assert.Equal(t, gavel.CodeGrantUsed, codeIn(v))
}

func TestAllowlistsAreReadAndReplacedByAgent(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	status, v := o.do("approve", http.MethodGet, "/v1/allowlists/main", "")
	require.Equal(t, http.StatusOK, status)
	status, after := o.do("approve", http.MethodPut, "/v1/allowlists/main", fmt.Sprintf(`{"baseHash":%q,"allowlist":[{"pattern":"/usr/bin/rm"}]}`, v["hash"]))
	require.Equal(t, http.StatusOK, status, after)
	d := o.ask("rm x")
	assert.Equal(t, gavel.Allow, d.Effect)
	status, _ = o.do("admin", http.MethodPut, "/v1/allowlists/main", fmt.Sprintf(`{"baseHash":%q,"allowlist":[]}`, after["hash"]))
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, gavel.Ask, o.ask("rm x").Effect)
}
