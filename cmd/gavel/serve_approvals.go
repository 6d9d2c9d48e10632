package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/approvals/forward"
	"gavel/internal/private"
	"gavel/internal/rescue"
	"gavel/internal/telegram"
	"gavel/server"
	"gavel/server/approvalapi"
)

// goOnAfter is how long a part that panicked waits before it is started again.
const goOnAfter = time.Second

// approvalState holds the questions and answers of a server.
type approvalState struct {
	store   *approvals.OnDisk
	file    *allowlist.File
	manager *approvals.Manager
	keys    *approvals.Keys
	api     *approvalapi.API
	nodes   approvalapi.NodeFiles
	forward *forward.Forwarder
	bots    *telegram.Pool
	lines   net.Listener  // nil when it is off
	closing chan struct{} // closed when the server stops
}

// open opens the files in the state directory.
func (s *approvalState) open(ctx context.Context, of *service, flags serveFlags, now func() time.Time) error {
	var err error
	if s.store, err = approvals.OpenOnDisk(filepath.Join(flags.state, "approvals.db")); err != nil {
		return fixOf(err)
	}
	for _, dir := range []string{flags.state, filepath.Join(flags.state, "tokens"), filepath.Join(flags.state, "keys"), filepath.Dir(flags.approvals)} {
		if err := private.Tidy(dir); err != nil { // no other process writes here, because this one has locked the database
			return fmt.Errorf("remove the leftovers of a killed process: %w", err)
		}
	}
	path, err := filepath.Abs(flags.approvals)
	if err != nil {
		return fmt.Errorf("find the approvals file: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(flags.state, "keys"), 0o700); err != nil {
		return fmt.Errorf("create the directory of keys: %w", err)
	}
	key, err := allowlist.OpenKey(filepath.Join(flags.state, "keys", "allowlist.key"))
	if err != nil {
		return err
	}
	if s.file, err = allowlist.Open(allowlist.Config{Path: path, Socket: filepath.Join(flags.state, "exec-approvals.sock"),
		Now: now, NewID: uuid.NewString, Token: newToken, Key: key, Changed: of.ledgers.onList, Logger: of.logger}); err != nil {
		return fixOf(err)
	}
	if s.keys, err = approvals.OpenKeys(filepath.Join(flags.state, "keys"), uuid.NewString); err != nil {
		return err
	}
	s.nodes = approvalapi.NodeFiles{Dir: filepath.Join(flags.state, "nodes"),
		Client: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
	s.manager, err = approvals.Open(ctx, approvals.Config{Store: s.store, Now: now, NewID: uuid.NewString, Allowlist: s.file, Grants: s.keys,
		Editor: approvalapi.Lists{File: s.file, Nodes: s.nodes}, Standing: standing(of.store), Audit: of.audit(), Budget: approvals.Usual(),
		CredentialValid: of.holds, Pauses: of,
		Reachable: func(target gavel.Target) bool { return s.forward.Reachable(target) },
		Revision:  func() string { return of.store.Status().Revision }, Logger: of.logger})
	if err != nil {
		return fixOf(err)
	}
	s.forward, err = forward.New(forward.Config{People: s.manager, Dir: filepath.Join(flags.state, "webhooks"), Now: now, Bots: s.bots.Get, Logger: of.logger})
	return err
}

// holds reports whether an asker may still ask. Until Gavel has started it reports true, because
// the credentials are not loaded yet.
func (s *service) holds(credential, issue string) bool {
	switch {
	case !s.complete.Load():
		return true
	case credential == approvalapi.LineCredential:
		return issue == gavel.IssueOf(s.state.file.Token())
	}
	return s.who.holds(credential, issue)
}

// Observe implements gavel.Pauses. Until Gavel has started no agent is paused, because the pauses
// are not loaded yet.
func (s *service) Observe(agent *gavel.AgentFacts) gavel.PauseFacts {
	if !s.complete.Load() {
		return gavel.PauseFacts{}
	}
	return s.who.pauses.Observe(agent)
}

// standing returns the approval terms of the policy in force for an agent. Without a policy
// nobody may approve.
func standing(policy gavel.Policy) func(context.Context, string) (gavel.Terms, bool, error) {
	return func(ctx context.Context, agent string) (gavel.Terms, bool, error) {
		snapshot, ok := policy.Current().(interface {
			ApprovalTerms(ctx context.Context, agent string) (gavel.Terms, bool, error)
		})
		if !ok {
			return gavel.Terms{}, false, errors.New("no policy is loaded")
		}
		return snapshot.ApprovalTerms(ctx, agent)
	}
}

// audit records events that are not decisions; nil without a decision log.
func (s *service) audit() gavel.Audit {
	if log, ok := any(s.log).(gavel.Audit); ok && s.log != nil {
		return log
	}
	return nil
}

// newToken creates the token of the approvals file (APPROVALS-4).
func newToken() string {
	secret := make([]byte, 24)
	rand.Read(secret) //nolint:errcheck // documented never to fail
	return base64.RawURLEncoding.EncodeToString(secret)
}

func (s *approvalState) wire(pdp *gavel.PDP) { pdp.Approvals, pdp.File = s.manager, s.file }

// serveWith creates the API for callers that ask and people who answer.
func (s *approvalState) serveWith(pdp *gavel.PDP, limiter gavel.Limiter, flags serveFlags, logger *slog.Logger) error {
	s.closing = make(chan struct{})
	var err error
	s.api, err = approvalapi.New(approvalapi.Config{People: s.manager, File: s.file, PDP: pdp, Verifier: s.keys.Verifier(pdp.Now), PublicKey: s.keys.Public(),
		Nodes: s.nodes, Limiter: limiter, Lines: server.ConnLimits{}.WithDefaults().Lines, LeastToken: leastToken, SocketPerson: flags.socketPerson,
		Closing: s.closing, Logger: logger})
	return err
}

// measure registers the metrics of questions.
func (s *approvalState) measure(registry prometheus.Registerer) error {
	return registry.Register(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: "gavel_forward_dropped_total",
		Help: "Messages that were not forwarded because too many were waiting."},
		func() float64 { return float64(s.forward.Dropped()) }))
}

// handlers returns the handlers of the approvals API.
func (s *approvalState) handlers() map[string]server.Handler {
	handlers := map[string]server.Handler{}
	for key, handle := range s.api.Handlers() {
		handlers[key] = handle
	}
	return handlers
}

// listen opens the operators' socket.
func (s *approvalState) listen(on *server.Server, flags serveFlags) error {
	if flags.approvalsSocket == "off" {
		return nil
	}
	var err error
	s.lines, err = on.ListenUnix(flags.approvalsSocket)
	return err
}

// follow watches the approvals file for edits, and serves the operators' socket, until ctx
// ends. A part that panics is started again soon. The returned function waits until all parts
// have ended.
func (s *approvalState) follow(ctx context.Context, on *server.Server, logger *slog.Logger) (wait func()) {
	var running sync.WaitGroup
	running.Go(func() {
		<-ctx.Done()
		close(s.closing)
	})
	keep := func(what string, f func()) {
		running.Go(func() { rescue.Keep(ctx, logger, what, goOnAfter, f) })
	}
	keep("follow the approvals file", func() {
		if err := s.file.Run(ctx); err != nil {
			logger.Error("the approvals file is not watched", "error", err)
		}
	})
	keep("forward questions", func() { s.forward.Run(ctx) })
	keep("poll Telegram", func() { s.bots.Run(ctx) })
	if s.lines != nil {
		keep("serve the operators' socket", func() { s.api.Lines(s.lines, on.AllowsPeer) })
	}
	return running.Wait
}

// close closes what open has opened.
func (s *approvalState) close() {
	if s.lines != nil {
		_ = s.lines.Close() // it may be closed already
	}
	if s.manager != nil {
		s.manager.Close()
	}
	if s.store != nil {
		_ = s.store.Close() // every change was synced already
	}
}
