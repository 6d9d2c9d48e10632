package main

import (
	"context"
	"time"

	"gavel"
	"gavel/bundles"
	chat "gavel/verifiers/telegram"
)

// probeTelegram sends a message with buttons, and waits for a tap.
func (a *app) probeTelegram(ctx context.Context, snapshot *bundles.Snapshot, path string, settings gavel.TelegramSettings, tool string) (probeResult, error) {
	result := probeResult{Path: path, Signatures: "buttons are signed with the bot token", Mistakes: []string{}}
	pool := a.idleBots()
	client, err := chat.Open(ctx, path, settings, chat.Environment{Getenv: a.getenv, Now: a.now, Bot: pool.Get})
	if err != nil {
		return result, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { pool.Run(ctx); close(ended) }()
	defer func() { cancel(); <-ended }()
	limit := time.Duration(settings.TimeoutSeconds) * time.Second
	limited, done := context.WithTimeoutCause(ctx, limit, gavel.ErrVerifierTime)
	defer done()
	question, err := a.probeQuestion(snapshot, tool, limit)
	if err != nil {
		return result, err
	}
	if a.terminal.stderr {
		a.complain("waiting for a tap in Telegram ("+path+")", "tap Allow or Deny; no tool runs")
	}
	switch result.ask(limited, client, question).Outcome {
	case gavel.VerifierUnreachable:
		result.Mistakes = append(result.Mistakes, "the message was not sent, or taps cannot arrive: correct what the answer says; a running server that uses the bot keeps this command from it")
	case gavel.VerifierTimeout:
		result.Mistakes = append(result.Mistakes, "nobody tapped a button in time: check the chat and allowedUserIds")
	}
	return result, nil
}
