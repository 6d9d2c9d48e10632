package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/decisionlog"
	"gavel/hosts/all"
	"gavel/internal/rescue"
	"gavel/server"
	"gavel/verifiers"
)

// serveFlags say where the server listens and what it stores.
type serveFlags struct {
	listen, socket, state, log string
	logging                    logFlags
	approvals                  string // exec-approvals.json
	approvalsSocket            string
	timeout                    time.Duration
	allowRemote                bool
	sharedApprove              bool   // there is an approve token that several people share
	socketPerson               string // the person who uses the operators' socket
	identity                   identityFlags
}

func (a *app) serveCommand() *cobra.Command {
	var flags serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve decisions over HTTP and a unix socket, and reload the policy when it changes",
		Long: `Serve decisions over HTTP, on a loopback address and on a unix socket.

The first run creates a token for each scope, DIR/tokens/<scope>.token. A policy
that changes on disk is loaded in the background and replaces the old one as a whole.
One that cannot be used changes nothing, and /v1/status says why. SIGHUP reloads it at
once. On SIGINT and SIGTERM the server finishes requests in progress, writes the decision
log, and exits with 0.`,
		Example: `  gavel serve --policy policy
  gavel serve --policy policy --listen 127.0.0.1:0 --state /var/lib/gavel
  gavel serve --policy policy --exec-security allowlist --deny-tool browser
  gavel serve --listen off --log -`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serve(cmd.Context(), flags) },
	}
	a.addPolicy(cmd)
	a.addEvaluator(cmd)
	a.addOverrides(cmd)
	cmd.Flags().StringVar(&flags.listen, "listen", defaultListen, "TCP address, or off; port 0 picks a free port")
	cmd.Flags().StringVar(&flags.socket, "socket", "", "unix socket, or off (default: DIR/gavel.sock)")
	cmd.Flags().StringVar(&flags.state, "state", "", "directory for tokens, socket and log (default: $XDG_STATE_HOME/gavel)")
	cmd.Flags().StringVar(&flags.log, "log", "", "decision log: a file, - for standard output, or off (default: DIR/decisions.jsonl)")
	flags.logging.add(cmd)
	cmd.Flags().StringVar(&flags.approvals, "approvals", "", "file with the allowlist entries that answers add (default: DIR/exec-approvals.json)")
	cmd.Flags().StringVar(&flags.approvalsSocket, "approvals-socket", "", "unix socket for operators, or off (default: DIR/exec-approvals.sock)")
	cmd.Flags().StringVar(&flags.socketPerson, "socket-person", "", "name of the person who uses the operators' socket, as in approvers (default: none)")
	cmd.Flags().BoolVar(&flags.sharedApprove, "shared-approve", true, "keep tokens/approve.token, which several people may share; false removes it")
	cmd.Flags().DurationVar(&flags.timeout, "timeout", time.Second, "time limit of one decision; people and verifiers have their own limits")
	cmd.Flags().BoolVar(&flags.allowRemote, "allow-remote", false, "permit --listen beyond loopback without TLS; tokens then cross the network unencrypted")
	flags.identity.add(cmd)
	return cmd
}

// service is everything that runs in gavel serve.
type service struct {
	store     *bundles.Store
	state     approvalState
	log       *decisionlog.Log // nil without one
	server    *server.Server
	verifiers *verifiers.Hub
	who       identities
	ledgers   *ledgers    // nil without a decision log
	complete  atomic.Bool // every part is ready
	listeners []net.Listener
	logger    *slog.Logger
}

func (a *app) serve(ctx context.Context, flags serveFlags) error {
	if flags.timeout <= 0 {
		return fix(fmt.Errorf("--timeout %s is not a time limit", flags.timeout), "give a positive duration, such as 1s")
	}
	if flags.socketPerson != "" && !server.ValidName(flags.socketPerson) {
		return fix(fmt.Errorf("--socket-person %q is not the name of a person", flags.socketPerson), "use a name as in tokens/approve.<name>.token")
	}
	if err := a.stateDirectory(&flags); err != nil {
		return err
	}
	a.protect(flags, nil)
	s := &service{logger: a.logger()}
	defer onHangup(func() { s.hangup(ctx) })()
	defer s.closeListeners()
	defer s.state.close()
	memory := a.collector()
	defer memory.end()
	if err := s.assemble(ctx, a, flags, memory); err != nil {
		return errors.Join(err, s.closeLog())
	}
	if err := s.bind(flags); err != nil {
		return errors.Join(err, s.closeLog())
	}
	a.protect(flags, s.listeners)
	s.complete.Store(true)
	a.announce(s, flags)
	s.warnUnreachable(a, flags)
	var calming sync.WaitGroup // runs beside the first requests
	calming.Go(memory.calm)
	defer calming.Wait()
	return errors.Join(s.run(ctx), s.closeLog())
}

// logger writes text for people on a terminal, and JSON otherwise.
func (a *app) logger() *slog.Logger {
	if a.output == outputText || a.output == "" && a.terminal.stderr {
		return slog.New(slog.NewTextHandler(a.stderr, nil))
	}
	return slog.New(slog.NewJSONHandler(a.stderr, nil))
}

// assemble creates the parts and connects them. Nothing listens yet.
func (s *service) assemble(ctx context.Context, a *app, flags serveFlags, memory *collector) error {
	source := a.source(a.policy, s.logger)
	source.BeforeReload, source.AfterReload = memory.loading, memory.loaded
	s.state.bots = bots(flags.state, a.now, later{s.audit}, s.logger)
	hub, err := a.newHub(later{s.audit}, s.state.bots, s.logger)
	if err != nil {
		return err
	}
	s.verifiers = hub
	pdp, err := a.pdp(func(observe observe) (_ gavel.Policy, err error) {
		source.Verify = inOrder(source.Verify, a.decidesItsCases(a.policy, observe), loads(hub))
		s.store, err = bundles.Open(ctx, source)
		return s.store, located(a.policy, err)
	})
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	if err := s.openLog(a.stdout, flags, registry); err != nil {
		return err
	}
	s.ledgers = openLedgers(flags, s.audit(), a.now, s.logger)
	pdp.Timeout, pdp.Verifiers = flags.timeout, hub
	if err := hub.Register(registry); err != nil {
		return err
	}
	if s.log != nil {
		pdp.Log, pdp.Audit = s.log, s.log
	}
	limiter := server.NewLimiter(server.LimiterConfig{})
	pdp.OnTimeSpent = limiter.Spent
	pdp.OnOverdue = func(stuck int) {
		s.logger.Error("an evaluation exceeded its time limit and is still running", "running", stuck)
	}
	pdp.OnPanic = func(v any) {
		s.logger.Error("panic while deciding", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
	}
	if err := s.state.open(ctx, s, flags, a.now); err != nil {
		return err
	}
	s.state.wire(pdp)
	if err := s.state.serveWith(pdp, limiter, flags, s.logger); err != nil {
		return err
	}
	if err := s.state.measure(registry); err != nil {
		return err
	}
	return s.newServer(pdp, limiter, flags, registry, a.now)
}

func (s *service) newServer(pdp *gavel.PDP, limiter *server.Limiter, flags serveFlags, registry *prometheus.Registry, now func() time.Time) error {
	audit := s.audit()
	if err := s.who.open(flags, now, s.logger, s.ledgers); err != nil {
		return err
	}
	pdp.Pauses, pdp.Sessions = s.who.pauses, s.who.sessions
	var secure *tls.Config
	var authorities func() *x509.CertPool
	if s.who.tls != nil {
		secure, authorities = s.who.tls.Config(), s.who.tls.ClientCAs
	}
	var err error
	s.server, err = server.New(server.Config{PDP: pdp, Limiter: limiter, Status: s.store.Status, Handlers: s.state.handlers(), Directives: s.directiveServices(), Hooks: hooks{all.Hosts()},
		Identities: s.who.sources(), SharedDecideAgents: s.who.shared, Pauses: s.who.pauses, Verifiers: s.verifiers.Status, Audit: audit, TLS: secure, ClientCAs: authorities,
		AllowRemote: flags.allowRemote, Version: thisBuild().Version, Logger: s.logger, Registry: registry, Now: now})
	return err
}

// bind opens the listeners.
func (s *service) bind(flags serveFlags) error {
	if flags.listen != "off" {
		ln, err := s.server.ListenTCP(flags.listen)
		if err != nil {
			return unusable(err)
		}
		s.listeners = append(s.listeners, ln)
	}
	if flags.socket != "off" {
		ln, err := s.server.ListenUnix(flags.socket)
		if err != nil {
			return err
		}
		s.listeners = append(s.listeners, ln)
	}
	if err := s.state.listen(s.server, flags); err != nil {
		return err
	}
	if len(s.listeners) == 0 {
		return fix(errors.New("both --listen and --socket are off"), "leave one of them on")
	}
	return nil
}

// run serves until ctx ends, and then lets running requests finish. It also ends when a policy
// can no longer be watched, because a change would go unnoticed.
func (s *service) run(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	go func() {
		err := rescue.Call(func() error { return s.store.Watch(ctx) })
		if stack := rescue.Stack(err); stack != "" {
			s.logger.Error("watching the policy panicked", "error", err, "stack", stack)
		}
		if ctx.Err() != nil {
			err = nil
		}
		watched <- err
		stop()
	}()
	defer s.ledgers.run(ctx)() // after the others: it records what they did
	known := s.who.follow(ctx, s.logger)
	defer known()
	following := s.state.follow(ctx, s.server, s.logger)
	defer following()
	listeners := s.listeners
	s.listeners = nil // the server owns them now
	err := s.server.Serve(ctx, listeners...)
	stop()
	if watchErr := <-watched; watchErr != nil {
		err = errors.Join(err, fmt.Errorf("watch the policy: %w", watchErr))
	}
	return err
}

func (s *service) closeListeners() {
	for _, ln := range s.listeners {
		_ = ln.Close() // nothing was served
	}
}

// unusable advises what to do about an address that this process cannot listen on.
func unusable(err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fix(err, "another process listens there, perhaps a gavel serve: stop it, or choose an address with --listen")
	case errors.Is(err, server.ErrNotLoopback):
		return fix(err, "listen on 127.0.0.1, name a certificate with --tls-cert and --tls-key, or, behind a proxy that terminates TLS, use --allow-remote")
	case errors.Is(err, syscall.EADDRNOTAVAIL):
		return fix(err, "this machine does not have that address: choose one of its own with --listen, such as 127.0.0.1:8181")
	case errors.Is(err, syscall.EACCES):
		return fix(err, "this user may not use that port: choose one above 1023 with --listen")
	}
	return err
}
