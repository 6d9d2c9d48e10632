package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/bundles"
	"gavel/credentials/daemon"
	"gavel/credentials/wrappers"
	"gavel/internal/watch"
	"gavel/rego"
	"gavel/runner/front"
)

// credentialsFlags are the flags of gavel credentials serve.
type credentialsFlags struct {
	config, socket, auth string
	uid                  int
	agent, server, token string
	callers              []string
	socketMode, authMode string
	log                  string
	logging              logFlags
	timeout              time.Duration
}

func (a *app) credentialsServeCommand() *cobra.Command {
	var flags credentialsFlags
	cmd := &cobra.Command{
		Use:   "serve --config FILE --socket SOCKET --auth FILE",
		Short: "Serve tools with credentials on a unix socket, and reload the configuration when it changes",
		Long: `Serve tools with credentials on a unix socket. Each request is decided as a call of the tool
credential: by a running gavel serve with --server, and otherwise by the policy of --policy in
this process. Without either, wrappers.yaml alone says what is permitted. Only with --server
can a person be asked; without it, a request that needs a person is refused.

Each start creates a new secret for clients. The configuration and the policy are reloaded when
they change on disk, and on SIGHUP; one that cannot be used changes nothing. The daemon runs on
Linux only.`,
		Example: `  gavel credentials serve --config wrappers.yaml --socket /run/openclaw/secrets.sock --auth /run/openclaw/auth
  gavel credentials serve --config wrappers.yaml --socket /run/openclaw/secrets.sock --auth /run/openclaw/auth \
    --uid 1000 --policy policy --allow-caller /usr/local/bin/claw-wrap
  gavel credentials serve --config wrappers.yaml --socket /run/openclaw/secrets.sock --auth /run/openclaw/auth \
    --server /run/gavel/gavel.sock --token /etc/gavel/credentials.token`,
		Args: none,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.credentialsServe(cmd.Context(), flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "the wrappers.yaml")
	f.StringVar(&flags.socket, "socket", "", "unix socket for clients")
	f.StringVar(&flags.auth, "auth", "", "file for the secret that clients read (default: proxy.hmac_secret_file)")
	f.IntVar(&flags.uid, "uid", os.Getuid(), "the only user who may connect")
	a.addPolicyElse(cmd, "none: wrappers.yaml alone says what is permitted")
	a.addEvaluator(cmd)
	f.StringVar(&flags.server, "server", "", "socket or URL of gavel serve, which decides and can ask people")
	f.StringVar(&flags.token, "token", "", "file with a token of the scope gateway, for --server")
	f.StringVar(&flags.agent, "agent", "main", "id of the agent for which clients ask")
	f.StringArrayVar(&flags.callers, "allow-caller", nil, "an executable that may connect in addition to gavel itself; may be repeated")
	f.StringVar(&flags.socketMode, "socket-mode", "0600", "mode of the socket: 0600 or 0660")
	f.StringVar(&flags.authMode, "auth-mode", "0600", "mode of the secret: 0600 or 0640")
	f.StringVar(&flags.log, "log", "-", "decision log: a file, - for standard output, or off")
	flags.logging.add(cmd)
	f.DurationVar(&flags.timeout, "timeout", 5*time.Second, "time limit of one decision; questions to people have their own")
	return cmd
}

// credentialService is everything that runs in gavel credentials serve.
type credentialService struct {
	app    *app
	flags  credentialsFlags
	daemon *daemon.Daemon
	policy *bundles.Store // nil without --policy
	logger *slog.Logger
}

func (a *app) credentialsServe(ctx context.Context, flags credentialsFlags) (err error) {
	if err := flags.check(a.policy); err != nil {
		return err
	}
	config, err := loadWrappers(flags.config)
	if err != nil {
		return err
	}
	if flags.auth == "" {
		flags.auth = config.Proxy.SecretFile
	}
	if flags.auth == "" {
		return fix(errors.New("there is no file for the secret of clients"), "name one with --auth, such as /run/openclaw/auth")
	}
	s := &credentialService{app: a, flags: flags, logger: a.logger()}
	if err := daemon.Harden(); err != nil {
		return fmt.Errorf("protect this process from others of its user: %w", err)
	}
	decide, stop, err := s.decider(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	listener, err := s.open(config, decide)
	if err != nil {
		return err
	}
	for _, warning := range config.Warnings {
		s.logger.Warn(warning.String(), "fix", warning.Fix)
	}
	defer onHangup(func() { s.reload(); s.reloadPolicy(ctx) })()
	var beside sync.WaitGroup
	watching, cancel := context.WithCancel(ctx)
	defer beside.Wait()
	defer cancel()
	beside.Go(func() { s.watch(watching) })
	beside.Go(func() { s.watchPolicy(watching) })
	beside.Go(func() { s.report(watching) })
	s.logger.Info("serving tools with credentials", "socket", flags.socket, "secret", flags.auth, "uid", flags.uid, "tools", len(config.Tools))
	return s.daemon.Serve(ctx, listener)
}

func (f *credentialsFlags) check(policy string) error {
	for flag, value := range map[string]string{"--config": f.config, "--socket": f.socket} {
		if value == "" {
			return fix(fmt.Errorf("%s is missing", flag), "see gavel credentials serve --help")
		}
	}
	switch {
	case f.uid < 0 || f.uid > math.MaxUint32:
		return fix(fmt.Errorf("--uid %d is not a user", f.uid), "give the number that id -u prints")
	case policy != "" && f.server != "":
		return fix(errors.New("--policy and --server cannot both decide"), "leave one of them out")
	case f.server != "" && f.token == "":
		return fix(errors.New("--server needs --token"), "make one with gavel token create credentials --scope gateway --agent "+f.agent+" --out FILE, and name the file")
	case f.timeout <= 0:
		return fix(fmt.Errorf("--timeout %s is not a time limit", f.timeout), "give a positive duration, such as 1s")
	}
	return f.logging.check(f.log)
}

// open makes the daemon and its socket.
func (s *credentialService) open(config *wrappers.Config, decide func(context.Context, gavel.Call) gavel.Decision) (*net.UnixListener, error) {
	socketMode, err := fileMode("--socket-mode", s.flags.socketMode, 0o600, 0o660)
	if err != nil {
		return nil, err
	}
	authMode, err := fileMode("--auth-mode", s.flags.authMode, 0o600, 0o640)
	if err != nil {
		return nil, err
	}
	environment, err := credentialEnvironment()
	if err != nil {
		return nil, err
	}
	uid := uint32(s.flags.uid)
	listener, err := daemon.Listen(s.flags.socket, uid, socketMode)
	if err != nil {
		return nil, err
	}
	s.daemon, err = daemon.New(daemon.Config{Wrappers: config, Secret: s.flags.auth, SecretMode: authMode, UID: uid, Callers: s.flags.callers,
		Agent: s.flags.agent, Decide: decide, Environment: environment, Version: thisBuild().Version, Getenv: s.app.getenv, Stdout: s.app.stdout,
		Logger: s.logger, Now: s.app.now})
	if err == nil {
		err = daemon.Own(s.flags.auth, uid)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// credentialEnvironment reads the table of variables that requests may not set.
func credentialEnvironment() (daemon.Environment, error) {
	var table struct {
		Environment daemon.Environment `yaml:"environment"`
	}
	text, err := rego.Policy.ReadFile("gavel/catalog/credentials/data.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &table)
	}
	if err != nil {
		return daemon.Environment{}, fmt.Errorf("read the shipped policy: %w", err)
	}
	blocked, err := front.Blocked()
	if err != nil {
		return daemon.Environment{}, fmt.Errorf("read the shipped policy: %w", err)
	}
	table.Environment.Blocked = blocked.HasExactly
	return table.Environment, nil
}

// reload loads the configuration as it is now. If it cannot be used, the last one stays in force.
func (s *credentialService) reload() {
	config, err := loadWrappers(s.flags.config)
	if err == nil {
		err = s.daemon.Reload(config)
	}
	if err != nil {
		s.logger.Error("the configuration was not reloaded, and the last one stays in force", "error", err)
		return
	}
	s.logger.Info("the configuration was reloaded", "tools", len(config.Tools))
}

// watch reloads when the file changes.
func (s *credentialService) watch(ctx context.Context) {
	path, err := filepath.Abs(s.flags.config)
	if err == nil {
		err = watch.Watch(ctx, watch.Config{Path: path, Debounce: 500 * time.Millisecond, Logger: s.logger}, s.reload)
	}
	if err != nil {
		s.logger.Error("the configuration is not watched: send SIGHUP after a change", "error", err)
	}
}

// report logs now and then how many requests were refused.
func (s *credentialService) report(ctx context.Context) {
	ticker := time.NewTicker(5 * time.Minute)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.logger.Info("counts", "requests", s.daemon.Counts())
		}
	}
}
