package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

const telegramToken = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"

// telegramAPI is a server of the Bot API. Its messages are numbered from 1.
type telegramAPI struct {
	url    string
	atOnce func(buttons map[string]string) (user int, data string) // taps every message; nil does not
	asked  chan struct{}                                           // gets a value for each message, once message 1 was sent

	mu      sync.Mutex
	sent    []string            // texts, as they are now
	buttons []map[string]string // their data, by label
	said    []string            // alerts
	updates []any
	arrived chan struct{} // closed and replaced with each update
}

func newTelegram(t *testing.T) *telegramAPI {
	t.Helper()
	f := &telegramAPI{arrived: make(chan struct{}), asked: make(chan struct{}, 100)}
	server := httptest.NewServer(f)
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *telegramAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var raw map[string]any
	_ = json.NewDecoder(r.Body).Decode(&raw)
	result := any(true)
	switch filepath.Base(r.URL.Path) {
	case "getWebhookInfo":
		result = map[string]any{"url": ""}
	case "getUpdates":
		result = f.wait(r, int(raw["offset"].(float64)), raw["timeout"].(float64) > 0)
	case "sendMessage":
		result = map[string]any{"message_id": f.send(raw)}
	case "editMessageText":
		f.mu.Lock()
		f.sent[int(raw["message_id"].(float64))-1] = raw["text"].(string)
		f.mu.Unlock()
	case "answerCallbackQuery":
		if raw["show_alert"] == true {
			f.mu.Lock()
			f.said = append(f.said, raw["text"].(string))
			f.mu.Unlock()
		}
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

// wait returns the updates from a number on.
func (f *telegramAPI) wait(r *http.Request, from int, long bool) []any {
	for {
		f.mu.Lock()
		list, arrived := append([]any{}, f.updates[min(from, len(f.updates)):]...), f.arrived
		f.mu.Unlock()
		if len(list) > 0 || !long {
			return list
		}
		select {
		case <-arrived:
		case <-r.Context().Done():
			return list
		}
	}
}

func (f *telegramAPI) send(raw map[string]any) (id int) {
	data := map[string]string{}
	for _, b := range raw["reply_markup"].(map[string]any)["inline_keyboard"].([]any)[0].([]any) {
		button := b.(map[string]any)
		data[button["text"].(string)] = button["callback_data"].(string)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent, f.buttons = append(f.sent, raw["text"].(string)), append(f.buttons, data)
	id = len(f.sent)
	if id > 1 {
		f.asked <- struct{}{}
	}
	if f.atOnce != nil {
		if user, data := f.atOnce(data); data != "" {
			f.put(user, id, data)
		}
	}
	return id
}

// tap is what a person does with a button of a message.
func (f *telegramAPI) tap(user, id int, label string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.put(user, id, f.buttons[id-1][label])
}

// put does the same as tap; the caller holds the lock.
func (f *telegramAPI) put(user, id int, data string) {
	f.updates = append(f.updates, map[string]any{"update_id": len(f.updates), "callback_query": map[string]any{"id": "x", "data": data,
		"from": map[string]any{"id": user, "first_name": "A"}, "message": map[string]any{"message_id": id, "chat": map[string]any{"id": -100}}}})
	close(f.arrived)
	f.arrived = make(chan struct{})
}

func (f *telegramAPI) text(id int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[id-1]
}

func (f *telegramAPI) messages() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.sent...)
}

func (f *telegramAPI) alerts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]string(nil), f.said...)
}

// telegramWithTap starts a Telegram server with a person who taps the button with a label at once; none if
// the label is "".
func telegramWithTap(t *testing.T, user int, label string) (url string, messages func() []string) {
	t.Helper()
	f := newTelegram(t)
	f.atOnce = func(buttons map[string]string) (int, string) { return user, buttons[label] }
	return f.url, f.messages
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
			var d gavel.Decision
			var sent []string
			for limit := 1; len(sent) == 0 || !slices.Contains(codesOf(d), c.code); limit *= 6 { // a busy machine needs longer to ask
				require.Less(t, limit, 100, d.Reasons)
				d, sent = askInTelegram(t, c.user, c.label, limit)
			}
			assert.Equal(t, c.effect, d.Effect)
			assert.Equal(t, []string{"telegram"}, d.Verify)
			require.Len(t, sent, 1)
			assert.Contains(t, sent[0], "Path: notes.txt")
			assert.NotContains(t, sent[0], telegramToken)
		})
	}
}

// askInTelegram decides a call about which a person is asked for so many seconds, and returns the messages
// that were sent, too.
func askInTelegram(t *testing.T, user int, label string, limit int) (d gavel.Decision, sent []string) {
	t.Helper()
	url, messages := telegramWithTap(t, user, label)
	a, stdout, stderr := testApp(verifiedCall("read", "notes.txt"))
	a.getenv = withVariables(a.getenv, "XDG_STATE_HOME", t.TempDir())
	a.run(t.Context(), []string{"decide", "--policy", telegramPolicy(t, url, limit), "-"})
	require.Empty(t, stderr.String())
	return readDecisions(t, stdout, 1)[0], messages()
}

func TestTheButtonsGoWhenTheCallerHasGone(t *testing.T) {
	t.Parallel()
	f := newTelegram(t)
	state, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	n, stop := serving(t, "--state", state, "--policy", telegramPolicy(t, f.url, 600))
	token, err := os.ReadFile(filepath.Join(n.Tokens, "decide.token"))
	require.NoError(t, err)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, n.Listen+"/v1/decisions", strings.NewReader(verifiedCall("read", "notes.txt")))
		if err == nil {
			request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
			_, err = http.DefaultClient.Do(request) //nolint:bodyclose // there is no answer
		}
		gone <- err
	}()
	require.Eventually(t, func() bool { return len(f.messages()) == 1 }, time.Minute, 10*time.Millisecond)
	leave()
	require.Error(t, <-gone)
	require.Eventually(t, func() bool { return strings.Contains(f.text(1), "The answer is no longer needed.") }, time.Minute, 10*time.Millisecond)
	assert.Equal(t, exitOK, stop())
	assert.NotContains(t, decisionLog(t, state), `"decision":"allow"`)
}
