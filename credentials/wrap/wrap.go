// Package wrap is the client of the credential daemon: it asks the daemon to run a tool, and stands
// for the tool. What it is given on standard input goes to the tool, what the tool writes is
// written, signals are passed on, and its exit status is the tool's. It never has a credential.
package wrap

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"gavel/credentials/wire"
)

// Failed is the exit status when the daemon did not run the tool.
const Failed = 1

// Config says what to run, and with what.
type Config struct {
	Tool   string
	Args   []string
	Cwd    string // absolute
	Place  Place
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Terminal is nil, or the terminal that standard input and output are.
	Terminal Terminal
	Getenv   func(string) string
	// Signals are the names of signals to pass on: SIGINT, SIGTERM, SIGHUP.
	Signals <-chan string
	Now     func() time.Time
}

// Terminal is the terminal of a person.
type Terminal interface {
	Size() (wire.WindowSize, error)
	// Resized tells of another size.
	Resized() <-chan struct{}
	// Raw passes each key on; restore undoes it.
	Raw() (restore func(), err error)
}

// Place is where a daemon serves.
type Place struct{ Socket, Secret string }

// FindPlace returns the place of the daemon: in $CLAW_WRAP_RUNTIME_DIR, or the usual one.
func FindPlace(getenv func(string) string) (Place, error) {
	dir := getenv("CLAW_WRAP_RUNTIME_DIR")
	switch {
	case dir != "" && !filepath.IsAbs(dir):
		return Place{}, fmt.Errorf("CLAW_WRAP_RUNTIME_DIR is %q: want an absolute path", dir)
	case dir == "" && runtime.GOOS == "linux":
		dir = "/run/openclaw"
	case dir == "":
		dir = filepath.Join(os.TempDir(), "openclaw")
	}
	return Place{filepath.Join(dir, "secrets.sock"), filepath.Join(dir, "auth")}, nil
}

// busyFor is how long a daemon is asked again that has no room, or looks at requests too late.
const busyFor = 30 * time.Second

var (
	errBusy = errors.New(wire.TextBusy)
	errLate = fmt.Errorf("the credential daemon did not look at the request within %s: this machine is too busy", wire.Fresh)
)

// Run runs a tool, and returns its exit status. An error says why it did not run, or not to its
// end.
func Run(ctx context.Context, cfg Config) (status int, err error) {
	secret, err := wire.ReadSecret(cfg.Place.Secret)
	if err != nil {
		return Failed, err
	}
	pause, until := 10*time.Millisecond, cfg.Now().Add(busyFor)
	for {
		status, err := run(ctx, &cfg, secret)
		if !errors.Is(err, errBusy) && !errors.Is(err, errLate) || cfg.Now().After(until) {
			return status, err
		}
		select {
		case <-ctx.Done():
			return Failed, ctx.Err()
		case <-time.After(pause):
		}
		pause = min(2*pause, time.Second)
	}
}

// connect connects to the daemon, and checks whose it is.
func connect(ctx context.Context, place Place) (*net.UnixConn, error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", place.Socket)
	if err != nil {
		return nil, fmt.Errorf("connect to the credential daemon: %w", err)
	}
	unix, ok := conn.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("connect to the credential daemon: it is not a unix socket"), conn.Close())
	}
	if err := genuine(unix, place); err != nil {
		return nil, errors.Join(fmt.Errorf("%s may not be the credential daemon: %w", place.Socket, err), conn.Close())
	}
	return unix, nil
}

func run(ctx context.Context, cfg *Config, secret []byte) (int, error) {
	request, line, err := newRequest(cfg, secret)
	if err != nil {
		return Failed, err
	}
	conn, err := connect(ctx, cfg.Place)
	if err != nil {
		return Failed, err
	}
	defer conn.Close()                                          //nolint:errcheck // everything was read
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // reading ends
	defer stop()
	if _, err := conn.Write(line); err != nil {
		return Failed, fmt.Errorf("ask the credential daemon: %w", err)
	}
	in := bufio.NewReaderSize(conn, 2*wire.ChunkSize)
	frames := &frames{in: in, frames: wire.NewFrames(in), request: request, secret: secret}
	first, err := frames.next() // the proof, or a refusal
	if err != nil {
		return Failed, err
	}
	if first.Type == wire.TypeError && first.Message == wire.TextNotAllowed && cfg.Now().Unix()-request.Made() > int64(wire.Fresh/time.Second) {
		return Failed, errLate // nothing ran; a request that is signed again is fresh
	}
	restore := func() {}
	if request.UsePTY {
		if restore, err = cfg.Terminal.Raw(); err != nil {
			return Failed, fmt.Errorf("prepare the terminal: %w", err)
		}
	}
	defer restore()
	up := &upstream{conn: conn}
	ended := make(chan struct{})
	defer close(ended)
	go up.stdin(cfg.Stdin)
	go up.events(cfg, ended)
	return show(cfg, frames, first)
}

// newRequest returns a signed request as it is sent.
func newRequest(cfg *Config, secret []byte) (*wire.Request, []byte, error) {
	args := append([]string{}, cfg.Args...)
	r := &wire.Request{Version: wire.Version, Tool: cfg.Tool, Args: &args, Cwd: cfg.Cwd, Nonce: wire.NewNonce(),
		Timestamp: strconv.FormatInt(cfg.Now().Unix(), 10), Proof: true}
	if cfg.Terminal != nil {
		size, err := cfg.Terminal.Size()
		if err != nil {
			return nil, nil, fmt.Errorf("read the size of the terminal: %w", err)
		}
		r.UsePTY, r.WindowSize = true, &size
	}
	for _, name := range []string{"TERM", "COLORTERM", "NO_COLOR"} {
		if value := cfg.Getenv(name); value != "" {
			if r.Env == nil {
				r.Env = map[string]string{}
			}
			r.Env[name] = value
		}
	}
	r.Sign(secret, wire.SevenFields)
	line, err := wire.EncodeLine(r)
	if err == nil && len(line) > wire.MaxRequest-1 {
		err = fmt.Errorf("the arguments are too long: %d bytes, at most %d: pass long texts on standard input", len(line), wire.MaxRequest-1)
	}
	if err != nil {
		return nil, nil, err
	}
	if _, err := wire.ParseRequest(line); err != nil { // the daemon's message would say less
		var refused *wire.RefusedError
		if errors.As(err, &refused) {
			err = refused.Why
		}
		return nil, nil, fmt.Errorf("this cannot be asked for: %w", err)
	}
	return r, line, nil
}

// Admin asks a daemon for what an administrator may see, and returns its answer.
func Admin(ctx context.Context, place Place, command string, now time.Time) ([]byte, error) {
	secret, err := wire.ReadSecret(place.Secret)
	if err != nil {
		return nil, err
	}
	r := &wire.Request{Version: wire.Version, Admin: command, Nonce: wire.NewNonce(), Timestamp: strconv.FormatInt(now.Unix(), 10)}
	r.Sign(secret, wire.SevenFields)
	line, err := wire.EncodeLine(r)
	if err != nil {
		return nil, err
	}
	conn, err := connect(ctx, place)
	if err != nil {
		return nil, err
	}
	defer conn.Close()                                          //nolint:errcheck // everything was read
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // reading ends
	defer stop()
	if _, err := conn.Write(line); err != nil {
		return nil, fmt.Errorf("ask the credential daemon: %w", err)
	}
	answer, err := io.ReadAll(io.LimitReader(conn, wire.MaxFrame))
	if err != nil {
		return nil, fmt.Errorf("read from the credential daemon: %w", err)
	}
	return answer, nil
}
