package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/allowlist"
	"gavel/grant"
)

// office is a gavel serve with people around it.
type office struct {
	t     *testing.T
	url   string
	state string
}

// openOffice serves a policy until the test ends.
func openOffice(t *testing.T, config string, people ...string) *office {
	t.Helper()
	state, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(state, "tokens"), 0o700))
	for _, name := range people {
		require.NoError(t, os.WriteFile(filepath.Join(state, "tokens", "approve."+name+".token"),
			[]byte("token-of-"+name+"-"+strings.Repeat("x", 32)), 0o600))
	}
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(config), 0o644))
	n, stop := serving(t, "--policy", policy, "--state", state)
	t.Cleanup(func() {
		assert.Equal(t, exitOK, stop())
		assert.NoError(t, os.RemoveAll(state))
	})
	return &office{t, n.Listen, state}
}

func (o *office) token(scope string) string {
	text, err := os.ReadFile(filepath.Join(o.state, "tokens", scope+".token"))
	require.NoError(o.t, err)
	return strings.TrimSpace(string(text))
}

// do makes one request by a scope's token and returns status and body.
func (o *office) do(scope, method, path, body string) (int, map[string]any) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), method, o.url+path, strings.NewReader(body))
	require.NoError(o.t, err)
	if scope != "" {
		request.Header.Set("Authorization", "Bearer "+o.token(scope))
	}
	answer, err := http.DefaultClient.Do(request)
	require.NoError(o.t, err)
	defer answer.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(answer.Body)
	require.NoError(o.t, err)
	var v map[string]any
	if json.Unmarshal(text, &v) != nil {
		v = map[string]any{"text": string(text)}
	}
	return answer.StatusCode, v
}

func (o *office) rpc(scope, method, params string) map[string]any {
	o.t.Helper()
	status, v := o.do(scope, http.MethodPost, "/rpc", fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":%q,"params":%s}`, method, params))
	require.Equal(o.t, http.StatusOK, status, v)
	return v
}

const machine = `"environment":{"cwd":"/srv/app","home":"/home/u","path":["/usr/bin"],"platform":"linux","executables":{"rm":"/usr/bin/rm","ls":"/usr/bin/ls"}}`

func execBody(command string) string {
	return fmt.Sprintf(`{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":%q}},%s}`, command, machine)
}

// ask asks for a decision as the gateway does.
func (o *office) ask(command string) gavel.Decision {
	o.t.Helper()
	status, v := o.do("gateway", http.MethodPost, "/v1/decisions", execBody(command))
	require.Equal(o.t, http.StatusOK, status, v)
	text, err := json.Marshal(v)
	require.NoError(o.t, err)
	var d gavel.Decision
	require.NoError(o.t, json.Unmarshal(text, &d))
	return d
}

func codeIn(v map[string]any) string {
	e, _ := v["error"].(map[string]any)
	if data, ok := e["data"].(map[string]any); ok {
		return fmt.Sprint(data["code"])
	}
	return fmt.Sprint(e["code"])
}

func TestPeopleAnswerOverHTTP(t *testing.T) {
	t.Parallel()
	o := openOffice(t, asking)
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
	o := openOffice(t, asking)
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
	_, v := openOffice(t, asking).do("admin", http.MethodGet, "/metrics", "")
	assert.Contains(t, v["text"], "gavel_forward_dropped_total 0")
}

func TestNobodyAnswersTheirOwnQuestion(t *testing.T) {
	t.Parallel()
	o := openOffice(t, asking, "alice")
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
	o := openOffice(t, "approvals: {exec: {quorum: 2, approvers: [alice, bob]}}\n"+asking, "alice", "bob", "carol")
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
	o := openOffice(t, asking)
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
	node, o := openOffice(t, asking), openOffice(t, asking)
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
	o := openOffice(t, asking)
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

func TestEventsReachWatchers(t *testing.T) {
	t.Parallel()
	o := openOffice(t, asking)
	before := o.ask("rm before")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+"/v1/approvals/events", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+o.token("approve"))
	stream, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer stream.Body.Close() //nolint:errcheck // cut off
	require.Equal(t, "text/event-stream", stream.Header.Get("Content-Type"))
	lines := bufio.NewScanner(stream.Body)
	next := func() (name, id string) {
		for lines.Scan() {
			if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				name = text
			}
			if text, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				return name, text
			}
		}
		return "", ""
	}
	expect := func(name, id string) {
		t.Helper()
		gotName, gotID := next()
		assert.Equal(t, [2]string{name, id}, [2]string{gotName, gotID})
	}
	expect("exec.approval.requested", before.Approval.ID)

	conn, answer, err := websocket.Dial(ctx, strings.Replace(o.url, "http", "ws", 1)+"/rpc",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + o.token("approve")}}})
	require.NoError(t, err)
	if answer.Body != nil {
		defer answer.Body.Close() //nolint:errcheck // it is the connection's
	}
	defer conn.CloseNow() //nolint:errcheck // it may be closed
	heard := func() map[string]any {
		for {
			_, text, err := conn.Read(ctx)
			require.NoError(t, err)
			var v map[string]any
			require.NoError(t, json.Unmarshal(text, &v))
			if event, ok := v["params"].(map[string]any); !ok || event["id"] != before.Approval.ID {
				return v // the first question may still be on its way
			}
		}
	}
	// An answer says that the connection is there, and follows.
	require.NoError(t, conn.Write(ctx, websocket.MessageText, []byte(`{"jsonrpc":"2.0","id":1,"method":"exec.approval.list"}`)))
	assert.Len(t, heard()["result"], 1)

	d := o.ask("rm x")
	expect("exec.approval.requested", d.Approval.ID)
	event := heard()
	assert.Equal(t, "exec.approval.requested", event["method"])
	assert.Equal(t, d.Approval.ID, event["params"].(map[string]any)["id"])
	require.NoError(t, conn.Write(ctx, websocket.MessageText,
		fmt.Appendf(nil, `{"jsonrpc":"2.0","id":2,"method":"exec.approval.resolve","params":{"id":%q,"decision":"deny"}}`, d.Approval.ID)))
	names := []any{heard()["method"], heard()["method"]}
	assert.ElementsMatch(t, []any{nil, "exec.approval.resolved"}, names, "the answer and the event, in any order")
	expect("exec.approval.resolved", d.Approval.ID)
}

func TestTheSocketOfTheApprovalsFileSpeaksJSONLines(t *testing.T) {
	t.Parallel()
	o := openOffice(t, asking, "alice")
	text, err := os.ReadFile(filepath.Join(o.state, allowlist.Name))
	require.NoError(t, err)
	d, err := allowlist.Parse(text)
	require.NoError(t, err)
	token := d.Socket.Token
	connect := func() (net.Conn, *bufio.Scanner) {
		conn, err := new(net.Dialer).DialContext(t.Context(), "unix", filepath.Join(o.state, "exec-approvals.sock"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() })
		return conn, bufio.NewScanner(conn)
	}
	say := func(conn net.Conn, lines *bufio.Scanner, format string, args ...any) map[string]any {
		_, err := fmt.Fprintf(conn, format+"\n", args...)
		require.NoError(t, err)
		for lines.Scan() {
			var v map[string]any
			require.NoError(t, json.NewDecoder(bytes.NewReader(lines.Bytes())).Decode(&v))
			if v["method"] == nil { // no event
				return v
			}
		}
		return nil
	}
	conn, lines := connect()
	assert.Equal(t, "unauthenticated", codeIn(say(conn, lines, `{"jsonrpc":"2.0","id":1,"token":"wrong","method":"exec.approval.list"}`)))
	assert.False(t, lines.Scan(), "who has no token is cut off")

	asked := o.ask("rm x")
	conn, lines = connect()
	v := say(conn, lines, `{"jsonrpc":"2.0","id":1,"token":%q,"method":"exec.approval.list"}`, token)
	assert.Len(t, v["result"], 1, v)
	v = say(conn, lines, `{"jsonrpc":"2.0","id":2,"token":%q,"method":"exec.approval.resolve","params":{"id":%q,"decision":"allow-once"}}`, token, asked.Approval.ID)
	assert.NotNil(t, v["result"], v)
	assert.Equal(t, gavel.Allow, o.ask("rm x").Effect)

	// The original's own form: a request in, a decision out. Someone else answers.
	done := make(chan map[string]any)
	go func() {
		conn, lines := connect()
		done <- say(conn, lines, `{"type":"request","token":%q,"id":"q1","request":{"id":"from-the-socket","command":"/bin/rm y","cwd":"/","agentId":"main"}}`, token)
	}()
	require.Eventually(t, func() bool {
		status, _ := o.do("approve", http.MethodPost, "/v1/approvals/from-the-socket/resolve", `{"decision":"deny"}`)
		return status == http.StatusOK
	}, wait, tick)
	got := <-done
	assert.Equal(t, "decision", got["type"], got)
	assert.Equal(t, "deny", got["decision"], got)
}

func TestAllowlistsAreReadAndReplacedByAgent(t *testing.T) {
	t.Parallel()
	o := openOffice(t, asking)
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

func TestQuestionsAreForwardedToTargets(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}))
	defer receiver.Close()
	o := openOffice(t, "approvals: {exec: {enabled: true, mode: targets, route: connected, agentFilter: [main], targets: [{channel: slack, to: U12345678}]}}\n"+asking)
	assert.Equal(t, gavel.Deny, o.ask("rm x").Effect, "a target that cannot be reached does not reach a person")
	dir := filepath.Join(o.state, "webhooks")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "slack.json"), fmt.Appendf(nil, `{"url":%q,"allowPrivate":true}`, receiver.URL), 0o600))
	d := o.ask("rm x")
	require.Equal(t, gavel.Ask, d.Effect, d.Reasons)
	body := <-got
	assert.Contains(t, body, d.Approval.ID)
	assert.Contains(t, body, "U12345678")
}
