package forward

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
	"gavel/internal/rescue"
	"gavel/internal/telegram"
)

// askAgainAfter is the pause before a question that did not reach Telegram is sent again.
const askAgainAfter = 30 * time.Second

// askInTelegram sends a question with buttons, or ends one. It returns at once.
func (f *Forwarder) askInTelegram(ctx context.Context, m message, by *bot) error {
	key := delivery{m.event.Approval.ID, m.target}
	if m.event.Name != approvals.EventRequested {
		shown := view.Show(m.event.Approval)
		f.endTap(key, telegram.Ended(describeEnd(&shown)+"."))
		return nil
	}
	if f.cfg.Bots == nil {
		return errors.New("this server has no Telegram bots")
	}
	asker, err := f.cfg.Bots(by.Token, by.APIBase)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	f.mu.Lock()
	f.tapped[key] = cancel
	f.mu.Unlock()
	f.taps.Go(func() {
		defer f.endTap(key, "This question is no longer open.")
		rescue.Run(f.log, "ask with Telegram", func() { f.askUntilEnded(ctx, asker, by, key) })
	})
	return nil
}

// endTap ends a question with buttons, and lets it be asked again.
func (f *Forwarder) endTap(key delivery, why telegram.Ended) {
	f.mu.Lock()
	cancel := f.tapped[key]
	delete(f.tapped, key)
	f.mu.Unlock()
	if cancel != nil {
		cancel(why)
		f.forget(key)
	}
}

// askUntilEnded asks until the approval is no longer pending: once for each person who must
// agree, and again if Telegram could not be reached.
func (f *Forwarder) askUntilEnded(ctx context.Context, asker *telegram.Bot, by *bot, key delivery) {
	chat, _ := strconv.ParseInt(key.target.To, 10, 64) // the file was checked for this target
	people := slices.Sorted(maps.Values(by.People))
	for ctx.Err() == nil {
		a, err := f.cfg.People.Snapshot(ctx, key.id)
		if err != nil || a.State != gavel.ApprovalPending {
			return
		}
		_, err = asker.Ask(ctx, telegram.Chat{ID: chat, People: people}, f.question(a, by, key.target))
		switch {
		case err == nil, errors.Is(err, telegram.ErrExpired), ctx.Err() != nil:
		default:
			f.log.Error("a question was not sent with Telegram", "approval", key.id, "error", err)
			f.cfg.Pause(ctx, askAgainAfter)
		}
		if errors.Is(err, telegram.ErrExpired) {
			return
		}
	}
}

// question returns an approval as a question with a button for each answer.
func (f *Forwarder) question(a gavel.Approval, by *bot, target gavel.Target) telegram.Question {
	shown := view.Show(a)
	q := telegram.Question{Expires: a.ExpiresAt, Text: text(&approvals.Event{Name: approvals.EventRequested, Approval: a}, &shown, f.cfg.Now())}
	if len(a.Votes) > 0 {
		q.Text += fmt.Sprintf("\nAgreed so far: %d of %d people", len(a.Votes), shown.Quorum)
	}
	for _, answer := range shown.Decisions {
		q.Choices = append(q.Choices, choiceOf(answer))
	}
	q.Accept = func(ctx context.Context, tapped telegram.Answer) error {
		person, err := f.personWhoTapped(target, by, tapped.User.ID)
		if err != nil {
			return err
		}
		_, err = f.cfg.People.Resolve(ctx, approvals.Resolution{ID: a.ID, Answer: shown.Decisions[tapped.Choice],
			By: "telegram:" + strconv.FormatInt(tapped.User.ID, 10), Person: person, From: "telegram"})
		return err
	}
	return q
}

// personWhoTapped returns the name of a user of a bot. It reads the target's file again, because
// the user may have been removed from it since the question was sent.
func (f *Forwarder) personWhoTapped(target gavel.Target, by *bot, user int64) (string, error) {
	at, err := endpointIn(f.cfg.Dir, target)
	if err == nil && at.Bot != nil && at.Bot.Token == by.Token {
		if name := at.Bot.person(user); name != "" {
			return name, nil
		}
	}
	if err != nil {
		f.log.Error("a tap does not count", "channel", target.Channel, "to", target.To, "error", err)
	}
	return "", &gavel.ApprovalError{Code: gavel.CodeNotApprover, Message: "this account may not answer here any longer", Fix: "have one of bot.people answer"}
}

// choiceOf returns the button of an answer.
func choiceOf(answer string) telegram.Choice {
	switch gavel.Answer(answer) {
	case gavel.AllowOnce:
		return telegram.Choice{Label: "Allow once", Result: "Allowed once"}
	case gavel.AllowAlways:
		return telegram.Choice{Label: "Allow always", Result: "Allowed always"}
	default:
		return telegram.Choice{Label: "Deny", Result: "Denied"}
	}
}
