//go:build linux

package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"gavel"
	"gavel/client"
	"gavel/hook"
	"gavel/identity"
	"gavel/runner"
	"gavel/runner/front"
	runservice "gavel/runner/service"
	"gavel/runner/sessions"
	"gavel/runner/spawn"
	"gavel/server"
)

// supervise is the word by which the program is the supervisor of one command.
const supervise = "__supervise"

// superviseOne runs one command for gavel runner, on descriptors 0 to 2, and talks on 3.
func superviseOne() int {
	conn := os.NewFile(3, "runner")
	if err := runner.Supervise(conn, front.Blocked); err != nil {
		_, _ = fmt.Fprintf(os.Stderr, "gavel runner: %v\n", err)
		return exitError
	}
	return exitOK
}

// runnerFlags are the flags of gavel runner.
type runnerFlags struct {
	State, Host, Node, Cwd, Shell string
	socket, serverAt, grantKey    string
	stdio, quiet                  bool
	cleanup, notice               time.Duration
	noticeGiven                   bool
	most                          int
	sharedAgents                  []string
	write                         []string
	seconds, memory               uint64
	fileSize                      uint64
	files, processes              uint64
	requireLimits, limitWrites    bool
	checkOnly, loginP             bool
}

func (a *app) runnerCommand() *cobra.Command {
	var f runnerFlags
	cmd := &cobra.Command{
		Use:   "runner",
		Short: "Run commands for agents, each as gavel run does, with sessions in the background",
		Long: `Run commands for agents: POST /v1/exec and POST /v1/process on a unix socket, with the
parameters of the tools exec and process, and a token of the scope run (docs/runner.md).
Each command is judged first, runs only as it was judged, and ends with this process.

The socket takes JSON lines, too: {"id":1,"token":"…","exec":{"agent":"main","command":"ls"}}.
With --stdio, they come on standard input without a token, and may name every agent.`,
		Example: "  gavel runner --policy policy --state /var/lib/gavel\n  gavel runner --server /run/gavel/gavel.sock --socket /run/gavel/runner.sock\n" +
			"  gavel runner --stdio --write /srv/app --max-processes 256",
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error {
			f.noticeGiven = cmd.Flags().Changed("running-notice")
			return a.runner(cmd.Context(), f)
		},
	}
	a.addPolicyElse(cmd, "none: a running gavel serve decides")
	flags := cmd.Flags()
	flags.StringVar(&f.serverAt, "server", "", "gavel serve that decides: its unix socket, or a URL (default: the one in the state directory)")
	flags.StringVar(&f.grantKey, "grant-key", "", "public key, in PEM, that verifies people's answers (default: keys/grant.pub of the state directory)")
	flags.StringVar(&f.socket, "socket", "", "unix socket (default: DIR/runner.sock)")
	flags.StringVar(&f.State, "state", "", "directory for tokens, socket and the record of runs (default: $XDG_STATE_HOME/gavel)")
	flags.BoolVar(&f.stdio, "stdio", false, "take requests on standard input and answer on standard output")
	flags.StringVar(&f.Host, "host", "gateway", "this machine in the policy: sandbox, gateway or node")
	flags.StringVar(&f.Node, "node", "", "id of this machine, with --host node")
	flags.StringVar(&f.Cwd, "cwd", "", "directory of calls that state none (default: the current one)")
	flags.StringVar(&f.Shell, "shell", "", "shell that runs commands (default: $SHELL if Gavel knows its grammar, or else bash)")
	flags.BoolVar(&f.quiet, "no-exit-events", false, "send no events when commands in the background end, as with tools.exec.notifyOnExit: false")
	flags.DurationVar(&f.cleanup, "cleanup", 0, "how long ended sessions are kept (default: tools.exec.cleanupMs, or 30m)")
	flags.DurationVar(&f.notice, "running-notice", 0, "how long an approved command runs before people are told that it is still running; 0 is never (default: tools.exec.approvalRunningNoticeMs, or 10s)")
	flags.IntVar(&f.most, "most", 0, "how many commands may run at once (default: 64)")
	flags.StringSliceVar(&f.sharedAgents, "shared-run-agents", []string{"main", "coder"}, "agents for which run.token may ask")
	flags.BoolVar(&f.checkOnly, "check-only", false, "also run files that could be replaced between their check and the start")
	flags.BoolVar(&f.loginP, "login-path", false, "use the PATH of the login shell")
	flags.StringSliceVar(&f.write, "write", nil, "the only directories in which commands may write (Landlock)")
	flags.Uint64Var(&f.seconds, "max-seconds", 0, "processor time of each process")
	flags.Uint64Var(&f.memory, "max-memory", 0, "bytes of address space of each process")
	flags.Uint64Var(&f.fileSize, "max-file", 0, "bytes of a file that a command writes")
	flags.Uint64Var(&f.files, "max-files", 0, "open descriptors of each process")
	flags.Uint64Var(&f.processes, "max-processes", 0, "processes")
	flags.BoolVar(&f.limitWrites, "limit-writes", false, "let commands write only where tools.write permits it, and where --write says")
	flags.BoolVar(&f.requireLimits, "require-limits", false, "do not start if the kernel cannot enforce a limit")
	return cmd
}

func (a *app) runner(ctx context.Context, f runnerFlags) error {
	if f.State == "" {
		if f.State = hook.StateDirectory(a.getenv); f.State == "" {
			return fix(errors.New("there is no state directory"), "name one with --state, or set HOME")
		}
	}
	if err := os.MkdirAll(f.State, 0o700); err != nil {
		return fmt.Errorf("make the state directory: %w", err)
	}
	if err := spawn.Shield(); err != nil {
		return err
	}
	logger := a.logger()
	lines := runservice.NewLines(a.stdout)
	var socket atomic.Pointer[runservice.Socket]
	events := func(e sessions.Event) {
		logger.Info("session", "event", e.Kind, "agent", e.Agent, "session", e.Session, "message", e.Message)
		if callers := socket.Load(); callers != nil {
			callers.Event(e)
		}
	}
	if f.stdio {
		events = lines.Event
	}
	serving, err := a.runnerService(ctx, f, events)
	if err != nil {
		return err
	}
	defer serving.Store.Close()
	if f.stdio {
		return lines.Serve(ctx, serving, a.stdin)
	}
	return a.serveRunner(ctx, f, serving, &socket, logger)
}

// runnerService creates the service from the flags.
func (a *app) runnerService(ctx context.Context, f runnerFlags, events func(sessions.Event)) (*runservice.Service, error) {
	base := runner.BaseOf(a.getenv)
	var err error
	if f.loginP {
		if base.Path, err = front.LoginPath(ctx, base); err != nil {
			return nil, err
		}
	}
	if f.Shell == "" {
		f.Shell = front.DefaultShell(a.getenv)
	}
	cwd := f.Cwd
	if here, wrong := a.getwd(); wrong == nil && !filepath.IsAbs(cwd) {
		cwd = filepath.Join(here, cwd)
	}
	order := runner.Order{Host: f.Host, Node: f.Node, CheckOnly: f.checkOnly, Base: base, Limits: spawn.Limits{Seconds: f.seconds, Memory: f.memory,
		FileSize: f.fileSize, Files: f.files, Processes: f.processes, Required: f.requireLimits}, LimitWrites: f.limitWrites}
	for _, dir := range f.write {
		path, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		order.Limits.Write = append(order.Limits.Write, path)
	}
	authority, keys, err := a.runnerAuthority(ctx, f)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		order.Keys = append(order.Keys, key)
	}
	order.Used = front.UsedGrantsFile(f.State)
	audit, err := front.OpenAudit(filepath.Join(f.State, "runs.jsonl"))
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	store, err := sessions.New(sessions.Config{Supervisor: []string{self, supervise}, Authority: authority, Order: order, Record: runner.Records{File: audit, Authority: authority, Now: a.now}.Record,
		RunningNotice: f.runningNotice(), Cleanup: f.cleanup, Most: f.most, Quiet: f.quiet, Events: events, Now: a.now})
	return &runservice.Service{Store: store, Base: base, Cwd: cwd, Shell: f.Shell}, err
}

// runningNotice returns the notice time for the session store. The store takes 0 for the policy's
// value and a negative time for never.
func (f runnerFlags) runningNotice() time.Duration {
	if f.noticeGiven && f.notice == 0 {
		return -1
	}
	return f.notice
}

// runnerAuthority returns what decides: the policy of --policy in this process, or a server with the
// keys of its grants.
func (a *app) runnerAuthority(ctx context.Context, f runnerFlags) (runner.Authority, []ed25519.PublicKey, error) {
	if a.policy == "" {
		config, keys, found, err := front.Server(front.Options{Server: f.serverAt, State: f.State, GrantKey: f.grantKey}, a.getenv)
		if err != nil {
			return nil, nil, err
		}
		if found {
			config.Pins = true
			asked, err := client.New(config)
			return asked, keys, err
		}
	}
	if a.policy == "" {
		return nil, nil, fix(errors.New("nothing decides: gavel serve is not running, and no policy is named"), "start gavel serve, or name a policy with --policy")
	}
	a.protectToo(f.State, f.socket, f.grantKey)
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return nil, nil, err
	}
	return runner.Here{PDP: pdp}, nil, nil
}

// serveRunner answers on the socket until ctx ends.
func (a *app) serveRunner(ctx context.Context, f runnerFlags, serving *runservice.Service, socket *atomic.Pointer[runservice.Socket], logger *slog.Logger) error {
	tokens, err := server.FollowTokenFiles(f.State, gavel.ScopeRun, f.sharedAgents, logger)
	if err != nil {
		return err
	}
	who := identity.Open(f.State, a.now, logger, nil)
	if err := who.Problem(); err != nil {
		return err
	}
	observer, err := a.analyzer()
	if err != nil {
		return err
	}
	nothing := &gavel.PDP{Analyzer: observer, Policy: noPolicy{}, NewID: uuid.NewString, Now: a.now} // it decides nothing itself
	s, err := server.New(server.Config{PDP: nothing, Status: func() gavel.PolicyStatus { return gavel.PolicyStatus{} }, Handlers: serving.Handlers(),
		Only: []string{"GET /health"}, Identities: []gavel.Identities{tokens, who}, Version: thisBuild().Version, Logger: logger, Now: a.now})
	if err != nil {
		return err
	}
	path := f.socket
	if path == "" {
		path = filepath.Join(f.State, "runner.sock")
	}
	ln, err := s.ListenUnix(path)
	if err != nil {
		return err
	}
	both := runservice.NewSocket(ln, runservice.SocketConfig{Service: serving, Allowed: s.AllowsPeer, Speaks: speaksFor(s), Logger: logger})
	defer both.Wait()
	socket.Store(both)
	a.printf("gavel runner listens on %s; the token is %s\n", path, filepath.Join(f.State, "tokens", "run.token"))
	var once sync.WaitGroup
	once.Go(func() { <-ctx.Done(); serving.Store.Close() }) // requests that wait for commands end with them
	defer once.Wait()
	return s.Serve(ctx, []net.Listener{both}...)
}

// speaksFor returns a function that finds the agents for which a token of the scope run may run
// commands; nil for any other token.
func speaksFor(s *server.Server) func(token string) *gavel.CallerFacts {
	return func(token string) *gavel.CallerFacts {
		holder := s.HolderOf(token)
		switch {
		case !holder.May(gavel.RightRun):
			return nil
		case holder.Speaks == nil:
			return &gavel.CallerFacts{} // a credential that speaks for no agent
		}
		return holder.Speaks
	}
}

// noPolicy has no snapshot, so everything is denied.
type noPolicy struct{}

// Current implements gavel.Policy.
func (noPolicy) Current() gavel.Snapshot { return nil }
