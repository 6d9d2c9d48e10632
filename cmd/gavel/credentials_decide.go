package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	"gavel"
	"gavel/bundles"
	"gavel/client"
	"gavel/credentials/daemon"
	"gavel/decisionlog"
)

// decider returns the function that decides calls, and one that releases what it uses.
func (s *credentialService) decider(ctx context.Context) (func(context.Context, gavel.Call) gavel.Decision, func() error, error) {
	if s.flags.server != "" {
		return s.remote()
	}
	pdp, stop, err := s.local(ctx)
	if err != nil {
		return nil, nil, err
	}
	pdp.Timeout = s.flags.timeout
	log, err := s.openLog()
	if err != nil {
		stop()
		return nil, nil, err
	}
	if log != nil {
		pdp.Log = log
	}
	decide := func(ctx context.Context, call gavel.Call) gavel.Decision {
		return pdp.Decide(ctx, call, gavel.Options{RequestedBy: "credentials"})
	}
	return decide, func() error {
		stop()
		if log == nil {
			return nil
		}
		return log.Close(context.WithoutCancel(ctx))
	}, nil
}

// local returns a decision point in this process. It decides by the policy of --policy, or without
// one by what wrappers.yaml permits.
func (s *credentialService) local(ctx context.Context) (*gavel.PDP, func(), error) {
	if s.app.policy == "" {
		pdp, err := s.app.credentialPDP(ctx)
		return pdp, func() {}, err
	}
	return s.byPolicy(ctx)
}

// credentialPDP returns a decision point that allows every call of the tool credential, for use
// without a policy: wrappers.yaml alone then says what is permitted.
func (a *app) credentialPDP(ctx context.Context) (*gavel.PDP, error) {
	return a.pdp(func(observe) (gavel.Policy, error) {
		source := a.source("", nil)
		source.Default = []byte("tools: {alsoAllow: [" + daemon.ToolName + "]}\nsandboxing: {mode: \"off\"}\nagents: {defaults: {}}\n")
		snapshot, err := bundles.Load(ctx, source)
		return fixedPolicy{snapshot}, err
	})
}

// byPolicy returns a decision point for the policy of --policy, which is reloaded when it changes, with
// its verifiers. They can be asked until stop is called.
func (s *credentialService) byPolicy(ctx context.Context) (_ *gavel.PDP, stop func(), err error) {
	a := s.app
	pool := a.idleBots()
	hub, err := a.newHub(nil, pool, s.logger)
	if err != nil {
		return nil, nil, err
	}
	source := a.source(a.policy, s.logger)
	pdp, err := a.pdp(func(observe observe) (_ gavel.Policy, err error) {
		source.Verify = inOrder(source.Verify, a.decidesItsCases(a.policy, observe), loads(hub))
		s.policy, err = bundles.Open(ctx, source)
		return s.policy, located(a.policy, err)
	})
	if err != nil {
		return nil, nil, err
	}
	pdp.Verifiers = hub
	polls, cancel := context.WithCancel(ctx)
	var polling sync.WaitGroup
	polling.Go(func() { pool.Run(polls) })
	return pdp, func() { cancel(); polling.Wait() }, nil
}

// reloadPolicy loads the policy as it is now, if it can be used.
func (s *credentialService) reloadPolicy(ctx context.Context) {
	if s.policy != nil {
		_ = s.policy.Reload(ctx) // the log has the error
	}
}

// watchPolicy loads the policy when it changes.
func (s *credentialService) watchPolicy(ctx context.Context) {
	if s.policy == nil {
		return
	}
	if err := s.policy.Watch(ctx); err != nil && ctx.Err() == nil {
		s.logger.Error("the policy is not watched: send SIGHUP after a change", "error", err)
	}
}

// openLog opens the decision log, if there is one.
func (s *credentialService) openLog() (*decisionlog.Log, error) {
	if s.flags.log == "off" {
		return nil, nil
	}
	cfg := decisionlog.Config{Path: s.flags.log, Logger: s.logger, Strict: s.flags.logging.mode == logStrict,
		MaxSizeMB: s.flags.logging.size, MaxBackups: s.flags.logging.backups, MaxAgeDays: s.flags.logging.maxAge}
	if s.flags.log == "-" {
		cfg.Path, cfg.Writer = "", s.app.stdout
	}
	log, err := decisionlog.New(cfg)
	if err != nil {
		return nil, err
	}
	return log, logFix(log.Open(), "name a file with --log, in a directory that this user can write to")
}

// remote returns a function that has a server decide, and waits there for the answers of people.
func (s *credentialService) remote() (func(context.Context, gavel.Call) gavel.Decision, func() error, error) {
	config := client.Config{TokenFile: s.flags.token, Timeout: s.flags.timeout}
	if strings.Contains(s.flags.server, "://") {
		config.URL = s.flags.server
	} else {
		config.Socket = s.flags.server
	}
	asks, err := client.New(config)
	if err != nil {
		return nil, nil, fix(err, "give the path of a socket, or a URL")
	}
	decide := func(ctx context.Context, call gavel.Call) gavel.Decision {
		permit, err := asks.Authorize(ctx, call)
		var refused *client.Refused
		switch {
		case errors.As(err, &refused):
			return refusedByPeople(refused)
		case err != nil:
			s.logger.Error("the server did not decide", "error", err)
			return notAllowed("gavel.unreachable", err)
		}
		return permit.Decision()
	}
	return decide, func() error { return nil }, nil
}

// refusedByPeople returns the decision for a refusal. If people were asked, its reason is their answer
// and their comment.
func refusedByPeople(refused *client.Refused) gavel.Decision {
	decision := refused.Decision
	decision.Effect = gavel.Deny
	switch refused.State {
	case "":
		return decision
	case gavel.ApprovalExpired:
		decision.Reasons = []gavel.Reason{{Layer: "approvals", Code: daemon.CodeNobody, Message: "nobody answered the question in time"}}
		return decision
	}
	message := "a person denied it"
	if refused.Comment != "" {
		message += ": " + refused.Comment
	}
	decision.Reasons = []gavel.Reason{{Layer: "approvals", Code: daemon.CodeDenied, Message: message}}
	return decision
}
