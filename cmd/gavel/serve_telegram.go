package main

import (
	"context"
	"crypto/rand"
	"log/slog"
	"time"

	"gavel"
	"gavel/internal/telegram"
)

// bots returns the Telegram bots of a state directory. Taps that do not count are recorded in
// the decision log. Audit and logger may be nil.
func bots(state string, now func() time.Time, audit gavel.Audit, logger *slog.Logger) *telegram.Pool {
	return telegram.NewPool(telegram.Config{
		Dir: state, Now: now, Logger: logger,
		Random: func(b []byte) { rand.Read(b) }, //nolint:errcheck // documented never to fail
		Refused: func(r telegram.Refusal) {
			if audit == nil {
				return
			}
			err := audit.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditTapRefused, Timestamp: r.At.UTC(), From: "telegram",
				Detail: map[string]any{"user": r.User.ID, "name": r.User.Name, "chat": r.Chat, "reason": r.Reason}})
			if err != nil && logger != nil {
				logger.Error("a refused tap is missing from the decision log", "error", err)
			}
		},
	})
}

// idleBots returns the bots of this user's state directory, for a command without a server. They
// poll only while they are run; a server that uses the same bot keeps them from it.
func (a *app) idleBots() *telegram.Pool {
	flags := serveFlags{}
	if err := a.findState(&flags); err != nil {
		flags.state = "" // a bot without a directory is an error, which names the policy's key
	}
	return bots(flags.state, a.now, nil, nil)
}
