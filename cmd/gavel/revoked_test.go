package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// asks has a token put a question, and returns its id.
func (o *testServer) asks(token string) (effect, id string) {
	o.t.Helper()
	path := filepath.Join(o.state, "tokens", "asking.token")
	require.NoError(o.t, os.WriteFile(path, []byte(token), 0o600)) // do finds it there; no scope is called so
	status, v := o.do("asking", http.MethodPost, "/v1/decisions", execBody("rm x"))
	require.Equal(o.t, http.StatusOK, status, v)
	approval, _ := v["approval"].(map[string]any)
	return fmt.Sprint(v["decision"]), fmt.Sprint(approval["id"])
}

// open are the ids of the questions that are open.
func (o *testServer) open() (ids []string) {
	o.t.Helper()
	status, v := o.do("approve", http.MethodGet, "/v1/approvals", "")
	require.Equal(o.t, http.StatusOK, status, v)
	for _, a := range v["approvals"].([]any) {
		ids = append(ids, a.(map[string]any)["id"].(string))
	}
	return ids
}

// A credential is revoked and another one takes its name, as when a token was stolen.
// revocation ends a credential whose name then belongs to another one.
type revocation struct {
	first  func(t *testing.T, o *testServer) string // the token that asks
	second func(t *testing.T, o *testServer) string // revokes it, and returns the one that takes its name
}

func revocations() map[string]revocation {
	gateway := func(o *testServer, file string) string { return filepath.Join(o.state, "tokens", file) }
	create := func(t *testing.T, o *testServer) string {
		code, out, errs := o.run("token", "create", "bot", "--scope", "gateway")
		require.Equal(t, exitOK, code, errs)
		return strings.TrimSpace(out)
	}
	revoke := func(t *testing.T, o *testServer) {
		code, _, errs := o.run("token", "revoke", "bot")
		require.Equal(t, exitOK, code, errs)
	}
	return map[string]revocation{
		"the file of a token is replaced": {
			func(_ *testing.T, o *testServer) string { return o.token("gateway") },
			func(t *testing.T, o *testServer) string {
				next := strings.Repeat("n", 40)
				require.NoError(t, os.WriteFile(gateway(o, "gateway.token"), []byte(next), 0o600))
				return next
			}},
		"the file of a token is deleted, and made again": {
			func(_ *testing.T, o *testServer) string { return o.token("gateway") },
			func(t *testing.T, o *testServer) string {
				require.NoError(t, os.Remove(gateway(o, "gateway.token")))
				next := strings.Repeat("m", 40)
				require.NoError(t, os.WriteFile(gateway(o, "gateway.token"), []byte(next), 0o600))
				return next
			}},
		"a token is revoked, and created again": {create, func(t *testing.T, o *testServer) string {
			revoke(t, o)
			return create(t, o)
		}},
	}
}

func TestRT12QuestionsEndWithTheCredentialThatAsked(t *testing.T) {
	t.Parallel()
	for name, c := range revocations() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := startTestServer(t, asking)
			first := c.first(t, o)
			effect, id := o.asks(first)
			require.Equal(t, "ask", effect)
			status, v := o.do("approve", http.MethodPost, "/v1/approvals/"+id+"/resolve", `{"decision":"approve"}`)
			require.Equal(t, http.StatusOK, status, v)
			second := c.second(t, o)
			effect, own := o.asks(second)
			assert.Equal(t, "ask", effect, "it does not use the answer to the other")
			assert.NotEqual(t, id, own)
			assert.Eventually(t, func() bool { return len(o.open()) == 1 }, time.Minute, 20*time.Millisecond, "its question stays open")
		})
		t.Run(name+" while a question is open", func(t *testing.T) {
			t.Parallel()
			o := startTestServer(t, asking)
			_, id := o.asks(c.first(t, o))
			require.Equal(t, []string{id}, o.open())
			c.second(t, o)
			assert.Eventually(t, func() bool { return len(o.open()) == 0 }, time.Minute, 20*time.Millisecond, "it is withdrawn")
			assert.Eventually(t, func() bool { return strings.Contains(decisionLog(t, o.state), gavel.ExpiredRevoked) }, time.Minute, 20*time.Millisecond, "and the log says why")
		})
	}
}

// run runs the command line on the server's state.
func (o *testServer) run(args ...string) (code int, stdout, stderr string) {
	a, out, errs := testApp("")
	code = a.run(o.t.Context(), append(args, "--state", o.state))
	return code, out.String(), errs.String()
}
