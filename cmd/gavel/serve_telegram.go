package main

import (
	"context"
	"crypto/rand"
	"time"

	"gavel"
	"gavel/internal/telegram"
)

// bots returns the Telegram bots of a server. Taps that do not count are recorded in the
// decision log.
func bots(state string, now func() time.Time, of *service) *telegram.Pool {
	return telegram.NewPool(telegram.Config{
		Dir: state, Now: now, Logger: of.logger,
		Random: func(b []byte) { rand.Read(b) }, //nolint:errcheck // documented never to fail
		Refused: func(r telegram.Refusal) {
			audit := of.audit()
			if audit == nil {
				return
			}
			err := audit.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditTapRefused, Timestamp: r.At.UTC(), From: "telegram",
				Detail: map[string]any{"user": r.User.ID, "name": r.User.Name, "chat": r.Chat, "reason": r.Reason}})
			if err != nil {
				of.logger.Error("a refused tap is missing from the decision log", "error", err)
			}
		},
	})
}
