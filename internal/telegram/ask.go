package telegram

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gavel/internal/rescue"
)

// pending is an open question.
type pending struct {
	id          string
	chat        Chat
	question    Question
	text        string        // of the message, without the result
	sent        chan struct{} // closed when message is known, or sending failed
	message     int64         // valid once sent is closed; 0 if sending failed
	undelivered chan error    // has room for one: sending failed
	answered    bool          // guarded by the bot's mutex: the first tap wins
	answer      chan Answer   // has room for one
	failed      chan error    // has room for one
	reopened    chan struct{} // has room for one: a tap was claimed, but not accepted
	ending      chan string   // has room for one: nobody waits any more, and what the message says then
}

// Ask sends a question to a chat and waits for the answer: until the question expires, the
// context ends, or taps can no longer arrive. The error is [ErrExpired], the context's error,
// or one that wraps [ErrUnreachable] or [ErrBusy]. The message then says how the question ended;
// that is done after Ask has returned, so that a slow server holds up nobody.
func (b *Bot) Ask(ctx context.Context, chat Chat, q Question) (Answer, error) {
	if err := errors.Join(chat.Check(), q.check()); err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	ctx, cancel := context.WithDeadline(ctx, q.Expires)
	defer cancel()
	if err := b.ready(ctx); err != nil {
		return Answer{}, err
	}
	p, err := b.begin(ctx, chat, q)
	if err != nil {
		return Answer{}, err
	}
	answer, result, err := b.await(ctx, p)
	b.remove(p)
	p.ending <- result
	return answer, err
}

// await waits until a question has ended, and returns what its message must say now; "" leaves
// that to the tap.
func (b *Bot) await(ctx context.Context, p *pending) (answer Answer, result string, err error) {
	over := ctx.Done()
	for {
		select {
		case answer := <-p.answer:
			return answer, "", nil
		case err := <-p.undelivered:
			if b.claim(p) {
				return Answer{}, "", ended(ctx, err)
			}
		case err := <-p.failed:
			return Answer{}, "Gavel can no longer receive answers.", fmt.Errorf("%w: %w", ErrUnreachable, err)
		case <-over:
			if b.claim(p) {
				err := ended(ctx, ErrExpired)
				return Answer{}, because(ctx, err), err
			}
			over = nil // somebody was faster: the answer or the failure is about to arrive
		case <-p.reopened:
			over = ctx.Done()
		}
	}
}

// because is what the message of a question says that nobody has answered.
func because(ctx context.Context, err error) string {
	var shown Ended
	switch {
	case errors.Is(err, ErrExpired):
		return "Nobody answered in time."
	case errors.As(context.Cause(ctx), &shown):
		return string(shown)
	}
	return "The answer is no longer needed."
}

// begin opens a question and sends it beside the caller.
func (b *Bot) begin(ctx context.Context, chat Chat, q Question) (*pending, error) {
	p := &pending{id: b.newID(), chat: chat, question: q, text: q.text(), sent: make(chan struct{}), undelivered: make(chan error, 1),
		answer: make(chan Answer, 1), failed: make(chan error, 1), reopened: make(chan struct{}, 1), ending: make(chan string, 1)}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case b.stopped:
		return nil, fmt.Errorf("%w: %w", ErrUnreachable, errStopping)
	case b.living >= maxLiving:
		return nil, fmt.Errorf("%w: %d questions are open", ErrBusy, b.living)
	}
	b.open[p.id] = p
	b.living++
	b.lives.Go(func() {
		b.live(ctx, p)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.living--
	})
	return p, nil
}

// live sends a question and, when nobody waits for it any more, says so in its message.
func (b *Bot) live(ctx context.Context, p *pending) {
	err := rescue.Call(func() error { return b.deliver(ctx, p) })
	close(p.sent)
	if err != nil {
		p.undelivered <- err
	}
	if result := <-p.ending; result != "" {
		rescue.Run(b.log, "show how a question ended", func() { b.close(p, result) })
	}
}

// ended returns why a context ended: ErrExpired for its deadline. If it has not ended, the
// result is other.
func ended(ctx context.Context, other error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return ErrExpired
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return other
}

// ready waits until it is known whether taps can arrive, and returns an error while they cannot.
func (b *Bot) ready(ctx context.Context) error {
	select {
	case <-b.known:
	case <-ctx.Done():
		b.mu.Lock()
		defer b.mu.Unlock()
		return fmt.Errorf("%w: %w", ErrUnreachable, b.problem)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.problem != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, b.problem)
	}
	return nil
}

// newID returns 128 random bits, 22 characters long.
func (b *Bot) newID() string {
	var id [16]byte
	b.cfg.Random(id[:])
	return base64.RawURLEncoding.EncodeToString(id[:])
}

func (b *Bot) remove(p *pending) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, p.id)
}

// claim ends a question for its caller, and reports whether nobody else did so before.
func (b *Bot) claim(p *pending) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.answered {
		return false
	}
	p.answered = true
	return true
}

// deliver sends the message. It sends again only if Telegram certainly has not accepted the
// message: otherwise there could be two. A request that has begun is finished even if ctx
// ends, because only its answer has the id that is needed to remove the buttons.
func (b *Bot) deliver(ctx context.Context, p *pending) error {
	for {
		id, err := b.api.send(context.WithoutCancel(ctx), p.chat.ID, p.text, b.buttons(p))
		if err == nil {
			p.message = id
			b.remember(p)
			return nil
		}
		wait, again := retryAfter(err)
		left, limited := ctx.Deadline()
		if !again || limited && b.cfg.Now().Add(wait).After(left) {
			return fmt.Errorf("%w: %w", kind(err), err)
		}
		b.cfg.Pause(ctx, wait)
		if ctx.Err() != nil {
			return fmt.Errorf("%w: %w", kind(err), err)
		}
	}
}

// kind tells a server that wants fewer questions from one that cannot be reached: whoever makes
// many calls can bring the former about.
func kind(err error) error {
	var refused *apiError
	if errors.As(err, &refused) && refused.Code == http.StatusTooManyRequests {
		return ErrBusy
	}
	return ErrUnreachable
}

// retryAfter reports whether a request may be repeated, and after which time.
func retryAfter(err error) (time.Duration, bool) {
	var refused *apiError
	if errors.As(err, &refused) && refused.Code == http.StatusTooManyRequests {
		return max(refused.RetryAfter, time.Second), true
	}
	var unsent unsentError
	return time.Second, errors.As(err, &unsent)
}

// buttons returns one button for each choice.
func (b *Bot) buttons(p *pending) []button {
	list := make([]button, len(p.question.Choices))
	for i, choice := range p.question.Choices {
		list[i] = button{choice.Label, b.data(p.id, i)}
	}
	return list
}

// data is what a button sends: version, choice, question and a MAC of these. It has 40 of the
// 64 bytes that Telegram permits.
func (b *Bot) data(id string, choice int) string {
	text := "v1:" + strconv.Itoa(choice) + ":" + id
	return text + ":" + b.mac(text)
}

func (b *Bot) mac(text string) string {
	mac := hmac.New(sha256.New, b.key)
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:8])
}

// parse reads the data of a button that this bot made.
func (b *Bot) parse(data string) (id string, choice int, ok bool) {
	end := strings.LastIndexByte(data, ':')
	if end < 0 || !hmac.Equal([]byte(data[end+1:]), []byte(b.mac(data[:end]))) {
		return "", 0, false
	}
	parts := strings.Split(data[:end], ":")
	if len(parts) != 3 || parts[0] != "v1" {
		return "", 0, false
	}
	choice, err := strconv.Atoi(parts[1])
	return parts[2], choice, err == nil && choice >= 0
}

// close says in the message how the question ended, and removes the buttons. A message that
// cannot be edited keeps its buttons, and a tap on them gets an alert.
func (b *Bot) close(p *pending, result string) {
	if p.message == 0 {
		return
	}
	// The caller's context may have ended; the message must change nevertheless.
	ctx, cancel := context.WithTimeout(context.Background(), requestTime)
	defer cancel()
	if err := b.api.edit(ctx, p.chat.ID, p.message, p.text+"\n\n"+result); err != nil {
		b.log.Warn("the message of a question was not updated", "error", err)
		return
	}
	b.forget(p.id)
}
