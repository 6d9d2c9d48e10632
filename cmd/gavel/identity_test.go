//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// agentServer is a running server with a policy of several agents, and its command line.
type agentServer struct {
	t      *testing.T
	n      announcement
	state  string
	policy string
	stop   func() int
}

func startAgentServer(t *testing.T, args ...string) agentServer {
	t.Helper()
	state, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(`
tools: {byProvider: {openai: {deny: [web_search]}}}
agents:
  main: {}
  locked: {tools: {deny: [read]}}
  admin: {exec: {security: full, ask: "off"}}
`), 0o600))
	n, stop := serving(t, append([]string{"--state", state, "--policy", policy}, args...)...)
	return agentServer{t, n, state, policy, stop}
}

// file is a token of the first start.
func (o agentServer) file(scope string) string {
	o.t.Helper()
	text, err := os.ReadFile(filepath.Join(o.n.Tokens, scope+".token"))
	require.NoError(o.t, err)
	return strings.TrimSpace(string(text))
}

// run runs a command of the state directory.
func (o agentServer) run(args ...string) (code int, stdout, stderr string) {
	o.t.Helper()
	a, out, errs := testApp("")
	code = a.run(context.Background(), append(args, "--state", o.state))
	return code, out.String(), errs.String()
}

func (o agentServer) create(args ...string) string {
	o.t.Helper()
	code, out, errs := o.run(append([]string{"token", "create"}, args...)...)
	require.Equal(o.t, exitOK, code, errs)
	return strings.TrimSpace(out)
}

// decide asks about a call; it returns the status, and what was decided with its first code.
func (o agentServer) decide(token, call string) (status int, decision string) {
	o.t.Helper()
	request, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.n.Listen+"/v1/decisions", strings.NewReader(call))
	require.NoError(o.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	require.NoError(o.t, err)
	defer answer.Body.Close() //nolint:errcheck // it is read
	var d gavel.Decision
	if answer.StatusCode == http.StatusOK {
		require.NoError(o.t, json.NewDecoder(answer.Body).Decode(&d))
		require.NotEmpty(o.t, d.Reasons)
		return answer.StatusCode, d.Effect.String() + " " + d.Reasons[0].Code
	}
	return answer.StatusCode, ""
}

func callOf(agent, more string) string {
	return `{"agent":{"id":"` + agent + `"}` + more + `,"tool":{"name":"read","params":{"path":"a"}}}`
}

func TestRT06ATokenSpeaksForItsAgentsThroughTheWholeServer(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	coder := o.create("locked-one", "--agent", "locked", "--session", "agent:locked:")
	claiming := o.create("locked-two", "--agent", "lock*", "--claim", "model,depth")
	for name, c := range map[string]struct {
		token, call string
		status      int
		want        string
	}{
		"the shared token, for an agent that is named for it":    {o.file("decide"), callOf("main", ""), 200, "allow tools.allowed"},
		"the shared token, for an agent that is not":             {o.file("decide"), callOf("admin", ""), 200, "deny agent.credential"},
		"the shared token, with the session of another agent":    {o.file("decide"), callOf("main", `,"session":{"key":"agent:locked:main"}`), 200, "deny agent.session"},
		"the shared token, with a model":                         {o.file("decide"), callOf("main", `,"model":{"provider":"x"}`), 403, ""},
		"an agent's token, for itself":                           {coder, callOf("locked", `,"session":{"key":"agent:locked:main"}`), 200, "deny tools.denied"},
		"an agent's token, for another":                          {coder, callOf("admin", `,"session":{"key":"agent:admin:main"}`), 200, "deny agent.session_bound"},
		"an agent's token, for another in capitals":              {coder, callOf(" ADMIN ", `,"session":{"key":"agent:locked:main"}`), 200, "deny agent.credential"},
		"an agent's token, outside its sessions":                 {coder, callOf("locked", `,"session":{"key":"agent:main:main"}`), 200, "deny agent.session_bound"},
		"an agent's token, without a session":                    {coder, callOf("locked", ""), 200, "deny agent.session_bound"},
		"an agent's token, with a claim that it may not make":    {coder, callOf("locked", `,"model":{"provider":"x"}`), 403, ""},
		"an agent's token, with a claim that it may make":        {claiming, callOf("locked", `,"model":{"provider":"x"}`), 200, "deny tools.denied"},
		"a gateway's token, for any":                             {o.file("gateway"), callOf("admin", `,"model":{"provider":"x"}`), 200, "allow tools.allowed"},
		"a gateway's token, with a session of another agent":     {o.file("gateway"), callOf("admin", `,"session":{"key":"agent:main:main"}`), 200, "deny agent.session"},
		"a gateway's token, without the model that a rule reads": {o.file("gateway"), strings.Replace(callOf("main", ""), "read", "web_search", 1), 200, "deny tools.denied"},
	} {
		status, got := o.decide(c.token, c.call)
		assert.Equal(t, c.status, status, name)
		if c.want != "" {
			assert.Equal(t, c.want, got, name)
		}
	}
	assert.Equal(t, exitOK, o.stop())
}

func TestRT06ACallerThatDoesNotSpeakForAnAgentLearnsNothingAboutItsTools(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	tools := func(token, agent string) string {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.n.Listen+"/v1/tools", strings.NewReader(`{"agent":{"id":"`+agent+`"}}`))
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+token)
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		defer answer.Body.Close() //nolint:errcheck // it is read
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		return string(text)
	}
	assert.Contains(t, tools(o.file("decide"), "main"), `"web_fetch"`)
	assert.Contains(t, tools(o.file("decide"), "locked"), "agent.credential")
	assert.NotContains(t, tools(o.file("decide"), "locked"), `"web_fetch"`)
	assert.Contains(t, tools(o.file("admin"), "locked"), `"web_fetch"`)
	assert.Equal(t, exitOK, o.stop())
}

func TestTokensAreCreatedListedAndRevokedWhileTheServerRuns(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	file := filepath.Join(t.TempDir(), "a.token")
	code, out, _ := o.run("token", "create", "main", "--expires", "30d", "--out", file)
	require.Equal(t, exitOK, code)
	assert.Equal(t, "the token of main is in "+file+"\n", out, "it is in the file only")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	token := strings.TrimSpace(string(text))
	status, got := o.decide(token, callOf("main", ""))
	assert.Equal(t, http.StatusOK, status)
	assert.Equal(t, "allow tools.allowed", got)
	code, _, errs := o.run("token", "create", "main", "--out", filepath.Join(t.TempDir(), "b.token"))
	assert.Equal(t, exitError, code, "the name is taken")
	assert.Contains(t, errs, "revoke it first")
	code, _, _ = o.run("token", "create", "other", "--out", file)
	assert.Equal(t, exitError, code, "the file is there already")

	code, out, _ = o.run("token", "list")
	require.Equal(t, exitOK, code)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	require.Len(t, lines, 2, "a token that could not be written down is revoked again")
	assert.Equal(t, strings.Index(lines[0], "EXPIRES"), strings.Index(lines[1], "20"), "the columns are aligned")
	_, out, _ = o.run("token", "list", "--output", "json")
	assert.NotContains(t, out, token)
	assert.NotContains(t, out, "sha256")
	assert.Contains(t, out, `"agents":["main"]`)

	code, out, _ = o.run("token", "revoke", "main")
	require.Equal(t, exitOK, code)
	assert.Equal(t, "the token of main is revoked, from its next request on\n", out)
	status, _ = o.decide(token, callOf("main", ""))
	assert.Equal(t, http.StatusUnauthorized, status)
	code, _, _ = o.run("token", "revoke", "main")
	assert.Equal(t, exitError, code)

	require.NoError(t, os.Remove(filepath.Join(o.n.Tokens, "gateway.token")))
	assert.Equal(t, exitOK, o.stop())
	log := decisionLog(t, o.state)
	for _, kind := range []string{gavel.AuditTokenCreated, gavel.AuditTokenRevoked, gavel.AuditLoginRefused} {
		assert.Contains(t, log, `"kind":"`+kind+`"`)
	}
	assert.NotContains(t, log, token)
}

func TestAPausedAgentIsDeniedAtOnceAndAfterARestart(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	code, out, errs := o.run("agents", "pause", "main", "--for", "1h", "--why", "deletes branches")
	require.Equal(t, exitOK, code, errs)
	assert.Contains(t, out, "agent main is paused until ")
	_, got := o.decide(o.file("gateway"), callOf("main", ""))
	assert.Equal(t, "deny agent.paused", got)
	_, got = o.decide(o.file("gateway"), callOf("admin", ""))
	assert.Equal(t, "allow tools.allowed", got)
	code, out, _ = o.run("agents", "list")
	require.Equal(t, exitOK, code)
	assert.Contains(t, out, "deletes branches")
	require.Equal(t, exitOK, o.stop())

	n, stop := serving(t, "--state", o.state, "--policy", o.policy)
	o.n = n
	_, got = o.decide(o.file("gateway"), callOf("main", ""))
	assert.Equal(t, "deny agent.paused", got)
	code, _, errs = o.run("agents", "resume", "main")
	require.Equal(t, exitOK, code, errs)
	_, got = o.decide(o.file("gateway"), callOf("main", ""))
	assert.Equal(t, "allow tools.allowed", got)
	code, _, _ = o.run("agents", "resume", "main")
	assert.Equal(t, exitError, code)
	require.NoError(t, os.WriteFile(filepath.Join(o.state, "agents.json"), []byte("{"), 0o600))
	_, got = o.decide(o.file("gateway"), callOf("main", ""))
	assert.Equal(t, "deny agent.pause_unknown", got)
	assert.Equal(t, exitOK, stop())
	log := decisionLog(t, o.state)
	assert.Contains(t, log, `"kind":"agent.paused"`)
	assert.Contains(t, log, `"kind":"agent.resumed"`)
}

// Not parallel: the signal reaches every server of this process.
func TestRT12SIGHUPReloadsAndDoesNotEndTheServer(t *testing.T) {
	o := startAgentServer(t)
	require.NoError(t, os.WriteFile(o.policy, []byte("agents: {main: {tools: {deny: [read]}}}\n"), 0o600))
	require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGHUP))
	require.Eventually(t, func() bool {
		_, got := o.decide(o.file("gateway"), callOf("main", ""))
		return got == "deny tools.denied"
	}, time.Minute, 10*time.Millisecond)
	assert.Equal(t, exitOK, o.stop())
}

func TestLifetimes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "12h": 12 * time.Hour, "30d": 720 * time.Hour, "52w": 8736 * time.Hour} {
		got, err := lifetime(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for _, text := range []string{"", "0d", "-1d", "1", "1y", "1.5h", "1h30m", "9999999d", "999999w", " 1d"} {
		_, err := lifetime(text)
		require.Error(t, err, text)
	}
}

func TestAlignedColumns(t *testing.T) {
	t.Parallel()
	text := aligned([][]string{{"a", "b"}, {"long", "x\x1b[2J"}})
	assert.Equal(t, "a     b\nlong  x\\x1b[2J\n", text)
	assert.False(t, bytes.ContainsRune([]byte(text), 0x1b))
}
