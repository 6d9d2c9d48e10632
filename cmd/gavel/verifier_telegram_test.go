package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

const telegramToken = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

// tapping is Telegram with a person who taps the button with a label at once; "" taps none.
func tapping(t *testing.T, user int, label string) (url string, messages func() []string) {
	t.Helper()
	var mu sync.Mutex
	var sent []string
	var updates []any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var raw map[string]any
		_ = json.NewDecoder(r.Body).Decode(&raw)
		result := any(true)
		switch filepath.Base(r.URL.Path) {
		case "getWebhookInfo":
			result = map[string]any{"url": ""}
		case "getUpdates":
			from := min(int(raw["offset"].(float64)), len(updates))
			result = append([]any{}, updates[from:]...)
		case "sendMessage":
			sent = append(sent, raw["text"].(string))
			result = map[string]any{"message_id": len(sent)}
			for _, b := range raw["reply_markup"].(map[string]any)["inline_keyboard"].([]any)[0].([]any) {
				if button := b.(map[string]any); button["text"] == label {
					updates = append(updates, map[string]any{"update_id": len(updates), "callback_query": map[string]any{"id": "x", "data": button["callback_data"],
						"from": map[string]any{"id": user, "first_name": "A"}, "message": map[string]any{"message_id": len(sent), "chat": map[string]any{"id": -100}}}})
				}
			}
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string { mu.Lock(); defer mu.Unlock(); return append([]string(nil), sent...) }
}

func telegramPolicy(t *testing.T, url string, timeout int) string {
	t.Helper()
	dir := t.TempDir()
	token := filepath.Join(dir, "token")
	require.NoError(t, os.WriteFile(token, []byte(telegramToken+"\n"), 0o600))
	policy := filepath.Join(dir, "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(fmt.Sprintf(`
tools:
  verifier:
    scope: {include: [read]}
    telegram: {apiBase: %q, botToken: {file: %q}, chatId: -100, allowedUserIds: [42], timeout: %d}
agents: {main: {}, coder: {}}
`, url, token, timeout)), 0o600))
	return policy
}

func TestAPersonInTelegramDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		user   int
		label  string
		effect gavel.Effect
		code   string
	}{
		"Allow":              {42, "Allow", gavel.Allow, "verifier.allowed"},
		"Deny":               {42, "Deny", gavel.Deny, "verifier.denied"},
		"nobody taps":        {42, "", gavel.Deny, "verifier.timeout"},
		"somebody else taps": {43, "Allow", gavel.Deny, "verifier.timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, messages := tapping(t, c.user, c.label)
			a, stdout, stderr := testApp(verifiedCall("read", "notes.txt"))
			state := t.TempDir()
			getenv := a.getenv
			a.getenv = func(name string) string {
				if name == "XDG_STATE_HOME" {
					return state
				}
				return getenv(name)
			}
			a.run(t.Context(), []string{"decide", "--policy", telegramPolicy(t, url, 1), "-"})
			require.Empty(t, stderr.String())
			d := readDecisions(t, stdout, 1)[0]
			assert.Equal(t, c.effect, d.Effect)
			assert.Contains(t, codesOf(d), c.code)
			assert.Equal(t, []string{"telegram"}, d.Verify)
			require.Len(t, messages(), 1)
			assert.Contains(t, messages()[0], "Path: notes.txt")
			assert.NotContains(t, strings.Join(messages(), ""), telegramToken)
		})
	}
}
