package telegram

import (
	"context"
	"errors"
	"slices"

	"gavel/internal/statefile"
)

// maxOpen limits how many messages the state file lists. The oldest are dropped: their buttons
// then stay after a restart, and taps on them get an alert.
const maxOpen = 1000

// stored is the state of a bot that outlives the process.
type stored struct {
	Version int    `json:"version"`
	Offset  int64  `json:"offset"` // of the next update
	Open    []left `json:"open"`
}

// left is the message of an open question, which a later process closes.
type left struct {
	ID      string `json:"id"`
	Chat    int64  `json:"chat"`
	Message int64  `json:"message"`
}

func (b *Bot) newState() *statefile.File[stored] {
	return statefile.New(statefile.Config[stored]{
		Path: b.path + ".json", Limit: 1 << 20, What: "the state of a Telegram bot",
		Fix:      "move the file away; then buttons of old questions stay, and taps on them are refused",
		Check:    checkStored,
		Unusable: "the Telegram bot cannot be used: its state cannot be read",
		Logger:   b.log,
	})
}

func checkStored(s *stored) error {
	if s.Version != 1 || s.Offset < 0 || len(s.Open) > maxOpen {
		return errors.New("it is not a state of version 1")
	}
	return nil
}

// change edits the state file. A failure is logged: then a restart sees old updates again,
// which do not count.
func (b *Bot) change(ctx context.Context, edit func(*stored)) {
	b.writing.Lock()
	defer b.writing.Unlock()
	err := b.state.Edit(context.WithoutCancel(ctx), func(s *stored) error {
		s.Version = 1
		edit(s)
		return nil
	})
	if err != nil {
		b.log.Error("the state of the Telegram bot was not saved", "error", err)
	}
}

func (b *Bot) keepOffset(ctx context.Context, offset int64) {
	b.change(ctx, func(s *stored) { s.Offset = offset })
}

// remember lists the message of an open question.
func (b *Bot) remember(p *pending) {
	b.change(context.Background(), func(s *stored) {
		s.Open = append(s.Open, left{p.id, p.chat.ID, p.message})
		if len(s.Open) > maxOpen {
			s.Open = s.Open[len(s.Open)-maxOpen:]
		}
	})
}

// forget removes a message from the list.
func (b *Bot) forget(id string) {
	b.change(context.Background(), func(s *stored) {
		s.Open = slices.DeleteFunc(s.Open, func(l left) bool { return l.ID == id })
	})
}

// closeOld says in the messages of an earlier process that their questions are no longer open.
// What fails is tried again after the next poll.
func (b *Bot) closeOld(ctx context.Context, old *[]left) {
	for len(*old) > 0 && ctx.Err() == nil {
		l := (*old)[0]
		err := b.api.edit(ctx, l.Chat, l.Message, "This question is no longer open here: Gavel was restarted before anybody answered.")
		var refused *apiError
		if err != nil && !errors.As(err, &refused) {
			return
		}
		*old = (*old)[1:]
		b.forget(l.ID)
	}
}
