package telegram

import (
	"context"
	"strconv"
	"time"

	"gavel"
	"gavel/internal/reference"
	"gavel/internal/telegram"
)

// Environment has what settings depend on.
type Environment struct {
	Getenv func(string) string
	Now    func() time.Time
	// Bot returns the bot with a token at an address of the Bot API; "" is the public one.
	Bot func(token, base string) (*telegram.Bot, error)
}

// Open creates a client from the settings at a configuration path. The error is a
// *gavel.PolicyError with every problem, and never contains a secret.
func Open(ctx context.Context, path string, settings gavel.TelegramSettings, env Environment) (*Client, error) {
	r := reference.New(ctx, path, env.Getenv)
	token := r.Secret("botToken", settings.BotToken)
	base := r.Expand("apiBase", settings.APIBase)
	chat := telegram.Chat{People: settings.AllowedUserIDs}
	var err error
	if chat.ID, err = strconv.ParseInt(settings.ChatID, 10, 64); err != nil {
		r.Problem("chatId", "the chat is not a number", "write the chat's number; names of chats can change hands")
	} else if err := chat.Check(); err != nil {
		r.Problem("allowedUserIds", err.Error(), "list the numbers of those who may answer")
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	bot, err := env.Bot(token, base)
	if err != nil {
		r.Problem("botToken", err.Error(), "see docs/verifier.md")
		return nil, r.Err()
	}
	return New(bot, chat, env.Now)
}
