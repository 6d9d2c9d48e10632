package main

import (
	"context"
	"log/slog"
	"strings"
	"sync"

	"github.com/google/uuid"

	"gavel"
	"gavel/bundles"
	"gavel/internal/telegram"
	"gavel/verifiers"
	chat "gavel/verifiers/telegram"
	"gavel/verifiers/webhook"
)

// newHub makes the hub that asks verifiers. Bots poll while the caller runs pool. Audit and logger
// may be nil.
func (a *app) newHub(audit gavel.Audit, pool *telegram.Pool, logger *slog.Logger) (*verifiers.Hub, error) {
	return verifiers.New(verifiers.Config{Now: a.now, NewID: uuid.NewString, Audit: audit, Logger: logger,
		Open: func(ctx context.Context, path string, settings gavel.WebhookSettings) (gavel.Verifier, error) {
			client, err := webhook.Open(ctx, path, settings, webhook.Environment{Getenv: a.getenv, Now: a.now})
			if err != nil {
				return nil, err // a nil *Client in the interface would not be nil
			}
			return client, nil
		},
		OpenTelegram: func(ctx context.Context, path string, settings gavel.TelegramSettings) (gavel.Verifier, error) {
			client, err := chat.Open(ctx, path, settings, chat.Environment{Getenv: a.getenv, Now: a.now, Bot: pool.Get})
			if err != nil {
				return nil, err
			}
			return client, nil
		}})
}

// loads returns what opens the verifiers of each policy before it comes into force, and refuses
// a policy whose verifiers cannot be opened.
func loads(hub *verifiers.Hub) func(context.Context, *bundles.Snapshot) error {
	return func(ctx context.Context, snapshot *bundles.Snapshot) error {
		settings, err := snapshot.VerifierSettings(ctx)
		if err != nil {
			return err
		}
		return placed(snapshot, hub.Load(ctx, snapshot.Revision(), settings))
	}
}

// placed gives the problems of settings the lines of these settings.
func placed(snapshot *bundles.Snapshot, err error) error {
	if err == nil {
		return nil
	}
	list := bundles.Problems(err)
	document := snapshot.Document()
	for i, p := range list {
		if line, column, ok := document.Locate(p.Path); ok {
			list[i].File, list[i].Line, list[i].Column = document.File, line, column
		}
	}
	return &gavel.PolicyError{Problems: list}
}

// loadAsking is load for a command whose decisions are acted on: verifiers are asked until stop
// is called. before may be nil.
func (a *app) loadAsking(ctx context.Context, path string, before bundles.LoadCache) (pdp *gavel.PDP, stop func(), err error) {
	if a.verifiers != nil {
		if pdp, err = a.load(ctx, path); err == nil {
			pdp.Verifiers = a.verifiers
		}
		return pdp, func() {}, err
	}
	pool := a.idleBots()
	hub, err := a.newHub(nil, pool, nil)
	if err != nil {
		return nil, nil, err
	}
	pdp, err = a.pdp(func(observe) (gavel.Policy, error) {
		source := a.source(path, nil)
		source.LoadCache = before
		snapshot, err := bundles.Load(ctx, source)
		if err == nil {
			err = loads(hub)(ctx, snapshot) // not part of what proofs replace
		}
		return fixedPolicy{snapshot}, located(path, err)
	})
	if err != nil {
		return nil, nil, err
	}
	pdp.Verifiers = hub
	ctx, cancel := context.WithCancel(ctx)
	var polling sync.WaitGroup
	if pool.Used() {
		polling.Go(func() { pool.Run(ctx) })
	}
	return pdp, func() { cancel(); polling.Wait() }, nil
}

// later records audit events in a log that is opened later.
type later struct{ audit func() gavel.Audit }

// Audit implements gavel.Audit. Without a log it records nothing.
func (l later) Audit(ctx context.Context, event gavel.AuditEvent) error {
	if audit := l.audit(); audit != nil {
		return audit.Audit(ctx, event)
	}
	return nil
}

// explained is an explanation with what verifiers would be asked.
type explained struct {
	gavel.Decision
	Verification *verifiers.Preview `json:"verification,omitempty"`
}

// preview is what verifiers would be asked about a call: now, or once a person has agreed to it.
func preview(ctx context.Context, pdp *gavel.PDP, d *gavel.Decision) (*verifiers.Preview, error) {
	asks, first := d.Asks, d.Effect == gavel.Ask && len(d.Verify) > 0 && d.Facts != nil
	if first {
		facts, any := *d.Facts, strings.Repeat("0", 64)
		facts.Approval = gavel.ApprovalFacts{Looked: true, Found: true, Bound: any, Binding: any, State: string(gavel.ApprovalResolved), Decision: string(gavel.AllowOnce)}
		asks = pdp.Policy.Current().Decide(ctx, facts, false).Asks
	}
	p, err := verifiers.PreviewOf(asks, d.Facts)
	if p != nil {
		p.AfterPerson = first
	}
	return p, err
}

// showPreview writes what verifiers would be asked, for people.
func (a *app) showPreview(p *verifiers.Preview) {
	if p == nil {
		return
	}
	a.printf("%s\n", a.paint(bold, "verifiers"))
	when := ""
	if p.AfterPerson {
		when = ", once a person has agreed"
	}
	a.printf("  would be asked  %s%s\n", clean(strings.Join(p.Verifiers, ", ")), when)
	a.printf("  selected by     %s\n", clean(p.Scope))
	redacted := "nothing"
	if len(p.Redacted) > 0 {
		redacted = strings.Join(p.Redacted, ", ")
	}
	a.printf("  redacted        %s\n", clean(redacted))
	a.printf("  digest          %s\n", p.Digest)
}
