package telegram

import (
	"context"
	"fmt"
	"strings"

	"gavel/internal/display"
	"gavel/internal/rescue"
)

// What people read when their tap does not count.
const (
	alertStranger = "You are not authorized to approve/deny this request"
	alertOver     = "This question is no longer open: it has expired, or was answered."
)

// tap handles one tap on a button.
func (b *Bot) tap(ctx context.Context, t *tapped) {
	p, choice, alert, reason := b.judge(t)
	if p == nil {
		b.refuse(ctx, t, alert, reason)
		return
	}
	answer := Answer{Choice: choice, User: userOf(t.From)}
	if err := b.accept(ctx, p, answer); err != nil {
		b.refuse(ctx, t, err.Error(), "not accepted: "+err.Error())
		return
	}
	p.answer <- answer
	at := b.cfg.Now().UTC().Format("2006-01-02 15:04:05 UTC")
	b.reply("show an answer", func() {
		chosen := p.question.Choices[choice]
		if err := b.api.acknowledge(ctx, t.ID, chosen.Result, false); err != nil {
			b.log.Warn("a tap was not acknowledged", "error", err) // the answer counts nevertheless
		}
		b.close(p, fmt.Sprintf("%s by %s (id %d) at %s", chosen.Result, answer.User.Name, answer.User.ID, at))
	})
}

// accept asks the question's owner about an answer. If the owner refuses it, or panics, the
// question is open again.
func (b *Bot) accept(ctx context.Context, p *pending, answer Answer) error {
	if p.question.Accept == nil {
		return nil
	}
	err := rescue.Call(func() error { return p.question.Accept(ctx, answer) })
	if err != nil {
		b.mu.Lock()
		p.answered = false
		b.mu.Unlock()
		select {
		case p.reopened <- struct{}{}:
		default: // it says so already
		}
	}
	return err
}

// reply calls f beside the polls, so that one slow reply does not delay other taps. It waits
// while many replies are on their way.
func (b *Bot) reply(what string, f func()) {
	b.replies.Go(func() error {
		rescue.Run(b.log, what, f)
		return nil
	})
}

// judge compares a tap with the open questions. It returns the question that the tap answers,
// and no other tap can answer it any more. Without a question it returns what the person is
// told, and the reason.
func (b *Bot) judge(t *tapped) (p *pending, choice int, alert, reason string) {
	id, choice, ok := b.parse(t.Data)
	if !ok {
		return nil, 0, alertOver, "the button was not made by this bot"
	}
	b.mu.Lock()
	p = b.open[id]
	b.mu.Unlock()
	if p == nil {
		return nil, 0, alertOver, "the question is no longer open"
	}
	<-p.sent // the tap may overtake the answer that has the message's id
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case t.Message == nil || t.Message.Chat.ID != p.chat.ID || p.message == 0 || t.Message.ID != p.message:
		return nil, 0, alertOver, "the tap is not on the message of the question"
	case t.From.IsBot || !p.chat.may(t.From.ID):
		return nil, 0, alertStranger, "this person may not answer"
	case choice >= len(p.question.Choices):
		return nil, 0, alertOver, "the question has no such choice"
	case p.answered:
		return nil, 0, alertOver, "the question is already answered"
	case !b.cfg.Now().Before(p.question.Expires):
		return nil, 0, alertOver, "the question has expired"
	}
	p.answered = true
	return p, choice, "", ""
}

// refuse tells a person that the tap does not count, and reports it.
func (b *Bot) refuse(ctx context.Context, t *tapped, alert, reason string) {
	refusal := Refusal{User: userOf(t.From), Reason: reason, At: b.cfg.Now()}
	if t.Message != nil {
		refusal.Chat = t.Message.Chat.ID
	}
	b.cfg.Refused(refusal)
	b.log.Warn("a tap does not count", "reason", reason, "user", refusal.User.ID, "chat", refusal.Chat)
	b.reply("refuse a tap", func() {
		if err := b.api.acknowledge(ctx, t.ID, alert, true); err != nil {
			b.log.Info("a tap that does not count was not answered", "error", err) // usually it is too old
		}
	})
}

// userOf returns who tapped, with a name that is safe to show.
func userOf(p person) User {
	name := p.FirstName
	if p.Username != "" {
		name = "@" + p.Username
	}
	return User{ID: p.ID, Name: strings.TrimSpace(display.Clean(name, 64).Text)}
}
