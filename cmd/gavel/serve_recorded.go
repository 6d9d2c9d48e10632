package main

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
	"gavel/approvals/allowlist"
	"gavel/identity"
	"gavel/recorded"
)

// noticed is the detail of events about changes that Gavel did not make itself. They were found
// in a file, and who made them is unknown.
const noticed = "found in the file"

// ledgers keep what the decision log already has about the state files. Changes that were made while
// no server ran, or without the server, are therefore logged too.
type ledgers struct {
	credentials *recorded.Ledger[[]identity.Credential]
	tokens      *recorded.Ledger[map[string]string] // digests of tokens/*.token, by scope
	pauses      *recorded.Ledger[[]gavel.Pause]
	list        *recorded.Ledger[*allowlist.Document]
}

// openLedgers returns nil without a decision log.
func openLedgers(flags serveFlags, audit gavel.Audit, now func() time.Time, logger *slog.Logger) *ledgers {
	if audit == nil {
		return nil
	}
	dir := filepath.Join(flags.state, "recorded")
	return &ledgers{
		credentials: openLedger(dir, "credentials", credentialEvents, audit, now, logger),
		tokens:      openLedger(dir, "tokens", tokenEvents, audit, now, logger),
		pauses:      openLedger(dir, "pauses", pauseEvents(now), audit, now, logger),
		list:        openLedger(dir, "allowlist", listEvents, audit, now, logger),
	}
}

func openLedger[T any](dir, what string, events func(before, after T) []gavel.AuditEvent, audit gavel.Audit, now func() time.Time, logger *slog.Logger) *recorded.Ledger[T] {
	return recorded.Open(recorded.Config[T]{Path: filepath.Join(dir, what+".json"), What: "the record of " + what,
		Events: events, Audit: audit, Now: now, Logger: logger})
}

// run records changes until stop is called, and then the remaining ones.
func (l *ledgers) run(ctx context.Context) (stop func()) {
	if l == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	for _, run := range []func(context.Context){l.credentials.Run, l.tokens.Run, l.pauses.Run, l.list.Run} {
		running.Go(func() { run(ctx) })
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// onCredentials, onTokens, onPauses and onList receive the contents of the files.
func (l *ledgers) onCredentials(list []identity.Credential) {
	if l != nil {
		l.credentials.Found(list)
	}
}

func (l *ledgers) onTokens(digests map[string]string) {
	if l != nil {
		l.tokens.Found(digests)
	}
}

func (l *ledgers) onPauses(paused []gavel.Pause, made bool) {
	if l != nil {
		found(l.pauses, paused, made)
	}
}

func (l *ledgers) onList(document *allowlist.Document, made bool) {
	if l != nil {
		found(l.list, document, made)
	}
}

func found[T any](l *recorded.Ledger[T], holds T, made bool) {
	if made {
		l.Made(holds)
		return
	}
	l.Found(holds)
}

func credentialEvents(before, after []identity.Credential) []gavel.AuditEvent {
	added, removed := identity.Difference(before, after)
	var events []gavel.AuditEvent
	add := func(kind string, list []identity.Credential) {
		for i := range list {
			c := &list[i]
			detail := map[string]any{"name": c.Name, "scope": c.Scope, "person": c.Person, "agents": strings.Join(c.Agents, ", "),
				"sessions": strings.Join(c.Sessions, ", "), "claims": strings.Join(c.Claims, ", "), "created": c.Created.UTC().Format(time.RFC3339)}
			if !c.Expires.IsZero() {
				detail["expires"] = c.Expires.UTC().Format(time.RFC3339)
			}
			events = append(events, gavel.AuditEvent{Kind: kind, Detail: detail})
		}
	}
	add(gavel.AuditTokenRevoked, removed)
	add(gavel.AuditTokenCreated, added)
	return events
}

func tokenEvents(before, after map[string]string) []gavel.AuditEvent {
	var events []gavel.AuditEvent
	add := func(kind string, list, others map[string]string) {
		for _, scope := range slices.Sorted(maps.Keys(list)) {
			if others[scope] != list[scope] {
				name, person, _ := strings.Cut(scope, ":")
				events = append(events, gavel.AuditEvent{Kind: kind, Detail: map[string]any{"file": "tokens/" + strings.Replace(scope, ":", ".", 1) + ".token", "scope": name, "person": person}})
			}
		}
	}
	add(gavel.AuditTokenRevoked, before, after)
	add(gavel.AuditTokenCreated, after, before)
	return events
}

// pauseEvents says who was paused and resumed. A pause that expired is not a resumption.
func pauseEvents(now func() time.Time) func(before, after []gavel.Pause) []gavel.AuditEvent {
	return func(before, after []gavel.Pause) []gavel.AuditEvent {
		var events []gavel.AuditEvent
		same := func(p gavel.Pause) func(gavel.Pause) bool {
			return func(o gavel.Pause) bool {
				return o.Agent == p.Agent && o.Why == p.Why && o.By == p.By && o.Since.Equal(p.Since) && o.Until.Equal(p.Until)
			}
		}
		for _, p := range before {
			over := !p.Until.IsZero() && !now().Before(p.Until)
			if !over && !slices.ContainsFunc(after, func(o gavel.Pause) bool { return o.Agent == p.Agent }) {
				events = append(events, gavel.AuditEvent{Kind: gavel.AuditAgentResumed, Agent: p.Agent, Detail: map[string]any{"noticed": noticed}})
			}
		}
		for _, p := range after {
			if slices.ContainsFunc(before, same(p)) {
				continue
			}
			detail := map[string]any{"why": p.Why, "by": p.By, "noticed": noticed}
			if !p.Until.IsZero() {
				detail["until"] = p.Until.UTC().Format(time.RFC3339)
			}
			events = append(events, gavel.AuditEvent{Kind: gavel.AuditAgentPaused, Agent: p.Agent, Detail: detail})
		}
		return events
	}
}

func listEvents(before, after *allowlist.Document) []gavel.AuditEvent {
	change := allowlist.Compare(before, after)
	if len(change.Agents) == 0 {
		return nil
	}
	return []gavel.AuditEvent{{Kind: gavel.AuditAllowlistEdited, Agent: strings.Join(change.Agents, " "),
		Detail: map[string]any{"before": change.Before, "after": change.After, "change": change.Summary, "noticed": noticed}}}
}
