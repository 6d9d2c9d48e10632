package telegram_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/telegram"
)

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
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, time.Minute, time.Millisecond)
	before := l.called("getUpdates")
	l.fakeAPI.mu.Lock()
	l.repeat = true
	l.queue = append(l.queue, map[string]any{"update_id": int64(8), "callback_query": map[string]any{"id": "x", "data": data[0], "from": map[string]any{"id": alice}}})
	close(l.arrived)
	l.arrived = make(chan struct{})
	l.fakeAPI.mu.Unlock()
	require.Eventually(t, func() bool { return l.called("getUpdates") > before }, time.Minute, time.Millisecond)
	assert.Len(t, l.reasons(), 1, "an update that was handled is not handled again")
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

// Whoever asks does not wait for the whole time of a question that cannot be sent.
func TestABotThatHasNeverWorkedFailsSoon(t *testing.T) {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
	l.fail["getWebhookInfo"] = []failure{{code: 401, text: "Unauthorized", always: true}}
	l.start(t)
	q := question()
	q.Expires = time.Now().Add(24 * time.Hour) // it is not this that ends it
	_, err := l.bot.Ask(t.Context(), privately(), q)
	require.ErrorIs(t, err, telegram.ErrUnreachable)
	require.ErrorContains(t, err, "401")
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
	require.Eventually(t, func() bool { return l.bot.Problem() == nil }, time.Minute, time.Millisecond)
	again := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.NoError(t, (<-again).err)
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
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, []string{"the question is no longer open"}, l.reasons())
	require.ErrorIs(t, l.stop(), context.Canceled)

	l.fakeAPI.mu.Lock()
	l.repeat = true // Telegram delivers the same update once more
	l.queue = append(l.queue, map[string]any{"update_id": int64(7), "callback_query": map[string]any{"id": "x", "data": data[0], "from": map[string]any{"id": alice}}})
	l.fakeAPI.mu.Unlock()
	before := l.called("getUpdates")
	l.start(t)
	require.Eventually(t, func() bool { return l.called("getUpdates") > before+1 }, time.Minute, time.Millisecond)
	assert.Len(t, l.reasons(), 1, "the offset was kept")
}

func TestOneProcessPollsForABot(t *testing.T) {
	l := newLab(t)
	require.Eventually(t, func() bool { return l.bot.Problem() == nil }, time.Minute, time.Millisecond)
	second, err := telegram.New(l.config())
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, second.Run(ctx), telegram.ErrInUse)
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

func TestAPoolRunsOneBotForEachToken(t *testing.T) {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir()}
	pool := telegram.NewPool(l.config())
	early, err := pool.Get(token, l.server.URL)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { pool.Run(ctx); close(done) }()
	require.Eventually(t, func() bool { return early.Problem() == nil }, time.Minute, time.Millisecond)
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

// Each of these would be a tap of Alice on Allow for a reader that takes the last of two members,
// or any spelling of a name.
func TestAnUpdateThatCouldBeReadInTwoWaysHoldsNoTap(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"a duplicate id": func(text string) string { return strings.Replace(text, `"id":666,`, `"id":666,"id":42,`, 1) },
		"one escaped":    func(text string) string { return strings.Replace(text, `"id":666,`, `"id":666,"\u0069d":42,`, 1) },
		"one in capital letters": func(text string) string {
			return strings.Replace(text, `"id":666,`, `"id":666,"ID":42,`, 1)
		},
		"a person in capital letters": func(text string) string {
			return strings.Replace(text, `"message":{`, `"FROM":{"id":42},"message":{`, 1)
		},
		"an id that is a text": func(text string) string { return strings.Replace(text, `"id":666,`, `"id":"42",`, 1) },
		"bytes that are not UTF-8": func(text string) string {
			return strings.Replace(strings.Replace(text, `"id":666,`, `"id":42,`, 1), "Alice", "Alice\xff", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			result := l.ask(t, t.Context(), privately(), question())
			id, _, data := l.last()
			l.fakeAPI.mu.Lock()
			l.odd = change
			l.put(7, tap{user: mallory, chat: alice, message: id, data: data[0]})
			l.put(8, tap{user: alice, chat: alice, message: id, data: data[1]})
			l.fakeAPI.mu.Unlock()
			got := <-result
			require.NoError(t, got.err, "the other updates count")
			assert.Equal(t, 1, got.answer.Choice)
		})
	}
}

// Telegram chooses a new number after a week without updates, and another server has its own.
func TestASequenceOfUpdatesThatStartsAgainIsFollowed(t *testing.T) {
	l := newLab(t)
	for _, update := range []int64{5_000_000, 7, 8, 6_000_000, 3} {
		result := l.ask(t, t.Context(), privately(), question())
		id, _, data := l.last()
		l.begin(update, tap{user: alice, chat: alice, message: id, data: data[0]})
		got := <-result
		require.NoError(t, got.err)
	}
	assert.Empty(t, l.reasons())
}

func TestAServerThatRepeatsUpdatesIsNotPolledConstantly(t *testing.T) {
	l := newLab(t)
	l.fakeAPI.mu.Lock()
	l.stuck = true
	l.fakeAPI.mu.Unlock()
	l.push(7, tap{user: mallory, chat: alice, message: 1, data: "x"})
	require.Eventually(t, func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.pauses) > 3
	}, time.Minute, time.Millisecond)
	assert.Len(t, l.reasons(), 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	assert.Contains(t, l.pauses, time.Second)
}

// conflicting answers polls with a conflict, as Telegram does while another program polls.
type conflicting struct{ next http.RoundTripper }

func (c conflicting) RoundTrip(r *http.Request) (*http.Response, error) {
	if strings.HasSuffix(r.URL.Path, "/getUpdates") {
		w := httptest.NewRecorder()
		failure{code: 409, text: "Conflict: terminated by other getUpdates request"}.write(w)
		return w.Result(), nil
	}
	return c.next.RoundTrip(r)
}

func TestATapThatAnotherPollerTookCountsNowhere(t *testing.T) {
	l := newLab(t)
	result := l.ask(t, t.Context(), privately(), question())
	id, _, data := l.last()
	require.ErrorIs(t, l.stop(), context.Canceled) // its polls are refused from now on
	require.ErrorIs(t, (<-result).err, telegram.ErrUnreachable)

	thief := &lab{fakeAPI: l.fakeAPI, dir: t.TempDir()} // the same token, on another machine
	thief.start(t)
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(thief.reasons()) == 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, []string{"the question is no longer open"}, thief.reasons())

	cfg := l.config()
	cfg.Client = &http.Client{Transport: conflicting{http.DefaultTransport}}
	robbed, err := telegram.New(cfg)
	require.NoError(t, err)
	running, stop := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- robbed.Run(running) }()
	require.Eventually(t, func() bool { return strings.Contains(fmt.Sprint(robbed.Problem()), "409") }, time.Minute, time.Millisecond)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err = robbed.Ask(ctx, privately(), question())
	require.ErrorIs(t, err, telegram.ErrUnreachable)
	require.ErrorContains(t, err, "409")
	stop()
	<-done
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
