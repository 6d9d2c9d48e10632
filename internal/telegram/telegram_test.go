package telegram_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/telegram"
)

const (
	alice   = 42
	mallory = 666
	group   = -1001234567890
)

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
	const over, stranger = "This question is no longer open: it has expired, or was answered.", "You are not authorized to approve/deny this request"
	cases := map[string]struct {
		change func(*tap)
		alert  string
		reason string
	}{
		"by somebody else":             {func(p *tap) { p.user = mallory }, stranger, "this person may not answer"},
		"by a bot":                     {func(p *tap) { p.bot = true }, stranger, "this person may not answer"},
		"by a group's anonymous admin": {func(p *tap) { p.user, p.bot = 1087968824, true }, stranger, "this person may not answer"},
		"by nobody":                    {func(p *tap) { p.user = 0 }, stranger, "this person may not answer"},
		"on a copy, forwarded":         {func(p *tap) { p.chat, p.message = alice, 9000 }, over, "the tap is not on the message of the question"},
		"in front of the right data":   {func(p *tap) { p.data = "v1:0:" + p.data }, over, "the button was not made by this bot"},
		"with half the right data":     {func(p *tap) { p.data = p.data[:len(p.data)-1] }, over, "the button was not made by this bot"},
		"with a number in words":       {func(p *tap) { p.data = strings.Replace(p.data, "v1:0", "v1:+0", 1) }, over, "the button was not made by this bot"},
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
			require.Eventually(t, func() bool { return len(l.texts()) == 1 }, time.Minute, time.Millisecond)
			assert.Equal(t, []string{c.alert}, l.texts())
			assert.Equal(t, []string{c.reason}, l.reasons())
			l.push(8, right) // the question is still open
			got := <-result
			require.NoError(t, got.err)
		})
	}
}

func TestAButtonAnswersOnlyTheQuestionThatItWasMadeFor(t *testing.T) {
	l := newLab(t)
	harmless := l.ask(t, t.Context(), privately(), question())
	first, _, data := l.last()
	dangerous := l.ask(t, t.Context(), privately(), question())
	second, _, other := l.last()
	l.push(7, tap{user: alice, chat: alice, message: second, data: data[0]})
	l.push(8, tap{user: alice, chat: alice, message: first, data: other[0]})
	require.Eventually(t, func() bool { return len(l.reasons()) == 2 }, time.Minute, time.Millisecond)
	l.push(9, tap{user: alice, chat: alice, message: first, data: data[0]})
	require.NoError(t, (<-harmless).err)
	l.push(10, tap{user: alice, chat: alice, message: second, data: other[1]})
	got := <-dangerous
	require.NoError(t, got.err)
	assert.Equal(t, 1, got.answer.Choice)
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
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, time.Minute, time.Millisecond)
}

func TestAQuestionEndsWhenNobodyAnswersAndItsMessageSaysSo(t *testing.T) {
	l := newLab(t)
	var result <-chan outcome
	sent := false
	for life := 300 * time.Millisecond; !sent && life < time.Minute; life *= 4 { // a slow machine may not have sent it in time
		q := question()
		q.Expires = time.Now().Add(life)
		result, sent = l.tryAsk(t.Context(), privately(), q)
	}
	require.True(t, sent)
	id, _, data := l.last()
	got := <-result
	require.ErrorIs(t, got.err, telegram.ErrExpired)
	l.shows(t, "Nobody answered in time.")
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, time.Minute, time.Millisecond)
	assert.Equal(t, []string{"the question is no longer open"}, l.reasons())
}

func TestATapAfterTheExpiryDoesNotCountEvenIfNothingElseEndedTheQuestion(t *testing.T) {
	l := &lab{fakeAPI: newFake(t), dir: t.TempDir(), ahead: time.Hour}
	l.start(t)
	ctx, cancel := context.WithCancel(t.Context())
	result := l.ask(t, ctx, privately(), question())
	id, _, data := l.last()
	l.push(7, tap{user: alice, chat: alice, message: id, data: data[0]})
	require.Eventually(t, func() bool { return len(l.reasons()) == 1 }, time.Minute, time.Millisecond)
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

// Whoever makes many calls can bring this about, so it is not the same as a server that is down.
func TestARateLimitOfTelegramCountsAsBusy(t *testing.T) {
	l := newLab(t)
	l.failWith("sendMessage", failure{code: 429, text: "Too Many Requests", after: 3600})
	_, err := l.bot.Ask(t.Context(), privately(), question())
	require.ErrorIs(t, err, telegram.ErrBusy)
	require.NotErrorIs(t, err, telegram.ErrUnreachable)
	assert.Equal(t, 1, l.called("sendMessage"))
}

func TestAServerThatHangsHoldsUpNobodyAndItsMessagesAreClosedLater(t *testing.T) {
	for method, sent := range map[string]bool{"sendMessage": false, "editMessageText": true} {
		t.Run(method, func(t *testing.T) {
			l := newLab(t)
			released := make(chan struct{})
			l.failWith(method, failure{hangs: released})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			result := l.ask(t, ctx, privately(), question())
			cancel()
			require.ErrorIs(t, (<-result).err, context.Canceled)
			if sent {
				<-l.requests // the edit has begun, and hangs
			}
			close(released)
			l.shows(t, "The answer is no longer needed.")
			_, _, left := l.last()
			assert.Empty(t, left)
		})
	}
}

func TestASendThatFailsIsNotRepeated(t *testing.T) {
	for name, failed := range map[string]failure{
		"the person has blocked the bot": {code: 403, text: "Forbidden: bot was blocked by the user"},
		"there is no such chat":          {code: 400, text: "Bad Request: chat not found"},
		"it may have been accepted":      {raw: "garbage"},
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
	require.Eventually(t, func() bool { return len(l.texts()) == 1 }, time.Minute, time.Millisecond)
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
