package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// behavingVerifier starts a verifier that does what the path of a call to read says.
func behavingVerifier(t *testing.T) (url string, hanging *sync.WaitGroup) {
	t.Helper()
	hanging = &sync.WaitGroup{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			RequestID string `json:"requestId"`
			Tool      struct {
				Params map[string]string `json:"params"`
			} `json:"tool"`
		}
		text, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		assert.NoError(t, json.Unmarshal(text, &q))
		assert.NotEmpty(t, r.Header.Get("X-OpenClaw-Signature"))
		w.Header().Set("Content-Type", "application/json")
		switch q.Tool.Params["path"] {
		case "allow":
			_, _ = fmt.Fprintf(w, `{"decision":"allow","requestId":%q}`, q.RequestID)
		case "deny":
			_, _ = io.WriteString(w, `{"decision":"deny","reason":"not on a Friday"}`)
		case "status":
			w.WriteHeader(http.StatusInternalServerError)
		case "redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		case "malformed":
			_, _ = io.WriteString(w, `{"decision":"deny","decision":"allow"}`)
		case "mismatch":
			_, _ = io.WriteString(w, `{"decision":"allow","requestId":"another"}`)
		case "oversize":
			_, _ = io.WriteString(w, `{"decision":"allow","x":"`+strings.Repeat("x", 70_000)+`"}`)
		case "unreachable":
			panic(http.ErrAbortHandler)
		case "wait":
			hanging.Done()
			<-r.Context().Done()
		default:
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, hanging
}

// verifiedPolicy writes a policy whose calls to read a verifier must agree to.
func verifiedPolicy(t *testing.T, url, failMode string, timeout int) string {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte("a-secret-of-some-length\n"), 0o600))
	policy := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(fmt.Sprintf(`
tools:
  verifier:
    scope: {include: [read]}
    failMode: %s
    webhook: {url: %q, allowHttp: loopback, secret: {file: %q}, timeout: %d}
agents: {main: {}, coder: {}}
`, failMode, url, secret, timeout)), 0o600))
	return policy
}

func verifiedCall(tool, path string) string {
	return fmt.Sprintf(`{"agent":{"id":"coder"},"tool":{"name":%q,"params":{"path":%q}}}`, tool, path)
}

// The tables of the proposal (VERIFIER-2), with a real verifier, through the command line.
func TestTheVerifiersAnswerDecides(t *testing.T) {
	t.Parallel()
	url, _ := behavingVerifier(t)
	paths := []string{"allow", "deny", "status", "redirect", "malformed", "mismatch", "oversize", "unreachable", "timeout"}
	for _, failMode := range []string{"deny", "allow"} {
		late := len(paths) - 1
		decisions := decideReads(t, verifiedPolicy(t, url, failMode, 300), paths[:late])
		decisions = append(decisions, decideReads(t, verifiedPolicy(t, url, failMode, 1), paths[late:])...)
		for i, path := range paths {
			d := decisions[i]
			tolerated := failMode == "allow" && (path == "status" || path == "unreachable" || path == "timeout")
			assert.Equal(t, path == "allow" || tolerated, d.Effect == gavel.Allow, "%s with failMode %s", path, failMode)
			assert.Equal(t, []string{"webhook"}, d.Verify)
			want := map[string]string{"allow": "verifier.allowed", "deny": "verifier.denied"}[path]
			if want == "" {
				want = "verifier." + path
			}
			assert.Contains(t, codesOf(d), want)
			for _, r := range d.Reasons {
				assert.NotContains(t, r.Message+r.Fix, "a-secret", "a reason never holds the secret")
			}
		}
		assert.Contains(t, decisions[1].Reasons[0].Message, "not on a Friday")
	}
}

// decideReads decides calls to read these paths, after which it checks that a tool out of scope needs
// no verifier.
func decideReads(t *testing.T, policy string, paths []string) []gavel.Decision {
	t.Helper()
	var lines []string
	for _, path := range paths {
		lines = append(lines, verifiedCall("read", path))
	}
	lines = append(lines, verifiedCall("web_search", "unasked"))
	a, stdout, stderr := testApp(strings.Join(lines, "\n"))
	code := a.run(t.Context(), []string{"decide", "--policy", policy, "-"})
	require.Empty(t, stderr.String())
	decisions := readDecisions(t, stdout, len(lines))
	denied := slices.ContainsFunc(decisions, func(d gavel.Decision) bool { return d.Effect == gavel.Deny })
	assert.Equal(t, map[bool]int{true: exitDenied, false: exitOK}[denied], code)
	last := decisions[len(paths)]
	assert.Equal(t, gavel.Allow, last.Effect, "a tool out of scope")
	assert.Empty(t, last.Verify)
	return decisions[:len(paths)]
}

// A hook asks verifiers like any other caller, and the host runs what they agree to.
func TestAHookObeysTheVerifier(t *testing.T) {
	t.Parallel()
	url, _ := behavingVerifier(t)
	policy := verifiedPolicy(t, url, "deny", 300)
	for _, path := range []string{"allow", "deny"} {
		a, stdout, stderr := testApp(fmt.Sprintf(`{"session_id":"s","transcript_path":"/t","cwd":"/w","permission_mode":"default","hook_event_name":"PreToolUse",`+
			`"tool_name":"Read","tool_input":{"file_path":%q}}`, path))
		a.getenv = withVariables(a.getenv, "HOME", t.TempDir(), "PATH", "/usr/bin:/bin")
		a.run(t.Context(), []string{"hook", "claude-code", "--policy", policy, "--agent", "coder", "--timeout", "5m"})
		require.Empty(t, stderr.String())
		assert.Contains(t, stdout.String(), fmt.Sprintf(`"permissionDecision":%q`, path), stdout.String())
		assert.Equal(t, path == "deny", strings.Contains(stdout.String(), "not on a Friday"), stdout.String())
	}
}

func TestASecretThatIsMissingIsAConfigurationError(t *testing.T) {
	t.Parallel()
	policy := verifiedPolicy(t, "http://127.0.0.1:1", "deny", 1)
	text, err := os.ReadFile(policy)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(policy, []byte(strings.Replace(string(text), "secret: {file:", "headers: {Authorization: 'Bearer ${NO_TOKEN}'}, secret: {file:", 1)), 0o600))
	for _, command := range []string{"decide", "check"} {
		args := []string{command, "--policy", policy}
		if command == "check" {
			args = []string{command, policy}
		}
		a, stdout, stderr := testApp(verifiedCall("read", "allow"))
		assert.Equal(t, exitError, a.run(t.Context(), args), command)
		assert.Contains(t, stdout.String()+stderr.String(), "config.yaml:6:", command)
		assert.Contains(t, stdout.String()+stderr.String(), "the variable NO_TOKEN is not set, or empty", command)
	}
}

func TestExplainShowsTheVerifiersAndAsksNone(t *testing.T) {
	t.Parallel()
	const call = `{"agent":{"id":"coder"},"tool":{"name":"write","params":{"path":"a.txt","content":"abc"}}}`
	policy := verifiedPolicy(t, "http://127.0.0.1:1", "deny", 1)
	text, err := os.ReadFile(policy)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(policy, []byte(strings.Replace(string(text), "include: [read]", "include: [write]", 1)), 0o600))
	a, stdout, _ := testApp(call)
	require.Equal(t, exitOK, a.run(t.Context(), []string{"explain", "--policy", policy}))
	for _, part := range []string{"outside verifiers", "would be asked  webhook", "selected by     tools.verifier.scope.include", "redacted        /content"} {
		assert.Contains(t, stdout.String(), part)
	}
	a, stdout, _ = testApp(call)
	require.Equal(t, exitOK, a.run(t.Context(), []string{"explain", "--output", "json", "--policy", policy}))
	assert.Contains(t, stdout.String(), `"verification":{"verifiers":["webhook"],"scope":"tools.verifier.scope.include","params":{"content":"[REDACTED: 3 chars]"`)
	assert.Contains(t, stdout.String(), `"decision":"deny"`)
}

// More calls wait than may run at a time, and another call is decided at once.
func TestCallsThatWaitForAVerifierDoNotDelayOthers(t *testing.T) {
	t.Parallel()
	url, hanging := behavingVerifier(t)
	state, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	n, stop := serving(t, "--state", state, "--policy", verifiedPolicy(t, url, "deny", 600))
	token, err := os.ReadFile(filepath.Join(n.Tokens, "decide.token"))
	require.NoError(t, err)
	post := func(call string) (gavel.Decision, error) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, n.Listen+"/v1/decisions", strings.NewReader(call))
		if err != nil {
			return gavel.Decision{}, err
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			return gavel.Decision{}, err
		}
		defer answer.Body.Close() //nolint:errcheck // it was read
		var d gavel.Decision
		return d, json.NewDecoder(answer.Body).Decode(&d)
	}
	const waiting = 70 // one credential may have 64 requests that run
	var ended sync.WaitGroup
	for range waiting { // one after the other: all of them wait at the end
		hanging.Add(1)
		ended.Go(func() { _, _ = post(verifiedCall("read", "wait")) })
		hanging.Wait()
	}
	d, err := post(verifiedCall("web_search", "x"))
	require.NoError(t, err)
	assert.Equal(t, gavel.Allow, d.Effect)
	d, err = post(verifiedCall("read", "allow"))
	require.NoError(t, err)
	assert.Equal(t, gavel.Allow, d.Effect)
	for path, want := range map[string]string{"/v1/status": fmt.Sprintf(`"waiting":%d`, waiting), "/metrics": fmt.Sprintf("gavel_verifier_waiting %d", waiting)} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, n.Listen+path, nil)
		require.NoError(t, err)
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
		answer, err := http.DefaultClient.Do(request)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, answer.Body.Close())
		require.NoError(t, err)
		assert.Contains(t, string(text), want, path)
		assert.NotContains(t, string(text), "a-secret")
	}
	assert.NotEqual(t, exitOK, stop(), "requests that still wait are cut off")
	ended.Wait()
	log := decisionLog(t, state)
	assert.Equal(t, waiting+1, strings.Count(log, `"kind":"verifier.asked"`))
	assert.Contains(t, log, `"kind":"verifier.answered"`)
	assert.NotContains(t, log, "a-secret")
}

func TestExplainShowsTheVerifiersThatComeAfterAPerson(t *testing.T) {
	t.Parallel()
	policy := fixPolicy(t, `full, ask: always`)
	text, err := os.ReadFile(policy)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(policy, []byte(strings.Replace(string(text), `, ask: "off"}`, "}", 1)), 0o600))
	a, stdout, stderr := testApp(verifiedCommand)
	require.Equal(t, exitOK, a.run(t.Context(), []string{"explain", "--policy", policy}), stderr.String())
	for _, part := range []string{"decision ask", "would be asked  webhook, once a person has agreed", "selected by     tools.verifier.scope.include"} {
		assert.Contains(t, stdout.String(), part)
	}
}
