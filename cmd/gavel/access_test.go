package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server/access"
)

// accessPath is one way to make a request: with the token of a scope, or without one.
type accessPath struct {
	scope  gavel.Scope // as in the table; "" for nobody
	token  string      // of tokens/<token>.token; "" for none
	socket bool        // over gavel.sock
}

func accessPaths() map[string]accessPath {
	return map[string]accessPath{
		"nobody":        {},
		"decide":        {scope: gavel.ScopeDecide, token: "decide"},
		"gateway":       {scope: gavel.ScopeGateway, token: "gateway"},
		"approve":       {scope: gavel.ScopeApprove, token: "approve"},
		"approve:alice": {scope: gavel.ScopeApprove, token: "approve.alice"},
		"admin":         {scope: gavel.ScopeAdmin, token: "admin"},
		"socket":        {scope: gavel.ScopeSocket, socket: true},
	}
}

// requestVia makes a request in one way. It returns the status and, for an error, the code and the fix.
func (o *testServer) requestVia(d accessPath, method, path, body string) (status int, code, fix string, answer map[string]any) {
	o.t.Helper()
	ctx, cancel := context.WithTimeout(o.t.Context(), time.Minute)
	defer cancel()
	client, url := http.DefaultClient, o.url
	if d.socket {
		transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", filepath.Join(o.state, "gavel.sock"))
		}}
		defer transport.CloseIdleConnections()
		client, url = &http.Client{Transport: transport}, "http://gavel"
	}
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	require.NoError(o.t, err)
	if d.token != "" {
		r.Header.Set("Authorization", "Bearer "+o.token(d.token))
	}
	got, err := client.Do(r)
	require.NoError(o.t, err)
	defer got.Body.Close() //nolint:errcheck // the answer may be endless
	if got.StatusCode == http.StatusOK && strings.HasPrefix(got.Header.Get("Content-Type"), "text/event-stream") {
		return got.StatusCode, "", "", nil
	}
	text, err := io.ReadAll(got.Body)
	require.NoError(o.t, err)
	if json.Unmarshal(text, &answer) == nil {
		if e, ok := answer["error"].(map[string]any); ok {
			code, fix = codeIn(answer), fmt.Sprint(e["fix"])
		}
	}
	return got.StatusCode, code, fix, answer
}

// matrix formats a table of rights as text: one line for each thing, with all who may do it.
func matrix(rows map[string][]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		slices.Sort(rows[key])
		fmt.Fprintf(&b, "%-36s %s\n", key, strings.Join(rows[key], " "))
	}
	return b.String()
}

// Every route is requested in every way. What happens is what the table of routes and
// that of scopes say, and what testdata/access.txt says, which people read when one of them
// changes.
func TestEveryRouteAndMethodRequiresTheRightsInTheTables(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, "agents: {main: {}}\n", "alice")
	happens, said := map[string][]string{}, map[string][]string{}
	for _, row := range access.Routes() {
		path := strings.NewReplacer("{id}", "00000000", "{agent}", "main").Replace(row.Path)
		if row.Need == gavel.RightRun { // routes of gavel runner, which its own tests ask for
			status, _, _, _ := o.requestVia(accessPaths()["gateway"], row.Method, path, "{}")
			assert.Equal(t, http.StatusNotFound, status, "%s runs something, and gavel serve runs nothing", row.Key())
			continue
		}
		happens[row.Key()], said[row.Key()] = []string{}, []string{}
		for name, d := range accessPaths() {
			if row.Need == access.Open || d.scope != "" && d.scope.Rights()&row.Need == row.Need {
				said[row.Key()] = append(said[row.Key()], name)
			}
			status, code, fix, answer := o.requestVia(d, row.Method, path, "{}")
			switch {
			case strings.HasPrefix(row.Path, "/hooks/"): // hosts let a call run after every other status
				assert.Equal(t, http.StatusOK, status)
				if !strings.Contains(fmt.Sprint(answer), "token") {
					happens[row.Key()] = append(happens[row.Key()], name)
				}
			case status == http.StatusUnauthorized:
				assert.Empty(t, d.token, "%s is not let in", name)
			case code == "scope_required":
				assert.Equal(t, http.StatusForbidden, status)
				assert.Equal(t, "use a token of the scope "+gavel.OneOf(gavel.TokenScopes(row.Need)), fix)
			default:
				assert.NotEqual(t, "method_not_allowed", code, "%s is in the table and not served", row.Key())
				assert.NotContains(t, fix, "use POST /v1/decisions,", "%s is in the table and not served", row.Key())
				happens[row.Key()] = append(happens[row.Key()], name)
			}
		}
	}
	for _, row := range access.Methods() {
		happens[row.Name], said[row.Name] = []string{}, []string{}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{}}`, row.Name)
		for name, d := range accessPaths() {
			if d.scope.Rights()&row.Need == row.Need {
				said[row.Name] = append(said[row.Name], name)
			}
			status, code, _, _ := o.requestVia(d, http.MethodPost, "/rpc", body)
			if status == http.StatusOK && code != "scope_required" {
				happens[row.Name] = append(happens[row.Name], name)
			}
		}
		said[row.Name] = append(said[row.Name], operatorsMay(row.Need)...)
		happens[row.Name] = append(happens[row.Name], o.operators(body)...)
	}
	assert.Equal(t, matrix(said), matrix(happens), "the server does what the tables say")
	want, err := os.ReadFile(filepath.Join("testdata", "access.txt"))
	require.NoError(t, err)
	assert.Equal(t, string(want), matrix(happens), "who may do what has changed: is it meant? then change testdata/access.txt")
}

func operatorsMay(need gavel.Right) []string {
	if gavel.ScopeOperators.Rights()&need == need {
		return []string{"operators"}
	}
	return nil
}

// operators asks on the operators' socket.
func (o *testServer) operators(body string) []string {
	o.t.Helper()
	var file struct {
		Socket struct{ Token string }
	}
	text, err := os.ReadFile(filepath.Join(o.state, "exec-approvals.json"))
	require.NoError(o.t, err)
	require.NoError(o.t, json.Unmarshal(text, &file))
	conn, err := new(net.Dialer).DialContext(o.t.Context(), "unix", filepath.Join(o.state, "exec-approvals.sock"))
	require.NoError(o.t, err)
	defer conn.Close() //nolint:errcheck // it ends with the question
	require.NoError(o.t, conn.SetDeadline(time.Now().Add(time.Minute)))
	_, err = fmt.Fprintf(conn, "%s,\"token\":%q}\n", strings.TrimSuffix(body, "}"), file.Socket.Token)
	require.NoError(o.t, err)
	var answer map[string]any
	require.NoError(o.t, json.NewDecoder(conn).Decode(&answer))
	if codeIn(answer) == "scope_required" || codeIn(answer) == "unauthenticated" {
		return nil
	}
	return []string{"operators"}
}
