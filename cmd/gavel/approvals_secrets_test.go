package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// Whatever people are shown of a question has no secret of the command, and says that something
// is masked, also where it is more than one word. With approvals.exec.secrets: show they see it, and nobody else does.
func TestRT22PeopleSeeSecretsOnlyWhereThePolicySaysSo(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	for setting, shown := range map[string]bool{"mask": false, "show": true} {
		t.Run(setting, func(t *testing.T) {
			t.Parallel()
			got := make(chan string, 10)
			receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				got <- string(body)
			}))
			defer receiver.Close()
			o := startTestServer(t, "approvals: {exec: {secrets: "+setting+", enabled: true, mode: targets, targets: [{channel: webhook, to: ops}]}}\n"+asking)
			dir := filepath.Join(o.state, "webhooks")
			require.NoError(t, os.Mkdir(dir, 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(dir, "webhook.json"), fmt.Appendf(nil, `{"url":%q,"allowPrivate":true}`, receiver.URL), 0o600))

			status, answer := o.do("gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"rm --token \"the words `+
				secret+`\" x","env":{"DEPLOY_TOKEN":"`+secret+`"}}},`+machine+`}`)
			require.Equal(t, http.StatusOK, status)
			approval, ok := answer["approval"].(map[string]any)
			require.True(t, ok, answer)
			id := fmt.Sprint(approval["id"])
			_, list := o.do("approve", http.MethodGet, "/v1/approvals", "")
			_, one := o.do("approve", http.MethodGet, "/v1/approvals/"+id, "")
			_, listed, _ := runGavel(t, "", "approvals", "list", "--state", o.state)
			_, printed, _ := runGavel(t, "", "approvals", "show", id, "--state", o.state)
			for name, text := range map[string]string{"the list": fmt.Sprint(list), "the page": fmt.Sprint(one), "gavel approvals list": listed, "gavel approvals show": printed, "the webhook": <-got,
				"exec.approval.list": fmt.Sprint(o.rpc("approve", "exec.approval.list", `{}`)), "exec.approval.get": fmt.Sprint(o.rpc("approve", "exec.approval.get", `{"id":"`+id+`"}`))} {
				assert.Contains(t, text, "rm", name)
				assert.Equal(t, shown, strings.Contains(text, secret), "%s: %s", name, text)
				if !shown {
					assert.Contains(t, text, "**REDACTED**", name)
				}
			}
			reasons, err := json.Marshal(answer["reasons"])
			require.NoError(t, err)
			assert.NotContains(t, string(reasons), secret, "reasons are masked for everybody")
			log, err := os.ReadFile(filepath.Join(o.state, "decisions.jsonl"))
			require.NoError(t, err)
			assert.NotContains(t, string(log), secret, "the log is masked whatever people see")
		})
	}
}

// No error of the HTTP API repeats a secret that the request had, wherever in it.
func TestRT22NoErrorRepeatsASecret(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	const secret = "hunter2hunter2"
	const command = "curl -u a:" + secret + " https://h/"
	for name, c := range map[string]struct{ scope, method, path, body string }{
		"a command that no quote ends":  {"gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"command":"` + command + `}}`},
		"a command where an agent is":   {"gateway", http.MethodPost, "/v1/decisions", `{"agent":"` + command + `","tool":{"name":"exec"}}`},
		"a command where a tool is":     {"gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":"` + command + `"}`},
		"a command for a member's name": {"gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{}},"` + command + `":1}`},
		"a command twice":               {"gateway", http.MethodPost, "/v1/decisions", `{"agent":{"id":"main"},"tool":{"name":"exec","params":{"` + command + `":1,"` + command + `":2}}}`},
		"a command behind the body":     {"gateway", http.MethodPost, "/v1/decisions", execBody("ls") + command},
		"a command for a path":          {"gateway", http.MethodGet, "/v1/" + strings.ReplaceAll(command, " ", "%20"), ""},
		"a command for an approval":     {"approve", http.MethodGet, "/v1/approvals/" + strings.ReplaceAll(command, " ", "%20"), ""},
		"a command for an answer":       {"approve", http.MethodPost, "/v1/approvals/0199aaaa/resolve", `{"decision":"` + command + `"}`},
		"a command for a method":        {"approve", http.MethodPost, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"` + command + `","params":{}}`},
		"a command for an id":           {"approve", http.MethodPost, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"exec.approval.get","params":{"id":"` + command + `"}}`},
		"a command in a list":           {"admin", http.MethodPut, "/v1/allowlists/main", `{"entries":[{"pattern":"` + command + `"}]}`},
		"a command in a file of lists":  {"admin", http.MethodPost, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"exec.approvals.set","params":{"baseHash":"0","file":{"version":1,"agents":{"` + command + `":1}}}}`},
		"a command that is asked about": {"gateway", http.MethodPost, "/rpc", `{"jsonrpc":"2.0","id":1,"method":"exec.approval.request","params":{"command":"` + command + `","cwd":"/srv"}}`},
		"a command in a query":          {"gateway", http.MethodPost, "/v1/decisions?explain=" + strings.ReplaceAll(command, " ", "%20"), execBody("ls")},
		"a command for a grant":         {"gateway", http.MethodPost, "/v1/grants/verify", `{"grant":"` + command + `"}`},
	} {
		_, v := o.do(c.scope, c.method, c.path, c.body)
		text, err := json.Marshal(v)
		require.NoError(t, err)
		assert.Contains(t, v, "error", "%s: %s", name, text)
		assert.NotContains(t, string(text), secret, name)
	}
	assert.Equal(t, gavel.Allow, o.ask("ls").Effect)
}
