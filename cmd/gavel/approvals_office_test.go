package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// testServer is a gavel serve with the tokens of people, for tests.
type testServer struct {
	t      *testing.T
	url    string
	state  string
	policy string
}

// startTestServer serves a policy until the test ends.
func startTestServer(t *testing.T, config string, people ...string) *testServer {
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
	return &testServer{t: t, url: n.Listen, state: state, policy: policy}
}

func (o *testServer) token(scope string) string {
	text, err := os.ReadFile(filepath.Join(o.state, "tokens", scope+".token"))
	require.NoError(o.t, err)
	return strings.TrimSpace(string(text))
}

// do makes one request by a scope's token and returns status and body.
func (o *testServer) do(scope, method, path, body string) (int, map[string]any) {
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

func (o *testServer) rpc(scope, method, params string) map[string]any {
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
func (o *testServer) ask(command string) gavel.Decision {
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
