package forward

import (
	"context"
	"crypto/rand"
	"encoding/json"
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

	"gavel"
	"gavel/approvals"
	"gavel/internal/telegram"
)

const (
	botToken     = "123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11"
	alice, carol = 42, 43
)

// phone is Telegram, and the people who hold it.
type phone struct {
	*httptest.Server
	mu       sync.Mutex
	texts    map[int64]string // of messages
	buttons  map[int64]map[string]string
	last     int64
	updates  []map[string]any
	arrived  chan struct{}
	alerts   []string
	messages chan int64
	dir      string // of the bot's file
}

func newPhone(t *testing.T) *phone {
	p := &phone{texts: map[int64]string{}, buttons: map[int64]map[string]string{}, arrived: make(chan struct{}), messages: make(chan int64, 10)}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *phone) serve(w http.ResponseWriter, r *http.Request) {
	var params struct {
		Offset, Timeout int64
		MessageID       int64 `json:"message_id"`
		Text            string
		Alert           bool `json:"show_alert"`
		Markup          struct {
			Rows [][]struct {
				Text string
				Data string `json:"callback_data"`
			} `json:"inline_keyboard"`
		} `json:"reply_markup"`
	}
	_ = json.NewDecoder(r.Body).Decode(&params)
	var result any = true
	switch method := filepath.Base(r.URL.Path); method {
	case "getWebhookInfo":
		result = map[string]any{"url": ""}
	case "getUpdates":
		result = p.poll(r.Context(), params.Offset, params.Timeout > 0)
	case "sendMessage":
		p.mu.Lock()
		p.last++
		id := p.last
		p.texts[id], p.buttons[id] = params.Text, map[string]string{}
		for _, b := range params.Markup.Rows[0] {
			p.buttons[id][b.Text] = b.Data
		}
		p.mu.Unlock()
		defer func() { p.messages <- id }()
		result = map[string]any{"message_id": id}
	case "editMessageText":
		p.mu.Lock()
		p.texts[params.MessageID], p.buttons[params.MessageID] = params.Text, nil
		p.mu.Unlock()
	case "answerCallbackQuery":
		p.mu.Lock()
		if params.Alert {
			p.alerts = append(p.alerts, params.Text)
		}
		p.mu.Unlock()
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "result": result})
}

func (p *phone) poll(ctx context.Context, offset int64, wait bool) []map[string]any {
	for {
		p.mu.Lock()
		list, arrived := append([]map[string]any{}, p.updates[min(int(offset), len(p.updates)):]...), p.arrived
		p.mu.Unlock()
		if len(list) > 0 || !wait {
			return list
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil
		}
	}
}

// tap taps a button of a message.
func (p *phone) tap(user, message int64, label string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.updates = append(p.updates, map[string]any{"update_id": len(p.updates), "callback_query": map[string]any{"id": "x", "from": map[string]any{"id": user, "first_name": "A"},
		"message": map[string]any{"message_id": message, "chat": map[string]any{"id": -100}}, "data": p.buttons[message][label]}})
	close(p.arrived)
	p.arrived = make(chan struct{})
}

func (p *phone) text(message int64) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.texts[message]
}

// answeredBy writes the file of the bot, which says who may answer.
func (p *phone) answeredBy(t *testing.T, people string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(p.dir, "telegram.json"), []byte(`{"bot":{"token":"`+botToken+`","apiBase":"`+p.URL+`","people":`+people+`}}`), 0o600))
}

// withBot is a forwarder whose target telegram/-100 has a bot, until the test ends.
func withBot(t *testing.T, p *phone, terms func(*gavel.Terms)) (*approvals.Manager, func(text string) gavel.Approval) {
	t.Helper()
	dir := t.TempDir()
	p.dir = dir
	p.answeredBy(t, `{"alice":42,"carol":43}`)
	people, err := approvals.Open(t.Context(), approvals.Config{Store: approvals.NewInMemory(), Now: time.Now, NewID: uuid.NewString})
	require.NoError(t, err)
	quick := func(context.Context, time.Duration) {}
	pool := telegram.NewPool(telegram.Config{Dir: t.TempDir(), Now: time.Now, Random: func(b []byte) { _, _ = rand.Read(b) }, Pause: quick})
	f, err := New(Config{People: people, Dir: dir, Now: time.Now, Pause: quick, Bots: pool.Get})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() { f.Run(ctx) })
	running.Go(func() { pool.Run(ctx) })
	t.Cleanup(func() { stop(); running.Wait(); people.Close() })
	require.Eventually(t, people.Watched, time.Minute, time.Millisecond)
	return people, func(text string) gavel.Approval {
		all := gavel.Terms{Answers: []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}, TimeoutMs: 120_000, Quorum: 1, Forward: []gavel.Target{{Channel: "telegram", To: "-100"}}}
		terms(&all)
		a, err := people.Open(t.Context(), gavel.Question{Caller: "gateway",
			Facts:    &gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Tool: gavel.ToolFacts{Name: "message", Params: map[string]any{"text": text}}},
			Decision: &gavel.Decision{Effect: gavel.Ask, Terms: &all}})
		require.NoError(t, err)
		return a
	}
}

func noChange(*gavel.Terms) {}

func TestATapInTelegramAnswersAnApproval(t *testing.T) {
	for label, want := range map[string]gavel.Answer{"Allow once": gavel.AllowOnce, "Deny": gavel.DenyAnswer} {
		t.Run(label, func(t *testing.T) {
			p := newPhone(t)
			people, ask := withBot(t, p, noChange)
			a := ask("hello\u202e")
			message := <-p.messages
			assert.Contains(t, p.text(message), "An agent asks for approval")
			assert.Contains(t, p.text(message), `hello\u{202E}`)
			p.tap(alice, message, label)
			got, err := people.Wait(t.Context(), a.ID)
			require.NoError(t, err)
			assert.Equal(t, want, got.Answer)
			require.Len(t, got.Votes, 1)
			assert.Equal(t, "alice", got.Votes[0].Person)
			assert.Equal(t, "telegram:42", got.ResolvedBy)
			require.Eventually(t, func() bool { return strings.Contains(p.text(message), " by A (id 42)") }, time.Minute, time.Millisecond)
		})
	}
}

func TestOnlyApproversAnswerWithTelegram(t *testing.T) {
	p := newPhone(t)
	people, ask := withBot(t, p, func(terms *gavel.Terms) { terms.Approvers = []string{"carol"} })
	a := ask("x")
	message := <-p.messages
	p.tap(666, message, "Allow once")
	p.tap(alice, message, "Allow once")
	p.tap(carol, message, "Allow once")
	got, err := people.Wait(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, "telegram:43", got.ResolvedBy)
	require.Eventually(t, func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.alerts) == 2 }, time.Minute, time.Millisecond)
	assert.ElementsMatch(t, []string{"You are not authorized to approve/deny this request", "only some operators may answer this one"}, p.alerts)
}

func TestAQuorumNeedsTapsFromSeveralPeople(t *testing.T) {
	p := newPhone(t)
	people, ask := withBot(t, p, func(terms *gavel.Terms) { terms.Quorum = 2 })
	a := ask("x")
	first := <-p.messages
	p.tap(alice, first, "Allow once")
	second := <-p.messages
	assert.Contains(t, p.text(second), "Agreed so far: 1 of 2 people")
	p.tap(alice, second, "Allow once") // nobody counts twice
	p.tap(carol, second, "Allow once")
	got, err := people.Wait(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.AllowOnce, got.Answer)
	assert.Len(t, got.Votes, 2)
}

func TestAUserRemovedFromTheFileCannotAnswerOpenQuestions(t *testing.T) {
	for name, remove := range map[string]func(t *testing.T, p *phone){
		"from the people":                 func(t *testing.T, p *phone) { p.answeredBy(t, `{"carol":43}`) },
		"given to another account":        func(t *testing.T, p *phone) { p.answeredBy(t, `{"alice":44,"carol":43}`) },
		"with a file that cannot be read": func(t *testing.T, p *phone) { p.answeredBy(t, `{`) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPhone(t)
			people, ask := withBot(t, p, noChange)
			a := ask("x")
			message := <-p.messages
			remove(t, p)
			p.tap(alice, message, "Allow once")
			require.Eventually(t, func() bool { p.mu.Lock(); defer p.mu.Unlock(); return len(p.alerts) == 1 }, time.Minute, time.Millisecond)
			still, err := people.Snapshot(t.Context(), a.ID)
			require.NoError(t, err)
			assert.Equal(t, gavel.ApprovalPending, still.State)
			p.answeredBy(t, `{"carol":43}`)
			p.tap(carol, message, "Allow once")
			got, err := people.Wait(t.Context(), a.ID)
			require.NoError(t, err)
			assert.Equal(t, "telegram:43", got.ResolvedBy)
		})
	}
}

func TestAnAnswerGivenElsewhereEndsTheQuestionInTelegram(t *testing.T) {
	p := newPhone(t)
	people, ask := withBot(t, p, noChange)
	a := ask("x")
	message := <-p.messages
	_, err := people.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve:bob"})
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(p.text(message), "deny by approve:bob") }, time.Minute, time.Millisecond)
}

func TestUnusableBotSettingsAreErrors(t *testing.T) {
	for name, c := range map[string]struct{ file, to, want string }{
		"no people":            {`{"bot":{"token":"` + botToken + `","people":{}}}`, "-100", "bot.people is empty"},
		"a name in capitals":   {`{"bot":{"token":"` + botToken + `","people":{"Alice":1}}}`, "-100", "lower case"},
		"an id that is 0":      {`{"bot":{"token":"` + botToken + `","people":{"alice":0}}}`, "-100", "needs a user id"},
		"one id for two":       {`{"bot":{"token":"` + botToken + `","people":{"alice":1,"bob":1}}}`, "-100", "needs a user id of its own"},
		"another token":        {`{"bot":{"token":"x","people":{"alice":1}}}`, "-100", "the bot token is not like"},
		"a URL besides":        {`{"url":"https://x.example","bot":{"token":"` + botToken + `","people":{"alice":1}}}`, "-100", "remove these"},
		"a chat by name":       {`{"bot":{"token":"` + botToken + `","people":{"alice":1}}}`, "@ops", "the number of a chat"},
		"a stranger's chat":    {`{"bot":{"token":"` + botToken + `","people":{"alice":1}}}`, "42", "only its person can answer"},
		"plain HTTP elsewhere": {`{"bot":{"token":"` + botToken + `","apiBase":"http://x.example","people":{"alice":1}}}`, "-100", "must be https"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "telegram.json"), []byte(c.file), 0o600))
			err := Configured(dir, gavel.Target{Channel: "telegram", To: c.to})
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), botToken)
		})
	}
}
