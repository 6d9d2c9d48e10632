//go:build linux

package daemon_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/credentials/daemon"
	"gavel/credentials/wire"
	"gavel/credentials/wrap"
	"gavel/credentials/wrappers"
	"gavel/internal/inherit"
	"gavel/rego"
	"gavel/runner"
)

func TestMain(m *testing.M) {
	if os.Getenv(hardened) == "" {
		inherit.NoIgnoredSignals() // the tests may run in the background
		goleak.VerifyTestMain(m)
		return
	}
	if err := daemon.Harden(); err != nil {
		panic(err)
	}
	tool := exec.Command("/bin/sh", "-c", os.Getenv(hardened))
	tool.Stdin, tool.Stdout, tool.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := tool.Run(); err != nil {
		panic(err)
	}
}

// credential is what no client may ever see.
const credential = "tok-Vq7x_secret+/=value"

// text is a buffer that several goroutines write to.
type text struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *text) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(p)
}

func (b *text) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// served is a daemon that serves.
type served struct {
	*daemon.Daemon
	place wrap.Place
	dir   string
	temp  string
	log   *text
	audit *text
	calls chan gavel.Call
	stop  func()
}

// tools is a configuration in which each tool is a shell script; extra is more YAML of each tool.
func configured(t *testing.T, top string, scripts map[string]string, extra string) *wrappers.Config {
	t.Helper()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, []byte(credential+"\n"), 0o600))
	config := top + "\ncredentials: {token: {source: 'file:" + secret + "'}}\ntools:\n"
	for name, script := range scripts {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700))
		config += "  " + name + ":\n    binary: " + path + "\n    env: {TOKEN: token}\n"
		for line := range strings.Lines(extra) {
			config += "    " + strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	c, err := wrappers.Parse("wrappers.yaml", []byte(config))
	require.NoError(t, err, config)
	return c
}

func environment(t *testing.T) (e daemon.Environment) {
	t.Helper()
	text, err := os.ReadFile("../../rego/gavel/catalog/credentials/data.yaml")
	require.NoError(t, err)
	var table struct{ Environment daemon.Environment }
	require.NoError(t, yaml.Unmarshal(text, &table))
	blocked, err := runner.ReadBlocked(rego.Environment)
	require.NoError(t, err)
	table.Environment.Blocked = blocked.HasExactly
	return table.Environment
}

// short is a directory with a short name: a socket's path has a limit.
func short(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	return dir
}

func start(t *testing.T, config *wrappers.Config, change func(*daemon.Config)) *served {
	t.Helper()
	base := short(t)
	s := &served{dir: base, temp: filepath.Join(base, "tmp"), log: &text{}, audit: &text{}, calls: make(chan gavel.Call, 10_000)}
	require.NoError(t, os.Mkdir(s.temp, 0o700))
	require.NoError(t, os.Mkdir(filepath.Join(base, "run"), 0o700))
	s.place = wrap.Place{Socket: filepath.Join(base, "run", "secrets.sock"), Secret: filepath.Join(base, "run", "auth")}
	cfg := daemon.Config{Wrappers: config, Secret: s.place.Secret, UID: uint32(os.Getuid()), Agent: "main", Temp: s.temp, Version: "test",
		Environment: environment(t), Stdout: s.audit, Logger: slog.New(slog.NewTextHandler(s.log, nil)),
		Decide: func(_ context.Context, call gavel.Call) gavel.Decision {
			s.calls <- call
			return gavel.Decision{ID: "decision-1", Effect: gavel.Allow}
		}}
	if change != nil {
		change(&cfg)
	}
	d, err := daemon.New(cfg)
	require.NoError(t, err)
	s.Daemon = d
	listener, err := daemon.Listen(s.place.Socket, cfg.UID, 0o600)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- d.Serve(ctx, listener) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		assert.NoError(t, <-done)
		left, err := os.ReadDir(s.temp)
		assert.NoError(t, err)
		assert.Empty(t, left, "temporary files are left")
	})
	t.Cleanup(func() {
		s.stop()
		assert.NotContains(t, s.log.String(), credential)
		assert.NotContains(t, s.audit.String(), credential)
	})
	return s
}

// ran is what a client sees.
type ran struct {
	status         int
	stdout, stderr string
	err            error
}

// client runs a tool as gavel wrap does.
func (s *served) client(t *testing.T, stdin io.Reader, tool string, args ...string) ran {
	t.Helper()
	return s.with(t, func(c *wrap.Config) { c.Stdin = stdin }, tool, args...)
}

func (s *served) with(t *testing.T, change func(*wrap.Config), tool string, args ...string) ran {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cfg := wrap.Config{Tool: tool, Args: args, Cwd: s.dir, Place: s.place, Stdout: &stdout, Stderr: &stderr,
		Getenv: func(string) string { return "" }, Now: time.Now}
	change(&cfg)
	status, err := wrap.Run(t.Context(), cfg)
	return ran{status, stdout.String(), stderr.String(), err}
}

// request is a signed request.
func (s *served) request(t *testing.T, form wire.Form, change func(*wire.Request)) []byte {
	t.Helper()
	secret, err := wire.ReadSecret(s.place.Secret)
	require.NoError(t, err)
	r := &wire.Request{Version: wire.Version, Cwd: s.dir, Args: &[]string{}, Nonce: wire.NewNonce(), Timestamp: strconv.FormatInt(time.Now().Unix(), 10)}
	if change != nil {
		change(r)
	}
	r.Sign(secret, form)
	line, err := wire.EncodeLine(r)
	require.NoError(t, err)
	return line
}

func (s *served) dial(t *testing.T) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: s.place.Socket, Net: "unix"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// say writes a line and returns all of the answer.
func (s *served) say(t *testing.T, line []byte) string {
	t.Helper()
	conn := s.dial(t)
	_, err := conn.Write(line)
	require.NoError(t, err)
	answer, err := io.ReadAll(conn)
	require.NoError(t, err)
	return string(answer)
}

// timed runs a tool until its time limit, and again with a longer one if the limit came before the
// tool had written the file ready. It returns the answer.
func timed(t *testing.T, script string) []wire.Message {
	t.Helper()
	for limit := 300 * time.Millisecond; ; limit *= 4 {
		s := start(t, configured(t, "", map[string]string{"timed": script}, "timeout: "+limit.String()), nil)
		answer := frames(t, strings.NewReader(s.say(t, s.request(t, wire.SixFields, func(r *wire.Request) { r.Tool = "timed" }))))
		if _, err := os.Stat(filepath.Join(s.dir, "ready")); err == nil {
			return answer
		}
		require.Less(t, limit, time.Minute, "the tool is not ready")
	}
}

// frames reads a framed answer to its end.
func frames(t *testing.T, conn io.Reader) (list []wire.Message) {
	t.Helper()
	for {
		m, err := wire.ReadFrame(conn)
		if errors.Is(err, io.EOF) {
			return list
		}
		require.NoError(t, err)
		list = append(list, m)
	}
}

func bare(t *testing.T, answer string) string {
	t.Helper()
	var e struct{ Error string }
	require.NoError(t, json.Unmarshal([]byte(answer), &e), answer)
	return e.Error
}

func framed(t *testing.T, answer string) string {
	t.Helper()
	list := frames(t, strings.NewReader(answer))
	require.Len(t, list, 1)
	require.Equal(t, wire.TypeError, list[0].Type)
	return list[0].Message
}
