// Package daemon runs tools with credentials for clients that never see the credentials. A client
// connects to a unix socket and proves with the shared secret that it may ask. Who it is, the kernel
// says: its user, and the file that its process executes. Whether it may run the tool with these
// arguments, the policy says. The daemon judges nothing itself: it observes, asks, and obeys.
//
// A credential is in the memory of the daemon, in the environment of the tool or in a file for
// it, and nowhere else: not in the client's environment, in command lines, logs, errors and answers,
// and not in the tool's output as it is sent to the client.
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/credentials/source"
	"gavel/credentials/wire"
	"gavel/credentials/wrappers"
	"gavel/internal/inherit"
	"gavel/internal/private"
	"gavel/internal/rescue"
)

// Config says what a daemon serves. Wrappers, Secret, UID, Decide and Environment are required.
type Config struct {
	Wrappers *wrappers.Config
	// Secret is the file that clients read.
	Secret     string
	SecretMode fs.FileMode // 0600 if zero
	// UID is the only user who may connect.
	UID uint32
	// Callers are executables that may connect beside this process's own, by absolute path.
	Callers []string
	// Agent is the agent for whom clients ask.
	Agent string
	// Decide asks the policy. Anything but an allow refuses. It may wait for a person.
	Decide func(ctx context.Context, call gavel.Call) gavel.Decision
	// Environment says which variables a request may not set.
	Environment Environment
	// Temp is where directories for configuration files and spools are made; "" is the one of the
	// system.
	Temp    string
	Version string
	Getenv  func(string) string // of this process; nil is os.Getenv
	Stdout  io.Writer           // of audit.stdout; nil discards
	Logger  *slog.Logger        // nil discards
	Now     func() time.Time    // nil is time.Now
}

// Daemon serves clients. It is safe for concurrent use.
type Daemon struct {
	cfg     Config
	secret  []byte
	state   atomic.Pointer[state]
	reading sync.Mutex // reloads, one at a time
	replay  *replay
	callers *callers
	temp    *tempDir
	audit   *audit
	counts  counts
	greeted chan struct{} // slots for clients that have not shown anything yet
	slots   *slots        // for those that run something
	running sync.WaitGroup
}

// state is what a configuration comes to; requests use the one they began with.
type state struct {
	config *wrappers.Config
	vault  *vault
}

// counts are what the log says of refused clients.
type counts struct {
	Busy, ReadTimeout, Oversized, CallerVerifyFail, AuthFail, ReplayReject, Denied, Ran atomic.Int64
}

// New returns a daemon, and writes a fresh secret for clients. Requests signed with an earlier
// secret are void from then on.
func New(cfg Config) (*Daemon, error) {
	if cfg.Wrappers == nil || cfg.Decide == nil || cfg.Secret == "" || cfg.Environment.zero() {
		return nil, errors.New("credentials: the configuration is not complete: give Wrappers, Secret, Decide and Environment")
	}
	if cfg.SecretMode == 0 {
		cfg.SecretMode = 0o600
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	if cfg.Stdout == nil {
		cfg.Stdout = io.Discard
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	d := &Daemon{cfg: cfg, secret: wire.NewSecret()}
	var err error
	if d.callers, err = newCallers(cfg.Callers); err != nil {
		return nil, err
	}
	if d.audit, err = openAudit(cfg.Wrappers.Audit, cfg.Stdout); err != nil {
		return nil, err
	}
	if d.temp, err = newTempDir(cfg.Temp); err != nil {
		return nil, errors.Join(err, d.audit.close())
	}
	p := &cfg.Wrappers.Proxy
	d.replay = newReplay(p.ReplayTTL, p.ReplayEntries)
	d.slots = newSlots(p.MaxConnections)
	d.greeted = make(chan struct{}, 1024)
	d.adopt(cfg.Wrappers)
	if err := wire.WriteSecret(cfg.Secret, d.secret, cfg.SecretMode); err != nil {
		return nil, errors.Join(err, d.temp.remove(), d.audit.close())
	}
	return d, nil
}

func (d *Daemon) adopt(config *wrappers.Config) {
	reader := source.NewReader(config.Proxy.Sources, d.cfg.Getenv)
	d.state.Store(&state{config: config, vault: newVault(reader, config.Credentials, config.Proxy.CredentialTTL, d.cfg.Now)})
}

// Reload takes over another configuration. What runs keeps the one it began with. What is
// remembered against replays stays.
func (d *Daemon) Reload(config *wrappers.Config) error {
	d.reading.Lock()
	defer d.reading.Unlock()
	if err := d.audit.reopen(config.Audit); err != nil {
		return fmt.Errorf("reload the wrappers: %w", err)
	}
	d.replay.resize(config.Proxy.ReplayTTL, config.Proxy.ReplayEntries)
	d.slots.resize(config.Proxy.MaxConnections)
	d.adopt(config)
	return nil
}

// Serve serves a listener until ctx ends; then it ends everything that runs, and returns.
func (d *Daemon) Serve(ctx context.Context, listener *net.UnixListener) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { _ = listener.Close() })
	defer stop()
	inherit.NoIgnoredSignals() // or no client could interrupt its tool
	defer d.close()
	for {
		conn, err := listener.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if errors.Is(err, net.ErrClosed) {
				return fmt.Errorf("accept clients: %w", err)
			}
			d.cfg.Logger.Error("a client could not be accepted", "error", err) // too many open files, mostly
			select {
			case <-ctx.Done():
			case <-time.After(50 * time.Millisecond):
			}
			continue
		}
		d.greet(ctx, conn)
	}
}

// greet serves one client, if it is of the right user and there is room. Strangers cost a system
// call, and take no place.
func (d *Daemon) greet(ctx context.Context, conn *net.UnixConn) {
	uid, err := peerUID(conn)
	if err != nil || uid != d.cfg.UID {
		d.counts.CallerVerifyFail.Add(1)
		d.cfg.Logger.Warn("a client of another user was refused", "uid", uid, "error", err)
		text := wire.TextForeign
		if err != nil {
			text = wire.TextNoCaller
		}
		dismiss(conn, text)
		return
	}
	select {
	case d.greeted <- struct{}{}:
	default:
		d.counts.Busy.Add(1)
		dismiss(conn, wire.TextBusy)
		return
	}
	d.running.Go(func() {
		defer func() { _ = conn.Close() }()
		client := &client{Daemon: d, conn: conn, lines: wire.NewLines(conn)}
		release := sync.OnceFunc(func() { <-d.greeted })
		defer release()
		client.admitted = release
		if err := rescue.Call(func() error { client.serve(ctx); return nil }); err != nil {
			d.cfg.Logger.Error("serving a client panicked", "error", err, "stack", rescue.Stack(err))
		}
	})
}

// dismiss answers a client without waiting for it, in the form that it may still expect.
func dismiss(conn *net.UnixConn, text string) {
	_ = conn.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)) // a fresh socket has room
	_, _ = conn.Write(wire.ErrorLine(text))
	_ = conn.Close()
}

// close waits for what runs and removes what was made.
func (d *Daemon) close() {
	d.running.Wait()
	if err := errors.Join(d.temp.remove(), d.audit.close()); err != nil {
		d.cfg.Logger.Error("the daemon did not end cleanly", "error", err)
	}
}

// Counts returns how many clients were refused, by reason, and how many tools ran.
func (d *Daemon) Counts() map[string]int64 {
	c := &d.counts
	return map[string]int64{"rate_limited": c.Busy.Load(), "read_timeout": c.ReadTimeout.Load(), "oversized_msg": c.Oversized.Load(),
		"caller_verify_fail": c.CallerVerifyFail.Load(), "auth_fail": c.AuthFail.Load(), "replay_reject": c.ReplayReject.Load(),
		"args_denied": c.Denied.Load(), "ran": c.Ran.Load()}
}

// slots limits how many tools run at once.
type slots struct {
	mu         sync.Mutex
	most, held int
}

func newSlots(most int) *slots { return &slots{most: most} }

func (s *slots) take() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held >= s.most {
		return false
	}
	s.held++
	return true
}

func (s *slots) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held--
}

func (s *slots) resize(most int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = most
}

// Listen listens on a socket for the user of the daemon's clients. A stale socket is replaced.
func Listen(path string, uid uint32, mode fs.FileMode) (*net.UnixListener, error) {
	if mode != 0o600 && mode != 0o660 {
		return nil, fmt.Errorf("listen on %s: the mode is %04o: use 0600, or 0660 for a group", path, mode)
	}
	if err := private.PlaceForSocket(path); err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	// Nothing is accepted before the mode is right, and each client's user is checked anyway.
	if err := errors.Join(os.Chmod(path, mode), owned(path, uid)); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// owned gives the socket to the user who may connect. Without the right to do so, its mode and
// group must do.
func owned(path string, uid uint32) error {
	if int(uid) == os.Geteuid() || os.Geteuid() != 0 {
		return nil
	}
	return os.Lchown(path, int(uid), -1)
}

// Own gives the file of the secret to the user who may read it, where this process may do that.
func Own(path string, uid uint32) error {
	if err := owned(path, uid); err != nil {
		return fmt.Errorf("give the secret %s to its user: %w", filepath.Base(path), err)
	}
	return nil
}
