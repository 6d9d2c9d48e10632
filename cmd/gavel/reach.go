package main

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"

	"gavel"
	"gavel/approvals/forward"
	"gavel/bundles/config"
	"gavel/identity"
	"gavel/lint"
	"gavel/server"
	"gavel/server/approvalapi"
)

// readReach reads from a state directory who can answer and who can be notified.
func (a *app) readReach(state string) (lint.Reach, error) {
	r := lint.Reach{State: state, Shared: []string{approvalapi.LineCredential},
		Notified: func(target gavel.Target) error { return forward.Configured(filepath.Join(state, "webhooks"), target) }}
	people, shared, err := server.Approvers(state)
	if err != nil {
		return r, fmt.Errorf("read the tokens: %w", err)
	}
	if r.People = people; shared {
		r.Shared = append(r.Shared, string(gavel.ScopeApprove))
	}
	list, err := identity.Open(state, a.now, slog.New(slog.DiscardHandler), nil).List()
	if err != nil {
		return r, fmt.Errorf("read the credentials: %w", err)
	}
	for i := range list {
		if c := &list[i]; c.Scope == gavel.ScopeApprove && !c.Expired(a.now()) {
			r.People = append(r.People, c.Person)
		}
	}
	slices.Sort(r.People)
	r.People = slices.Compact(r.People)
	return r, nil
}

// warnUnreachable logs the warnings about people and targets that cannot be reached, and about users
// who can change the policy.
func (s *service) warnUnreachable(a *app, flags serveFlags) {
	policy, ok := s.store.Current().(interface{ Document() *config.Document })
	if !ok {
		return
	}
	for _, p := range lint.Exposed(a.policy) {
		s.logger.Warn(p.Message, "path", p.File, "fix", p.Fix)
	}
	found, err := a.readReach(flags.state)
	if err != nil {
		s.logger.Warn("who can answer questions is unknown", "error", err)
		return
	}
	found.Serving = true
	found.Provider = s.who.oidc != nil
	found.Mails = found.Provider && flags.identity.oidc.NameClaim == "email"
	if flags.socketPerson != "" {
		found.People = append(found.People, flags.socketPerson)
	}
	for _, p := range found.Warnings(policy.Document()) {
		s.logger.Warn(p.Message, "setting", p.Path, "fix", p.Fix)
	}
}
