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
)

// watchEvents opens the event stream, and returns the function that reads the next event.
func watchEvents(t *testing.T, ctx context.Context, o *testServer) (next func() (name, id string)) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.url+"/v1/approvals/events", nil)
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+o.token("approve"))
	stream, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	t.Cleanup(func() { _ = stream.Body.Close() }) // cut off
	require.Equal(t, "text/event-stream", stream.Header.Get("Content-Type"))
	lines := bufio.NewScanner(stream.Body)
	return func() (name, id string) {
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
}

// dialRPC opens a WebSocket on /rpc.
func dialRPC(t *testing.T, ctx context.Context, o *testServer) *websocket.Conn {
	t.Helper()
	conn, answer, err := websocket.Dial(ctx, strings.Replace(o.url, "http", "ws", 1)+"/rpc",
		&websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer " + o.token("approve")}}})
	require.NoError(t, err)
	if answer.Body != nil {
		t.Cleanup(func() { _ = answer.Body.Close() }) // it is the connection's
	}
	t.Cleanup(func() { _ = conn.CloseNow() }) // it may be closed
	return conn
}

func TestEventsReachWatchers(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	before := o.ask("rm before")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	next := watchEvents(t, ctx, o)
	expect := func(name, id string) {
		t.Helper()
		gotName, gotID := next()
		assert.Equal(t, [2]string{name, id}, [2]string{gotName, gotID})
	}
	expect("exec.approval.requested", before.Approval.ID)

	conn := dialRPC(t, ctx, o)
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
	o := startTestServer(t, asking, "alice")
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

func TestQuestionsAreForwardedToTargets(t *testing.T) {
	t.Parallel()
	got := make(chan string, 10)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- string(body)
	}))
	defer receiver.Close()
	o := startTestServer(t, "approvals: {exec: {enabled: true, mode: targets, route: connected, agentFilter: [main], targets: [{channel: slack, to: U12345678}]}}\n"+asking)
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
