//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// audited are the events of a state's decision log of some kinds: kind, agent and name.
func audited(t *testing.T, state string, kinds ...string) (list []string) {
	t.Helper()
	for line := range strings.Lines(decisionLog(t, state)) {
		var event struct {
			Kind, Agent string
			Detail      struct{ Name, File string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &event))
		if slices.Contains(kinds, event.Kind) {
			list = append(list, event.Kind+" "+event.Agent+event.Detail.Name+event.Detail.File)
		}
	}
	return list
}

// again serves the same state once more, and stops.
func (o agentServer) again() {
	o.t.Helper()
	_, stop := serving(o.t, "--state", o.state, "--policy", o.policy)
	require.Equal(o.t, exitOK, stop())
}

func TestRT14ChangesWithoutAServerAreRecordedAtTheNextStart(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	require.Equal(t, exitOK, o.stop())
	kinds := []string{gavel.AuditTokenCreated, gavel.AuditTokenRevoked, gavel.AuditAgentPaused, gavel.AuditAgentResumed, gavel.AuditAllowlistEdited}
	first := audited(t, o.state, kinds...)
	assert.ElementsMatch(t, []string{"token.created tokens/admin.token", "token.created tokens/approve.token", "token.created tokens/decide.token", "token.created tokens/gateway.token", "token.created tokens/run.token"}, first)
	seen := len(first)
	since := func() []string {
		o.again()
		all := audited(t, o.state, kinds...)
		list := all[seen:]
		seen = len(all)
		slices.Sort(list)
		return list
	}
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(o.state, name), []byte(text), 0o600))
	}

	o.create("coder", "--agent", "locked")
	write("agents.json", `{"version":1,"paused":[{"agent":"main","since":"2026-01-02T03:04:05Z","why":"loops","by":"admin"}]}`)
	write("exec-approvals.json", `{"version":1,"agents":{"main":{"allowlist":["/usr/bin/rm"]}}}`)
	write("tokens/approve.alice.token", "0123456789012345678901234567890123456789012\n")
	assert.Equal(t, []string{"agent.paused main", "allowlist.edited main", "token.created coder", "token.created tokens/approve.alice.token"}, since())
	assert.Empty(t, since(), "each is recorded once")

	code, _, errs := o.run("token", "revoke", "coder")
	require.Equal(t, exitOK, code, errs)
	write("agents.json", `{"version":1,"paused":[]}`)
	write("exec-approvals.json", `{"version":1}`)
	require.NoError(t, os.Remove(filepath.Join(o.state, "tokens/approve.alice.token")))
	assert.Equal(t, []string{"agent.resumed main", "allowlist.edited main", "token.revoked coder", "token.revoked tokens/approve.alice.token"}, since())
}

func TestRT14TheServersOwnChangesAreRecordedOnce(t *testing.T) {
	t.Parallel()
	o := startAgentServer(t)
	code, _, errs := o.run("agents", "pause", "locked", "--why", "loops")
	require.Equal(t, exitOK, code, errs)
	code, _, errs = o.run("agents", "resume", "locked")
	require.Equal(t, exitOK, code, errs)
	server := &testServer{t: t, url: o.n.Listen, state: o.state}
	status, _ := server.put("approve", "/usr/bin/rm")
	require.Equal(t, 200, status)
	require.Equal(t, exitOK, o.stop())
	o.again()
	assert.Equal(t, []string{"agent.paused locked", "agent.resumed locked", "allowlist.edited main"},
		audited(t, o.state, gavel.AuditAgentPaused, gavel.AuditAgentResumed, gavel.AuditAllowlistEdited))
}

func TestRT22ASecretInAPermanentAnswerIsStoredNowhere(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, asking)
	const command = "rm password=hunter2SEKRET"
	d := o.ask(command)
	require.Equal(t, gavel.Ask, d.Effect, d.Reasons)
	_, v := o.resolve("approve", d.Approval.ID, "allow-always")
	require.Equal(t, "resolved", v["state"], v)
	assert.Equal(t, gavel.Allow, o.ask(command).Effect, "the answer")
	assert.Equal(t, gavel.Allow, o.ask(command).Effect, "the entry")
	assert.Equal(t, gavel.Ask, o.ask("rm password=hunter3SEKRET").Effect)
	assert.Equal(t, gavel.Ask, o.ask("rm password=**REDACTED**").Effect)
	kept := 0
	require.NoError(t, filepath.WalkDir(o.state, func(path string, entry os.DirEntry, err error) error {
		require.NoError(t, err)
		if entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "hunter2SEKRET", path)
			if bytes.Contains(text, []byte("password=**REDACTED**")) {
				kept++
			}
		}
		return nil
	}))
	assert.GreaterOrEqual(t, kept, 2, "the approvals file and the decision log say what it was about")
}
