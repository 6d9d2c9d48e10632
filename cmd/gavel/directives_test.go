//go:build unix

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

const directed = `
tools:
  exec: {host: auto, security: allowlist, allowlist: [/usr/bin/ls]}
  elevated: {allowFrom: ["discord:123"]}
commands: {allowFrom: ["discord:123"]}
approvals: {exec: {allowFrom: ["discord:123"]}}
agents: {main: {}}
`

// startDirectiveServer starts a server with that policy.
func startDirectiveServer(t *testing.T) agentServer { return startAgentServerWith(t, directed) }

func startAgentServerWith(t *testing.T, policy string) agentServer {
	o := startAgentServer(t)
	require.Equal(t, exitOK, o.stop())
	require.NoError(t, os.WriteFile(o.policy, []byte(policy), 0o600))
	o.n, o.stop = serving(t, "--state", o.state, "--policy", o.policy)
	return o
}

// say posts a message, and returns the reply.
func (o agentServer) say(sender, text string) (code int, reply string) {
	o.t.Helper()
	code, out, errs := o.run("directives", "--agent", "main", "--session", "agent:main:main", "--sender", sender, text)
	assert.Empty(o.t, errs)
	return code, out
}

// runs decides a command of the session main, of an agent in a sandbox or outside, and returns
// the decision with its codes, and the host.
func (o agentServer) runs(token, sender, command string, sandboxed bool) (decided, host string, approval string) {
	o.t.Helper()
	body := fmt.Sprintf(`{"agent":{"id":"main","sandboxed":%t},"session":{"key":"agent:main:main"},"sender":{"channel":"discord","id":%q},
		"environment":{"cwd":"/srv","executables":{"ls":"/usr/bin/ls","vi":"/usr/bin/vi"}},"tool":{"name":"exec","params":{"command":%q}}}`, sandboxed, sender, command)
	r, err := http.NewRequestWithContext(o.t.Context(), http.MethodPost, o.n.Listen+"/v1/decisions", strings.NewReader(body))
	require.NoError(o.t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(o.t, err)
	defer answer.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(answer.Body)
	require.NoError(o.t, err)
	var d gavel.Decision
	require.NoError(o.t, json.Unmarshal(text, &d), "%s", text)
	if d.Exec != nil {
		host = d.Exec.Host
	}
	if d.Approval != nil {
		approval = d.Approval.ID
	}
	return d.Effect.String() + " " + codes(d), host, approval
}

func TestADirectiveHoldsForTheSessionAndAfterARestart(t *testing.T) {
	t.Parallel()
	o := startDirectiveServer(t)
	gateway := o.file("gateway")
	got, _, _ := o.runs(gateway, "9", "ls", false)
	assert.Equal(t, "allow", strings.Fields(got)[0])
	code, reply := o.say("discord:123", "/exec ask=always")
	assert.Equal(t, exitOK, code)
	assert.Contains(t, reply, "ask=always")
	got, _, _ = o.runs(gateway, "9", "ls", false)
	assert.Equal(t, "ask", strings.Fields(got)[0])
	require.Equal(t, exitOK, o.stop())

	o.n, o.stop = serving(t, "--state", o.state, "--policy", o.policy)
	got, _, _ = o.runs(gateway, "9", "ls", false)
	assert.Equal(t, "ask", strings.Fields(got)[0])
	_, reply = o.say("discord:123", "/exec")
	assert.Contains(t, reply, "- ask: always (session)")
	assert.Contains(t, reply, "- security: allowlist (tools.exec.security, global)")
	require.NoError(t, os.WriteFile(filepath.Join(o.state, "sessions.json"), []byte("{"), 0o600))
	got, _, _ = o.runs(gateway, "9", "ls", false)
	assert.Contains(t, got, "deny")
	assert.Contains(t, got, "exec.session_unknown")
	code, reply = o.say("discord:123", "/exec ask=always")
	assert.Equal(t, exitDenied, code)
	assert.Contains(t, reply, "exec.session_unknown")
	assert.Equal(t, exitOK, o.stop())
	log := decisionLog(t, o.state)
	for _, kind := range []string{"directive.set", "directive.shown", "directive.refused"} {
		assert.Contains(t, log, `"kind":"`+kind+`"`)
	}
}

func TestALevelIsForAuthorisedSendersAndRefusalsAreCounted(t *testing.T) {
	t.Parallel()
	o := startDirectiveServer(t)
	gateway := o.file("gateway")
	code, reply := o.say("discord:9", "/elevated full")
	assert.Equal(t, exitDenied, code)
	assert.Contains(t, reply, "elevated.sender, tools.elevated.allowFrom")
	code, reply = o.say("discord:123", "/elev full")
	assert.Equal(t, exitOK, code, reply)
	got, host, _ := o.runs(gateway, "123", "vi", true)
	assert.Equal(t, []string{"allow", "gateway"}, []string{strings.Fields(got)[0], host})
	_, host, _ = o.runs(gateway, "9", "ls", true)
	assert.NotEqual(t, "gateway", host, "another sender of the session stays in the sandbox")

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, o.n.Listen+"/metrics", nil)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+gateway)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(text), "gavel_elevation_refused_total 1")
	assert.Equal(t, exitOK, o.stop())
	assert.Contains(t, decisionLog(t, o.state), `"kind":"elevation.refused"`)
}

// R33.
func TestAnAnswerInAMessageIsCheckedLikeAnyOtherAnswer(t *testing.T) {
	t.Parallel()
	o := startDirectiveServer(t)
	got, _, own := o.runs(o.file("gateway"), "123", "vi", false)
	require.Contains(t, got, "ask")
	code, reply := o.say("discord:123", "/approve "+own+" allow-once")
	assert.Equal(t, exitDenied, code)
	assert.Contains(t, reply, "the credential that asked cannot answer")

	token := o.create("asker", "--scope", "gateway")
	_, _, others := o.runs(token, "123", "vi a", false)
	require.NotEmpty(t, others)
	code, reply = o.say("discord:9", "/approve "+others+" allow-once")
	assert.Equal(t, exitDenied, code)
	assert.Contains(t, reply, "directives.approver, approvals.exec.allowFrom")
	code, reply = o.say("discord:123", "/approve allow "+others[:8])
	assert.Equal(t, exitOK, code, reply)
	assert.Contains(t, reply, "Answered "+others+" with allow-once.")
	got, _, _ = o.runs(token, "123", "vi a", false)
	assert.Equal(t, "allow", strings.Fields(got)[0])
	assert.Equal(t, exitOK, o.stop())
}

// APPROVALS-7.
func TestNamedPeopleAnswerInMessagesAndCountForAQuorum(t *testing.T) {
	t.Parallel()
	o := startAgentServerWith(t, `
tools: {exec: {host: gateway, security: allowlist}}
approvals: {exec: {quorum: 2, approvers: [alice, bob], allowFrom: ["discord:7"],
  people: {alice: ["discord:1"], bob: ["discord:2"], eve: ["discord:3"]}}}
agents: {main: {}}
`)
	token := o.create("asker", "--scope", "gateway")
	_, _, id := o.runs(token, "1", "vi a", false)
	require.NotEmpty(t, id)
	refused := func(sender, why string) {
		code, reply := o.say(sender, "/approve "+id+" allow-once")
		assert.Equal(t, exitDenied, code, sender)
		assert.Contains(t, reply, why, sender)
	}
	refused("discord:3", "approver")
	refused("discord:7", "approver")
	refused("discord:9", "directives.approver")
	code, reply := o.say("discord:1", "/approve "+id+" allow-once")
	require.Equal(t, exitOK, code, reply)
	refused("discord:1", "already")
	got, _, _ := o.runs(token, "1", "vi a", false)
	assert.Contains(t, got, "ask", "one person is not two")
	code, reply = o.say("discord:2", "/approve "+id+" allow-once")
	require.Equal(t, exitOK, code, reply)
	got, _, _ = o.runs(token, "1", "vi a", false)
	assert.Equal(t, "allow", strings.Fields(got)[0])
	assert.Equal(t, exitOK, o.stop())
	assert.Contains(t, decisionLog(t, o.state), `"person":"bob"`)
}
