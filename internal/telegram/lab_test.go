package telegram_test

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"gavel/internal/telegram"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	t.Helper()
	result, sent := l.tryAsk(ctx, chat, q)
	if !sent {
		t.Fatalf("the question was not sent: %v", (<-result).err)
	}
	return result
}

// tryAsk is ask for a question that may end before it is sent.
func (l *lab) tryAsk(ctx context.Context, chat telegram.Chat, q telegram.Question) (result chan outcome, sent bool) {
	result = make(chan outcome, 1)
	go func() {
		answer, err := l.bot.Ask(ctx, chat, q)
		result <- outcome{answer, err}
	}()
	select {
	case <-l.requests:
		return result, true
	case got := <-result:
		result <- got
		return result, false
	}
}

// shows waits until the newest message contains a text.
func (l *lab) shows(t *testing.T, part string) {
	t.Helper()
	require.Eventually(t, func() bool { _, text, _ := l.last(); return strings.Contains(text, part) }, time.Minute, time.Millisecond, part)
}
