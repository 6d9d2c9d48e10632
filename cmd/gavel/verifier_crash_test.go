package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hangingVerifier starts a verifier that never answers its first question, and allows every other one.
func hangingVerifier(t *testing.T) (url string) {
	t.Helper()
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if asked.Add(1) == 1 {
			<-r.Context().Done()
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The server is killed while a webhook and a person are asked. Nothing was allowed, a tap
// that comes meanwhile counts for nothing, and the old message says so.
func TestAKilledServerAllowsNothingAndItsButtonsSaySoAfterwards(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	telegram := newTelegram(t)
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(telegramToken), 0o600))
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(fmt.Sprintf(`
tools:
  verifier:
    failMode: allow
    timeout: 600
    webhook: {url: %q, allowHttp: loopback, timeout: 600}
    telegram: {apiBase: %q, botToken: {file: %q}, chatId: -100, allowedUserIds: [42], timeout: 600}
agents: {coder: {}}
`, hangingVerifier(t), telegram.url, token)), 0o600))
	v := &victim{t: t, policy: policy, dir: dir}
	v.start()
	answered := make(chan bool, 1)
	go func() {
		_, ok := v.do(&http.Client{}, "decide", http.MethodPost, "/v1/decisions", verifiedCall("read", "notes.txt"))
		answered <- ok
	}()
	require.Eventually(t, func() bool { // the message is known, its place is on disk, and so are both questions
		files, err := filepath.Glob(filepath.Join(dir, "telegram", "*.json"))
		if err != nil || len(files) == 0 {
			return false
		}
		text, err := os.ReadFile(files[0])
		return err == nil && strings.Contains(string(text), `"message"`) && strings.Count(decisionLog(t, dir), `"kind":"verifier.asked"`) == 2
	}, time.Minute, 10*time.Millisecond)
	v.kill()
	assert.False(t, <-answered, "whoever waited has no answer, so nothing runs")

	telegram.tap(42, 1, "Allow")
	v.start()
	require.Eventually(t, func() bool { return len(telegram.alerts()) == 1 && strings.Contains(telegram.text(1), "restarted") }, time.Minute, 10*time.Millisecond)
	assert.Equal(t, "This question is no longer open here: Gavel was restarted before anybody answered.", telegram.text(1))
	assert.Equal(t, []string{"This question is no longer open: it has expired, or was answered."}, telegram.alerts())
	log := decisionLog(t, dir)
	assert.NotContains(t, log, `"decision":"allow"`)
	assert.Equal(t, 2, strings.Count(log, `"kind":"verifier.asked"`), "both questions are on record")
	assert.NotContains(t, log, `"kind":"verifier.answered"`)
	require.Eventually(t, func() bool { return strings.Contains(decisionLog(t, dir), `"kind":"tap.refused"`) }, time.Minute, 10*time.Millisecond)

	go func() { // the same call is another question
		<-telegram.asked
		telegram.tap(42, 2, "Allow")
	}()
	answer, ok := v.do(&http.Client{}, "decide", http.MethodPost, "/v1/decisions", verifiedCall("read", "notes.txt"))
	require.True(t, ok)
	assert.Equal(t, "allow", answer["decision"])
	v.kill()
}
