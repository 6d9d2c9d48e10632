package telegram_test

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel/internal/telegram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	alice   = 42
	mallory = 666
	group   = -1001234567890
)

// lab is a bot that runs against a fake server.
type lab struct {
	*fakeAPI
	bot   *telegram.Bot
	dir   string
	ahead time.Duration // of the bot's clock

	mu      sync.Mutex
	refused []string
	pauses  []time.Duration
	stop    func() error
}

func (l *lab) config() telegram.Config {
	return telegram.Config{
		Token: token, Base: l.server.URL, Dir: l.dir, Now: func() time.Time { return time.Now().Add(l.ahead) }, Client: l.server.Client(),
		Random: func(b []byte) { _, _ = rand.Read(b) },
		Pause: func(ctx context.Context, d time.Duration) {
			l.mu.Lock()
			l.pauses = append(l.pauses, d)
			l.mu.Unlock()
			select { // some time has to pass, or a failing poll would keep the processor busy
			case <-ctx.Done():
			case <-time.After(time.Millisecond):
			}
		},
		Refused: func(r telegram.Refusal) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.refused = append(l.refused, r.Reason)
		},
	}
}

func (l *lab) reasons() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.refused...)
}

// start runs a bot until the test ends, or until stop.
func (l *lab) start(t *testing.T) {
	bot, err := telegram.New(l.config())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- bot.Run(ctx) }()
	l.bot = bot
	l.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() { _ = l.stop() })
}

func newLab(t *testing.T) *lab {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
	l.start(t)
	return l
}

func question() telegram.Question {
	return telegram.Question{
		Title:   "Tool verification request",
		Fields:  []telegram.Field{{Name: "Tool", Value: "exec"}, {Name: "Command", Value: "curl https://example.com"}},
		Choices: []telegram.Choice{{Label: "Allow", Result: "Allowed"}, {Label: "Deny", Result: "Denied"}},
		Expires: time.Now().Add(time.Minute),
	}
}

func privately() telegram.Chat { return telegram.Chat{ID: alice} }

// outcome is what Ask returned.
type outcome struct {
	answer telegram.Answer
	err    error
}

// ask asks beside the test, and returns once the message was sent.
func (l *lab) ask(t *testing.T, ctx context.Context, chat telegram.Chat, q telegram.Question) <-chan outcome {
	result := make(chan outcome, 1)
	go func() {
		answer, err := l.bot.Ask(ctx, chat, q)
		result <- outcome{answer, err}
	}()
	select {
	case <-l.requests:
	case got := <-result:
		t.Fatalf("the question was not sent: %v", got.err)
	}
	return result
}

// shows waits until the newest message contains a text.
func (l *lab) shows(t *testing.T, part string) {
	t.Helper()
	require.Eventually(t, func() bool { _, text, _ := l.last(); return strings.Contains(text, part) }, 10*time.Second, time.Millisecond, part)
}

func TestATapOnAButtonIsTheAnswer(t *testing.T) {
	for choice, want := range []string{"Allowed", "Denied"} {
		t.Run(want, func(t *testing.T) {
			l := newLab(t)
			result := l.ask(t, t.Context(), privately(), question())
			id, text, data := l.last()
			assert.Equal(t, "Tool verification request\n\nTool: exec\nCommand: curl https://example.com", text)
			for _, d := range data {
				assert.LessOrEqual(t, len(d), 64)
			}
			l.push(7, tap{user: alice, chat: alice, message: id, data: data[choice]})
			got := <-result
			require.NoError(t, got.err)
			assert.Equal(t, choice, got.answer.Choice)
			assert.EqualValues(t, alice, got.answer.User.ID)
			assert.NotContains(t, got.answer.User.Name, "\u202e")
			l.shows(t, want+" by Alice")
			_, _, left := l.last()
			assert.Empty(t, left, "the buttons are gone")
			assert.Contains(t, l.texts(), want)
		})
	}
}

func TestATapThatOvertakesTheAnswerToSendMessageCounts(t *testing.T) {
	l := newLab(t)
	l.early = func(id int64, data []string) { l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]}) }
	got := <-l.ask(t, t.Context(), privately(), question())
	require.NoError(t, got.err)
	assert.Zero(t, got.answer.Choice)
}

func TestOtherTapsDoNotCountAndAreReported(t *testing.T) {
	const over, stranger = "This question is no longer open.", "You are not authorized to approve/deny this request"
	cases := map[string]struct {
		change func(*tap)
		alert  string
		reason string
	}{
		"by somebody else":             {func(p *tap) { p.user = mallory }, stranger, "this person may not answer"},
		"by a bot":                     {func(p *tap) { p.bot = true }, stranger, "this person may not answer"},
		"in another chat":              {func(p *tap) { p.chat = mallory }, over, "the tap is not on the message of the question"},
		"on another message":           {func(p *tap) { p.message++ }, over, "the tap is not on the message of the question"},
		"without a message":            {func(p *tap) { p.lost = true }, over, "the tap is not on the message of the question"},
		"with a changed choice":        {func(p *tap) { p.data = strings.Replace(p.data, "v1:0", "v1:1", 1) }, over, "the button was not made by this bot"},
		"with a changed question":      {func(p *tap) { p.data = "v1:0:AAAAAAAAAAAAAAAAAAAAAA" + p.data[strings.LastIndex(p.data, ":"):] }, over, "the button was not made by this bot"},
		"with data of another program": {func(p *tap) { p.data = "approve" }, over, "the button was not made by this bot"},
		"without data":                 {func(p *tap) { p.data = "" }, over, "the button was not made by this bot"},
		"with bytes beyond ASCII":      {func(p *tap) { p.data = "v1:0:ü:" + strings.Repeat("é", 20) }, over, "the button was not made by this bot"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			result := l.ask(t, t.Context(), telegram.Chat{ID: group, People: []int64{alice}}, question())
			id, _, data := l.last()
			right := tap{user: alice, chat: group, message: id, data: data[0]}
			wrong := right
			c.change(&wrong)
			l.push(7, wrong)
			require.Eventually(t, func() bool { return len(l.texts()) == 1 }, 10*time.Second, time.Millisecond)
			assert.Equal(t, []string{c.alert}, l.texts())
			assert.Equal(t, []string{c.reason}, l.reasons())
			l.push(8, right) // the question is still open
			got := <-result
			require.NoError(t, got.err)
		})
	}
}

func TestTheFirstTapWins(t *testing.T) {
	l := newLab(t)
	result := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[1]})
	l.push(8, tap{user: alice, chat: alice, message: id, data: data[0]})
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, 1, got.answer.Choice)
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, 10*time.Second, time.Millisecond)
}

func TestUpdatesThatComeTwiceOrOutOfOrderCountOnce(t *testing.T) {
	l := newLab(t)
	result := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	l.fakeAPI.mu.Lock() // both arrive in one poll, the later one first
	for _, u := range []int64{9, 8} {
		choice := map[int64]int{8: 1, 9: 0}[u]
		l.queue = append(l.queue, map[string]any{"update_id": u, "callback_query": map[string]any{"id": "x", "data": data[choice],
			"from": map[string]any{"id": alice}, "message": map[string]any{"message_id": id, "chat": map[string]any{"id": alice}}}})
	}
	close(l.arrived)
	l.arrived = make(chan struct{})
	l.fakeAPI.mu.Unlock()
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, 1, got.answer.Choice, "the lower update id is the earlier tap")
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, 10*time.Second, time.Millisecond)
	before := l.called("getUpdates")
	l.fakeAPI.mu.Lock()
	l.repeat = true
	l.queue = append(l.queue, map[string]any{"update_id": int64(8), "callback_query": map[string]any{"id": "x", "data": data[0], "from": map[string]any{"id": alice}}})
	close(l.arrived)
	l.arrived = make(chan struct{})
	l.fakeAPI.mu.Unlock()
	require.Eventually(t, func() bool { return l.called("getUpdates") > before }, 10*time.Second, time.Millisecond)
	assert.Len(t, l.reasons(), 1, "an update that was handled is not handled again")
}

func TestAQuestionEndsWhenNobodyAnswersAndItsMessageSaysSo(t *testing.T) {
	l := newLab(t)
	q := question()
	q.Expires = time.Now().Add(300 * time.Millisecond)
	result := l.ask(t, t.Context(), privately(), q)
	id, _, data := l.last()
	got := <-result
	require.ErrorIs(t, got.err, telegram.ErrExpired)
	l.shows(t, "Nobody answered in time.")
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, []string{"the question is no longer open"}, l.reasons())
}

func TestATapAfterTheExpiryDoesNotCountEvenIfNothingElseEndedTheQuestion(t *testing.T) {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir(), ahead: time.Hour}
	l.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := l.ask(t, ctx, privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, []string{"the question has expired"}, l.reasons())
	cancel()
	require.ErrorIs(t, (<-result).err, context.Canceled)
}

func TestAQuestionThatIsNoLongerNeededLosesItsButtons(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := l.ask(t, ctx, privately(), question())
	cancel()
	got := <-result
	require.ErrorIs(t, got.err, context.Canceled)
	l.shows(t, "The answer is no longer needed.")
	_, _, left := l.last()
	assert.Empty(t, left)
}

func TestWithoutPollsNothingIsAsked(t *testing.T) {
	conflict := failure{code: 409, text: "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running", always: true}
	for name, break_ := range map[string]func(*fakeAPI){
		"another program polls": func(f *fakeAPI) { f.fail["getUpdates"] = []failure{conflict} },
		"the token is wrong": func(f *fakeAPI) {
			f.fail["getWebhookInfo"] = []failure{{code: 401, text: "Unauthorized", always: true}}
		},
		"a webhook is set":         func(f *fakeAPI) { f.webhook = "https://bots.example/hook" },
		"the answer is not JSON":   func(f *fakeAPI) { f.fail["getUpdates"] = []failure{{raw: "<html>", always: true}} },
		"the answer has no result": func(f *fakeAPI) { f.fail["getUpdates"] = []failure{{raw: `{"ok":true}`, always: true}} },
		"the answer is very large": func(f *fakeAPI) {
			f.fail["getUpdates"] = []failure{{raw: `{"ok":true,"result":[` + strings.Repeat(" ", 2<<20) + `]}`, always: true}}
		},
		"the server wants a long pause": func(f *fakeAPI) {
			f.fail["getUpdates"] = []failure{{code: 429, text: "Too Many Requests", after: 30, always: true}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
			break_(l.fakeAPI)
			l.start(t)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			_, err := l.bot.Ask(ctx, privately(), question())
			require.ErrorIs(t, err, telegram.ErrUnreachable)
			assert.NotContains(t, err.Error(), token)
			assert.Zero(t, l.called("sendMessage"))
			assert.Zero(t, l.called("deleteWebhook"), "the webhook may belong to another program")
		})
	}
}

func TestAPollThatFailsForLongEndsOpenQuestionsAndTheBotRecovers(t *testing.T) {
	l := newLab(t)
	result := l.ask(t, t.Context(), privately(), question())
	conflict := failure{code: 409, text: "Conflict", always: true}
	l.failWith("getUpdates", conflict)
	l.push(1, tap{user: mallory, chat: mallory, data: "x"}) // ends the poll that is open
	got := <-result
	require.ErrorIs(t, got.err, telegram.ErrUnreachable)
	l.shows(t, "Gavel can no longer receive answers.")
	require.Error(t, l.bot.Problem())
	l.failWith("getUpdates")
	require.Eventually(t, func() bool { return l.bot.Problem() == nil }, 10*time.Second, time.Millisecond)
	again := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.NoError(t, (<-again).err)
}

func TestASendThatTelegramDelaysIsRepeatedWithinTheTime(t *testing.T) {
	l := newLab(t)
	l.failWith("sendMessage", failure{code: 429, text: "Too Many Requests", after: 3})
	result := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.NoError(t, (<-result).err)
	l.mu.Lock()
	defer l.mu.Unlock()
	assert.Contains(t, l.pauses, 3*time.Second)
}

func TestASendThatFailsIsNotRepeated(t *testing.T) {
	for name, failed := range map[string]failure{
		"the person has blocked the bot": {code: 403, text: "Forbidden: bot was blocked by the user"},
		"there is no such chat":          {code: 400, text: "Bad Request: chat not found"},
		"it may have been accepted":      {raw: "garbage"},
		"the pause is too long":          {code: 429, text: "Too Many Requests", after: 3600},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.failWith("sendMessage", failed)
			_, err := l.bot.Ask(t.Context(), privately(), question())
			require.ErrorIs(t, err, telegram.ErrUnreachable)
			assert.Equal(t, 1, l.called("sendMessage"))
		})
	}
}

func TestAfterARestartOldQuestionsAreClosedAndOldTapsDoNotCount(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	result := l.ask(t, ctx, privately(), question())
	id, _, data := l.last()
	// A process that is killed edits nothing.
	l.failWith("editMessageText", failure{code: 500, text: "no", always: true})
	require.ErrorIs(t, l.stop(), context.Canceled)
	require.ErrorIs(t, (<-result).err, telegram.ErrUnreachable)
	l.failWith("editMessageText")
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	l.start(t)
	l.shows(t, "no longer open here: Gavel was restarted")
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, []string{"the question is no longer open"}, l.reasons())
	require.ErrorIs(t, l.stop(), context.Canceled)

	l.fakeAPI.mu.Lock()
	l.repeat = true // Telegram delivers the same update once more
	l.queue = append(l.queue, map[string]any{"update_id": int64(7), "callback_query": map[string]any{"id": "x", "data": data[0], "from": map[string]any{"id": alice}}})
	l.fakeAPI.mu.Unlock()
	before := l.called("getUpdates")
	l.start(t)
	require.Eventually(t, func() bool { return l.called("getUpdates") > before+1 }, 10*time.Second, time.Millisecond)
	assert.Len(t, l.reasons(), 1, "the offset was kept")
}

func TestOneProcessPollsForABot(t *testing.T) {
	l := newLab(t)
	require.Eventually(t, func() bool { return l.bot.Problem() == nil }, 10*time.Second, time.Millisecond)
	second, err := telegram.New(l.config())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, second.Run(ctx), telegram.ErrInUse)
}

func TestTextsOfAQuestionAreShownSafely(t *testing.T) {
	for name, c := range map[string]struct{ value, want string }{
		"line feeds":      {"ls\nAllowed by Alice", `ls\u{A}Allowed by Alice`},
		"bidi marks":      {"rm \u202etxt.exe", `rm \u{202E}txt.exe`},
		"markup":          {"<b>*x*</b>", "<b>*x*</b>"},
		"what was hidden": {"a\u200bb", "Careful, Command: has characters that are invisible or reverse text"},
		"a long text":     {strings.Repeat("x", 5000) + "; rm -rf ~", "characters are left out after the first"},
		"its end":         {strings.Repeat("x", 5000) + "; rm -rf ~", "; rm -rf ~"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			q := question()
			q.Fields[1].Value = c.value
			ctx, cancel := context.WithCancel(t.Context())
			result := l.ask(t, ctx, privately(), q)
			_, text, _ := l.last()
			assert.Contains(t, text, c.want)
			assert.LessOrEqual(t, len(utf16.Encode([]rune(text))), 4000)
			cancel()
			<-result
		})
	}
}

func TestManyLongFieldsFitIntoOneMessage(t *testing.T) {
	l := newLab(t)
	q := question()
	for range 12 {
		q.Fields = append(q.Fields, telegram.Field{Name: "Field", Value: strings.Repeat("🚀", 3000)})
	}
	ctx, cancel := context.WithCancel(t.Context())
	result := l.ask(t, ctx, privately(), q)
	_, text, _ := l.last()
	assert.LessOrEqual(t, len(utf16.Encode([]rune(text))), 4000)
	assert.Contains(t, text, "curl https://example.com")
	cancel()
	<-result
}

func TestNobodyInParticularMayNotAnswer(t *testing.T) {
	l := newLab(t)
	for _, chat := range []telegram.Chat{{}, {ID: group}} {
		_, err := l.bot.Ask(t.Context(), chat, question())
		require.Error(t, err)
	}
	assert.Zero(t, l.called("sendMessage"))
}

func TestSettingsThatCannotBeMeantAreErrors(t *testing.T) {
	good := (&lab{fakeAPI: newFake(t), dir: t.TempDir()}).config()
	for name, change := range map[string]func(*telegram.Config){
		"a token with a path":   func(c *telegram.Config) { c.Token = "123456:../../x" },
		"an empty token":        func(c *telegram.Config) { c.Token = "" },
		"http to another host":  func(c *telegram.Config) { c.Base = "http://bots.example" },
		"an address with a key": func(c *telegram.Config) { c.Base = "https://bots.example/?x=1" },
		"an address with login": func(c *telegram.Config) { c.Base = "https://u:p@bots.example" },
		"no directory":          func(c *telegram.Config) { c.Dir = "" },
	} {
		t.Run(name, func(t *testing.T) {
			cfg := good
			change(&cfg)
			_, err := telegram.New(cfg)
			require.Error(t, err)
		})
	}
}

func TestErrorsNeverContainTheToken(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	address := down.URL
	down.Close()
	away := httptest.NewServer(http.RedirectHandler("http://127.0.0.1:1/"+token, http.StatusFound))
	t.Cleanup(away.Close)
	for name, base := range map[string]string{"nobody listens": address, "a redirect": away.URL} {
		t.Run(name, func(t *testing.T) {
			l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
			cfg := l.config()
			cfg.Base, cfg.Client = base, nil
			bot, err := telegram.New(cfg)
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- bot.Run(ctx) }()
			_, err = bot.Ask(ctx, privately(), question())
			require.ErrorIs(t, err, telegram.ErrUnreachable)
			assert.NotContains(t, err.Error(), token)
			assert.NotContains(t, bot.Problem().Error(), token)
			require.True(t, errors.Is(<-done, context.DeadlineExceeded))
		})
	}
}

func TestAnAnswerThatIsNotAcceptedLeavesTheQuestionOpen(t *testing.T) {
	l := newLab(t)
	refuse := errors.New("only some operators may answer this one")
	q := question()
	first := true
	q.Accept = func(_ context.Context, a telegram.Answer) error {
		if first {
			first = false
			return refuse
		}
		return nil
	}
	result := l.ask(t, t.Context(), privately(), q)
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(l.texts()) == 1 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, []string{refuse.Error()}, l.texts())
	l.push(8, tap{user: alice, chat: alice, message: id, data: data[1]})
	got := <-result
	require.NoError(t, got.err)
	assert.Equal(t, 1, got.answer.Choice)
}

func TestAQuestionThatEndsWhileItsAnswerIsRefusedIsOver(t *testing.T) {
	l := newLab(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	q := question()
	q.Accept = func(context.Context, telegram.Answer) error {
		cancel(telegram.Ended("Denied by bob."))
		panic("no")
	}
	result := l.ask(t, ctx, privately(), q)
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.ErrorIs(t, (<-result).err, context.Canceled)
	l.shows(t, "Denied by bob.")
}

func TestAPoolRunsOneBotForEachToken(t *testing.T) {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
	pool := telegram.NewPool(l.config())
	early, err := pool.Get(token, l.server.URL)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { pool.Run(ctx); close(done) }()
	require.Eventually(t, func() bool { return early.Problem() == nil }, 10*time.Second, time.Millisecond)
	again, err := pool.Get(token, l.server.URL)
	require.NoError(t, err)
	assert.Same(t, early, again)
	_, err = pool.Get("not a token", "")
	require.Error(t, err)
	cancel()
	<-done
	_, err = pool.Get(token, l.server.URL)
	require.Error(t, err)
}
