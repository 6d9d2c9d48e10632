package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/cases"
)

const verifiedCommand = `{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"ls -l"}},"environment":{"cwd":"/srv/app","path":["/usr/bin"],"executables":{"ls":"/usr/bin/ls"}}}`

func fixPolicy(t *testing.T, exec string) string {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(fmt.Sprintf(`
tools:
  exec: {host: gateway, security: %s, ask: "off"}
  verifier: {scope: {include: [exec]}, webhook: {url: "https://verifier.example"}}
agents: {coder: {}}
`, exec)), 0o600))
	return policy
}

func TestFixSaysThatOnlyAVerifierMustAgreeAndWhatSelectedTheTool(t *testing.T) {
	t.Parallel()
	a, stdout, _ := testApp(verifiedCommand)
	assert.Equal(t, exitDenied, a.run(t.Context(), []string{"fix", "--policy", fixPolicy(t, "full")}))
	assert.Contains(t, stdout.String(), `"none":"nothing in the configuration forbids the call: verifier webhook must agree, because tools.verifier.scope.include selects its tool; gavel decide asks"`)
}

func TestFixFindsTheEditOfACallThatAVerifierMustAgreeTo(t *testing.T) {
	t.Parallel()
	policy := fixPolicy(t, "allowlist")
	a, stdout, stderr := testApp(verifiedCommand)
	require.Equal(t, exitOK, a.run(t.Context(), []string{"fix", "--write", "--output", "text", "--policy", policy}), stderr.String())
	assert.Contains(t, stdout.String(), "verifiers must then agree: webhook")
	text, err := os.ReadFile(policy)
	require.NoError(t, err)
	assert.Contains(t, string(text), "rules: [{program: ls")
	a, stdout, _ = testApp(verifiedCommand)
	a.run(t.Context(), []string{"explain", "--policy", policy})
	assert.Contains(t, stdout.String(), "verifier.unasked")
}

func TestTheChangeOfACallThatAVerifierDeniedSaysWhoDeniedAndOffersNoEdit(t *testing.T) {
	t.Parallel()
	c, err := cases.Parse("c.txtar", []byte("Why.\n-- calls.jsonl --\n"+verifiedCommand+"\n-- answers.jsonl --\n{\"webhook\":\"denied: not on a Friday\"}\n-- want.jsonl --\n{\"decision\":\"deny\"}\n"))
	require.NoError(t, err)
	a, _, _ := testApp("")
	a.verifiers = c.Verifiers()
	pdp, stop, err := a.loadAsking(t.Context(), fixPolicy(t, "full"), nil)
	require.NoError(t, err)
	defer stop()
	d := pdp.Decide(t.Context(), c.Calls[0], gavel.Options{Change: true})
	require.Equal(t, []string{"verifier.denied"}, codesOf(d))
	require.NotNil(t, d.Change)
	assert.Empty(t, d.Change.Patch)
	assert.Equal(t, "verifier webhook has denied this call: not on a Friday; no edit of the configuration is offered for that: do something else, or ask those who run the verifier", d.Change.None)
}
