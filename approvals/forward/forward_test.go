package forward

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// receiver is a webhook that remembers what it got.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []http.Header
	bodies []string
	status []int // to answer with, in order; then 200
	heard  chan struct{}
}

func newReceiver(t *testing.T, status ...int) *receiver {
	r := &receiver{status: status, heard: make(chan struct{}, 100)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, _ := io.ReadAll(q.Body)
		r.mu.Lock()
		r.got, r.bodies = append(r.got, q.Header), append(r.bodies, string(body))
		code := 200
		if len(r.status) > 0 {
			code, r.status = r.status[0], r.status[1:]
		}
		r.mu.Unlock()
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(code)
		r.heard <- struct{}{}
	}))
	t.Cleanup(r.Close)
	return r
}

// running is a forwarder with people, until the test ends.
func running(t *testing.T, files map[string]string) (*Forwarder, *approvals.Manager) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	people, err := approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	f, err := New(Config{People: people, Dir: dir, Now: time.Now, Pause: func(context.Context, time.Duration) {}})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); f.Run(ctx) }()
	t.Cleanup(func() { stop(); <-done; people.Close() })
	require.Eventually(t, func() bool { return people.Watched() }, time.Minute, time.Millisecond)
	return f, people
}

func ask(t *testing.T, people *approvals.Manager, text string, targets ...gavel.Target) gavel.Approval {
	t.Helper()
	a, err := people.Open(t.Context(), gavel.Question{Caller: "gateway",
		Facts:    &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "message", Params: map[string]any{"text": text}}},
		Decision: &gavel.Decision{Effect: gavel.Ask, Terms: &gavel.Terms{Answers: []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, TimeoutMs: 120_000, Quorum: 1, Forward: targets}}})
	require.NoError(t, err)
	return a
}

func TestAQuestionAndItsEndReachTheTarget(t *testing.T) {
	r := newReceiver(t)
	_, people := running(t, map[string]string{"webhook.json": `{"url":"` + r.URL + `","secret":"a-secret-of-some-length","allowPrivate":true}`})
	a := ask(t, people, "rm\u202e `x`", gavel.Target{Channel: "webhook", To: "ops"})
	<-r.heard
	var body webhookBody
	require.NoError(t, json.Unmarshal([]byte(r.bodies[0]), &body))
	assert.Equal(t, approvals.EventRequested, body.Event)
	assert.Equal(t, a.ID, body.RequestID)
	assert.Equal(t, a.Binding, body.Digest)
	assert.Contains(t, body.Text, `rm\u{202E} \u{60}x\u{60}`)
	assert.Contains(t, body.Text, "gavel approvals approve "+a.ID[:8])
	assert.Contains(t, body.Text, "Careful: the text: has characters that are invisible")
	assert.Equal(t, a.ID+"-requested", r.got[0].Get("webhook-id"))
	assert.NotEmpty(t, r.got[0].Get("webhook-signature"))
	_, err := people.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve:alice"})
	require.NoError(t, err)
	<-r.heard
	assert.Contains(t, r.bodies[1], "deny by approve:alice")
}

func TestEachChannelGetsItsOwnForm(t *testing.T) {
	r := newReceiver(t)
	at := `{"url":"` + r.URL + `","allowPrivate":true}`
	_, people := running(t, map[string]string{"slack.json": at, "discord.json": at, "telegram.42.json": at})
	for channel, want := range map[string]string{
		"slack":    `&lt;!channel&gt;`,
		"discord":  `"allowed_mentions":{"parse":[]}`,
		"telegram": `"chat_id":"42"`,
	} {
		ask(t, people, "<!channel> "+channel, gavel.Target{Channel: channel, To: "42"})
		<-r.heard
		r.mu.Lock()
		last := strings.ReplaceAll(r.bodies[len(r.bodies)-1], `\u0026`, "&")
		r.mu.Unlock()
		assert.Contains(t, last, want)
		assert.Contains(t, last, "An agent asks for approval")
	}
}

func TestTemporaryFailuresAreRetriedWithTheSameBytes(t *testing.T) {
	r := newReceiver(t, 503, 429, 200)
	_, people := running(t, map[string]string{"webhook.json": `{"url":"` + r.URL + `","allowPrivate":true}`})
	ask(t, people, "x", gavel.Target{Channel: "webhook", To: "ops"})
	for range 3 {
		<-r.heard
	}
	assert.Equal(t, r.bodies[0], r.bodies[2])
	assert.Equal(t, r.got[0].Get("webhook-id"), r.got[2].Get("webhook-id"))
}

func TestRedirectsAndRefusalsAreNotFollowed(t *testing.T) {
	for _, code := range []int{302, 307, 400, 410} {
		r := newReceiver(t, code)
		f, _ := running(t, map[string]string{"webhook.json": `{"url":"` + r.URL + `/secret-token","allowPrivate":true}`})
		at, err := endpointIn(f.cfg.Dir, gavel.Target{Channel: "webhook", To: "ops"})
		require.NoError(t, err)
		err = f.send(t.Context(), at, "id", []byte("{}"))
		require.Error(t, err)
		assert.Len(t, r.bodies, 1)
		assert.NotContains(t, err.Error(), "secret-token")
	}
}

func TestPrivateAddressesAreNotDialled(t *testing.T) {
	r := httptest.NewTLSServer(http.NotFoundHandler())
	defer r.Close()
	f, _ := running(t, map[string]string{"webhook.json": `{"url":"` + r.URL + `/secret-token"}`})
	at, err := endpointIn(f.cfg.Dir, gavel.Target{Channel: "webhook", To: "ops"})
	require.NoError(t, err)
	_, err = f.attempt(t.Context(), at, "id", nil)
	require.ErrorContains(t, err, "the address is private")
	assert.NotContains(t, err.Error(), "secret-token")
	for _, address := range []string{"127.0.0.1:80", "10.0.0.1:80", "169.254.169.254:80", "[::1]:80", "[fe80::1]:80", "[::ffff:10.0.0.1]:80", "100.64.0.1:80", "0.0.0.0:80", "224.0.0.1:80",
		"0.1.2.3:80", "192.0.0.8:80", "240.0.0.1:80", "[64:ff9b:1::a00:1]:80", "[2002:a00:1::]:80", "[::10.0.0.1]:80", "[fec0::1]:80"} {
		assert.Error(t, checkPublic(address), address)
	}
	assert.NoError(t, checkPublic("1.1.1.1:443"))
	assert.NoError(t, checkPublic("[2606:4700:4700::1111]:443"))
}

func TestAFileThatOthersCanReadIsNotUsed(t *testing.T) {
	f, _ := running(t, map[string]string{"webhook.json": `{"url":"https://x.example"}`, "slack.json": `{"url":"http://x.example"}`,
		"discord.json": `{"url":"https://x.example","sekret":"x"}`, "telegram.json": `{"url":"https://x.example","secret":"short"}`})
	assert.True(t, f.Reachable(gavel.Target{Channel: "webhook", To: "ops"}))
	require.NoError(t, os.Chmod(filepath.Join(f.cfg.Dir, "webhook.json"), 0o644))
	for _, channel := range []string{"webhook", "slack", "discord", "telegram", "none", "../webhook"} {
		assert.False(t, f.Reachable(gavel.Target{Channel: channel, To: "ops"}), channel)
	}
}

// A channel refuses a message that is too long, and then nobody is asked.
func TestAMessageFitsTheLimitOfItsChannel(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	a := gavel.Approval{ID: "3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11", State: gavel.ApprovalPending, ExpiresAt: now.Add(time.Minute),
		Terms:   gavel.Terms{Answers: []gavel.Answer{gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer}},
		Request: gavel.ApprovalRequest{Command: strings.Repeat("`x", 3000), Cwd: "/" + strings.Repeat("d", 1000)}}
	for i := range 200 {
		a.Request.Env = append(a.Request.Env, strings.Repeat("V", i))
		a.Request.Reasons = append(a.Request.Reasons, gavel.Reason{Message: strings.Repeat("`", 200)})
	}
	shown := view.Show(a)
	got := text(&approvals.Event{Name: approvals.EventRequested, Approval: a}, &shown, now)
	assert.LessOrEqual(t, len([]rune(got)), maxText)
	assert.Contains(t, got, "ID: "+a.ID)
	assert.Contains(t, got, "left out; see gavel approvals show 3f0c8a7e")
	assert.Contains(t, got, "Answer: gavel approvals approve 3f0c8a7e")
}
