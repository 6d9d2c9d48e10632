package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// startVerifier starts gavel verifier serve, with signed answers, until the test ends.
func startVerifier(t *testing.T, policy string) (address, secret, response string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	secret, response = write("secret", "a-secret-of-some-length\n"), write("response", "another-secret-of-some-length\n")
	results, out := io.Pipe()
	a, _, stderr := testApp("")
	a.stdout = out
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- a.run(ctx, []string{"verifier", "serve", "--policy", write("config.yaml", policy), "--listen", "127.0.0.1:0", "--secret-file", secret, "--response-secret-file", response})
		_ = out.Close()
	}()
	line, err := newLines(results).next()
	require.NoError(t, err, "%s", stderr)
	t.Cleanup(func() {
		cancel()
		assert.Equal(t, exitOK, <-done)
	})
	return strings.TrimSpace(strings.TrimPrefix(string(line), "answering on ")), secret, response
}

// askingPolicy is a policy whose calls another Gavel must agree to.
func askingPolicy(t *testing.T, address, secret, response string) string {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(fmt.Sprintf(`
tools: {verifier: {remember: 60, webhook: {url: "http://%s/", allowHttp: loopback, requireRequestIdEcho: true, secret: {file: %q}, responseSecret: {file: %q}}}}
agents: {coder: {}}
`, address, secret, response)), 0o600))
	return policy
}

func TestOneGavelVerifiesTheCallsOfAnother(t *testing.T) {
	t.Parallel()
	address, secret, response := startVerifier(t, "tools: {deny: [write]}\nagents: {coder: {}}\n")
	policy := askingPolicy(t, address, secret, response)
	calls := []string{verifiedCall("read", "a"), verifiedCall("write", "a"), verifiedCall("read", "a")}
	a, stdout, stderr := testApp(strings.Join(calls, "\n"))
	assert.Equal(t, exitDenied, a.run(t.Context(), []string{"decide", "--policy", policy, "-"}))
	require.Empty(t, stderr.String())
	decisions := readDecisions(t, stdout, len(calls))
	assert.ElementsMatch(t, []string{"tools.allowed", "verifier.allowed"}, codesOf(decisions[0]))
	assert.Equal(t, gavel.Deny, decisions[1].Effect)
	assert.Contains(t, decisions[1].Reasons[0].Message, "(tools.denied)")
	assert.ElementsMatch(t, []string{"tools.allowed", "verifier.remembered"}, codesOf(decisions[2]))
}

func TestAVerifierIsTestedStepByStep(t *testing.T) {
	t.Parallel()
	address, secret, response := startVerifier(t, "agents: {coder: {}}\n")
	for name, c := range map[string]struct {
		secret, address string
		code            int
		outcome         string
		mistake         string
	}{
		"it works":      {secret, address, exitOK, gavel.VerifierDenied, ""},
		"another key":   {response, address, exitError, gavel.VerifierStatus, "401 often means"},
		"another place": {secret, "127.0.0.1:1", exitError, gavel.VerifierUnreachable, "cannot be reached"},
	} {
		a, stdout, stderr := testApp("")
		code := a.run(t.Context(), []string{"verifier", "test", "--policy", askingPolicy(t, c.address, c.secret, response), "--output", "json"})
		assert.Equal(t, c.code, code, "%s: %s", name, stderr)
		var results []probeResult
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &results), name)
		require.Len(t, results, 1)
		assert.Equal(t, c.outcome, results[0].Outcome, name)
		assert.Equal(t, "requests and answers are signed", results[0].Signatures)
		assert.Contains(t, strings.Join(results[0].Mistakes, "\n"), c.mistake, name)
		assert.NotContains(t, stdout.String(), "a-secret")
	}
	a, stdout, _ := testApp("")
	require.Equal(t, exitOK, a.run(t.Context(), []string{"verifier", "test", "--policy", askingPolicy(t, address, secret, response)}))
	assert.Contains(t, stdout.String(), "answer      denied in ")
}

func TestAProbeNamesAToolThatExists(t *testing.T) {
	t.Parallel()
	address, secret, response := startVerifier(t, "agents: {coder: {}}\n")
	policy := askingPolicy(t, address, secret, response)
	for tool, c := range map[string]struct {
		code int
		says string
	}{
		"write":       {exitOK, ""},
		" Bash ":      {exitOK, ""},
		"web_fetsh":   {exitError, `unknown tool "web_fetsh" (did you mean "web_fetch"?)`},
		"":            {exitError, `unknown tool ""`},
		"nothinglike": {exitError, `unknown tool "nothinglike"` + "\n"},
	} {
		a, _, stderr := testApp("")
		assert.Equal(t, c.code, a.run(t.Context(), []string{"verifier", "test", "--policy", policy, "--tool", tool}), tool)
		assert.Contains(t, stderr.String(), c.says, tool)
	}
}

func TestAnUnsafeVerifierConfigurationDoesNotStart(t *testing.T) {
	t.Parallel()
	shared := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(shared, []byte("x"), 0o600))
	require.NoError(t, os.Chmod(shared, 0o644))
	good := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(good, []byte("a-secret"), 0o600))
	for message, args := range map[string][]string{
		"--secret-file is missing": {},
		"secret":                   {"--secret-file", shared},
		"not a loopback address":   {"--secret-file", good, "--listen", "0.0.0.0:0"},
	} {
		a, _, stderr := testApp("")
		assert.Equal(t, exitError, a.run(t.Context(), append([]string{"verifier", "serve"}, args...)))
		assert.Contains(t, stderr.String(), message)
	}
	a, _, stderr := testApp("")
	assert.Equal(t, exitError, a.run(t.Context(), []string{"verifier", "test"}))
	assert.Contains(t, stderr.String(), "the policy has no verifier")
}
