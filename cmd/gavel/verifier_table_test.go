package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/internal/outgoing"
	"gavel/internal/strictjson"
	"gavel/verifiers"
)

// decideVerified decides calls under a policy with the command line, with a state of its own.
func decideVerified(t *testing.T, policy string, calls ...string) []gavel.Decision {
	t.Helper()
	file := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(file, []byte(policy), 0o600))
	a, stdout, stderr := testApp(strings.Join(calls, "\n"))
	a.getenv = withVariables(a.getenv, "XDG_STATE_HOME", t.TempDir())
	a.run(t.Context(), []string{"decide", "--policy", file, "-"})
	require.Empty(t, stderr.String())
	return readDecisions(t, stdout, len(calls))
}

func secretFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// An answer that is not signed as the configuration demands never allows, whatever failMode is.
func TestAnAllowThatIsNotSignedForThisQuestionNeverAllows(t *testing.T) {
	t.Parallel()
	key, err := outgoing.ParseKey("the-secret-of-answers")
	require.NoError(t, err)
	other, err := outgoing.ParseKey("a-secret-of-somebody-else")
	require.NoError(t, err)
	const answer = `{"decision":"allow"}`
	now := time.Now()
	ways := map[string]func(header http.Header, id string){
		"signed":       func(h http.Header, id string) { outgoing.SignAnswer(h, key, id, now, []byte(answer)) },
		"unsigned":     func(http.Header, string) {},
		"by-another":   func(h http.Header, id string) { outgoing.SignAnswer(h, other, id, now, []byte(answer)) },
		"for-another":  func(h http.Header, _ string) { outgoing.SignAnswer(h, key, "another", now, []byte(answer)) },
		"another-text": func(h http.Header, id string) { outgoing.SignAnswer(h, key, id, now, []byte(`{"decision":"deny"}`)) },
		"an-hour-old":  func(h http.Header, id string) { outgoing.SignAnswer(h, key, id, now.Add(-time.Hour), []byte(answer)) },
		"an-hour-early": func(h http.Header, id string) {
			outgoing.SignAnswer(h, key, id, now.Add(time.Hour), []byte(answer))
		},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		for name, sign := range ways {
			if bytes.Contains(text, []byte(`"path":"`+name+`"`)) {
				sign(w.Header(), r.Header.Get("webhook-id"))
			}
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	for _, failMode := range []string{"deny", "allow"} {
		policy := fmt.Sprintf("tools: {verifier: {failMode: %s, webhook: {url: %q, allowHttp: loopback, responseSecret: {file: %q}}}}\nagents: {coder: {}}\n",
			failMode, server.URL, secretFile(t, "the-secret-of-answers"))
		for name := range ways {
			d := decideVerified(t, policy, verifiedCall("read", name))[0]
			assert.Equal(t, name == "signed", d.Effect == gavel.Allow, "%s with failMode %s", name, failMode)
			if name != "signed" {
				assert.Equal(t, []string{"verifier.mismatch"}, codesOf(d), name)
			}
		}
	}
}

// The table of two verifiers, with a real webhook and a person in Telegram.
func TestAWebhookAndAPersonMustBothAgree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		webhook, tap, failMode string
		effect                 gavel.Effect
		code                   string
	}{
		{"allow", "Allow", "deny", gavel.Allow, "verifier.allowed"},
		{"allow", "Deny", "allow", gavel.Deny, "verifier.denied"},
		{"deny", "Allow", "allow", gavel.Deny, "verifier.denied"},
		{"deny", "", "allow", gavel.Deny, "verifier.denied"},
		{"unreachable", "Allow", "deny", gavel.Deny, "verifier.unreachable"},
		{"unreachable", "Allow", "allow", gavel.Allow, "verifier.unreachable"},
		{"unreachable", "Deny", "allow", gavel.Deny, "verifier.denied"},
		{"malformed", "Allow", "allow", gavel.Deny, "verifier.malformed"},
		{"allow", "", "deny", gavel.Deny, "verifier.timeout"},
		{"allow", "", "allow", gavel.Allow, "verifier.timeout"},
	} {
		t.Run(strings.Join([]string{c.webhook, c.tap, c.failMode}, " "), func(t *testing.T) {
			t.Parallel()
			url, _ := behavingVerifier(t)
			bot, _ := telegramWithTap(t, 42, c.tap)
			seconds := 60
			if c.tap == "" {
				seconds = 1
			}
			policy := fmt.Sprintf(`
tools:
  verifier:
    failMode: %s
    webhook: {url: %q, allowHttp: loopback, secret: {file: %q}, timeout: 60}
    telegram: {apiBase: %q, botToken: {file: %q}, chatId: -100, allowedUserIds: [42], timeout: %d}
agents: {coder: {}}
`, c.failMode, url, secretFile(t, "a-secret-of-some-length"), bot, secretFile(t, telegramToken), seconds)
			d := decideVerified(t, policy, verifiedCall("read", c.webhook))[0]
			assert.Equal(t, c.effect, d.Effect, "%v", codesOf(d))
			assert.Contains(t, codesOf(d), c.code)
			assert.Equal(t, []string{"telegram", "webhook"}, d.Verify)
		})
	}
}

// What a verifier gets is signed as it is sent: redacted, with the digest of what was hidden.
// What the policy denies is never sent, so no answer can allow it.
func TestAQuestionIsHashedBeforeItIsRedactedAndSignedAfterwards(t *testing.T) {
	t.Parallel()
	key, err := outgoing.ParseKey("a-secret-of-some-length")
	require.NoError(t, err)
	var mu sync.Mutex
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		keys := []outgoing.Key{key}
		assert.NoError(t, outgoing.Verify(r.Header, keys, time.Now(), time.Minute, text))
		assert.NoError(t, outgoing.VerifyOpenClaw(r.Header, keys, text))
		mu.Lock()
		bodies = append(bodies, string(text))
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	}))
	t.Cleanup(server.Close)
	policy := fmt.Sprintf("tools: {deny: [write], verifier: {redact: [/path], webhook: {url: %q, allowHttp: loopback, secret: {file: %q}}}}\nagents: {coder: {}}\n",
		server.URL, secretFile(t, "a-secret-of-some-length"))
	params := map[string]any{"path": "notes.txt", "edits": []any{map[string]any{"oldText": "aé😀", "newText": "hidden"}}}
	decisions := decideVerified(t, policy, `{"agent":{"id":"coder"},"tool":{"name":"edit","params":{"path":"notes.txt","edits":[{"oldText":"aé😀","newText":"hidden"}]}}}`,
		`{"agent":{"id":"coder"},"tool":{"name":"write","params":{"path":"notes.txt","content":"x"}}}`)
	assert.Equal(t, gavel.Allow, decisions[0].Effect, "%v", codesOf(decisions[0]))
	assert.Equal(t, gavel.Deny, decisions[1].Effect)
	assert.Contains(t, codesOf(decisions[1]), "tools.denied")
	require.Len(t, bodies, 1, "nobody is asked about what the policy denies")
	var q struct {
		Tool struct {
			Params map[string]any `json:"params"`
		} `json:"tool"`
		Digest   string   `json:"digest"`
		Redacted []string `json:"redacted"`
	}
	require.NoError(t, strictjson.UnmarshalOpen([]byte(bodies[0]), &q))
	assert.Equal(t, map[string]any{"path": "[REDACTED: 9 chars]",
		"edits": []any{map[string]any{"oldText": "[REDACTED: 3 chars]", "newText": "[REDACTED: 6 chars]"}}}, q.Tool.Params)
	assert.Equal(t, []string{"/edits/0/newText", "/edits/0/oldText", "/path"}, q.Redacted)
	want, err := verifiers.Digest(params)
	require.NoError(t, err)
	assert.Equal(t, want, q.Digest)
}
