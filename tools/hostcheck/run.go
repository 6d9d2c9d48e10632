package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// runsWithin limits how long a host may take for one call. A host that still runs then is
// killed, and the file shows whether the call ran.
const runsWithin = 75 * time.Second

// The outcomes of a call.
const (
	ran       = "ran"
	notRun    = "not run"
	original  = "ran, not as judged"
	noAttempt = "no call" // the model was not asked, or made no call: nothing is proven
)

// result is one cell of one host.
type result struct {
	host      host
	cell      cell
	got, want string
	note      string
}

// String is one line of output.
func (r result) String() string {
	sign := "ok  "
	if r.got != r.want {
		sign = "FAIL"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s: %s %s", sign, r.host.name, r.cell.name, r.got, r.note))
}

// place is the environment of one run.
type place struct {
	root, dir, home, project, state string
	bin                             string // of the host
	mcp                             []string
	model                           string // URL
	action                          string // of the cell
	env                             []string
}

// run runs one cell of one host.
func (t *tools) run(ctx context.Context, h host, c cell, keep bool) result {
	r := result{host: h, cell: c, want: notRun}
	if c.runs {
		r.want = ran
	}
	if c.name == "rewritten" && h.keepsText {
		r.want = original // the host cannot rewrite
	}
	dir, err := os.MkdirTemp("", "gh") // short, because the length of a socket path is limited
	if err != nil {
		r.note = err.Error()
		return r
	}
	r.got, r.note, err = t.runIn(ctx, h, c, dir)
	if err != nil {
		r.got, r.note = "error", err.Error()
	}
	if keep || r.got != r.want {
		r.note += " (kept in " + dir + ")"
		return r
	}
	_ = os.RemoveAll(dir) // a host may still write to it
	return r
}

func (t *tools) runIn(ctx context.Context, h host, c cell, dir string) (got, note string, err error) {
	p := place{root: t.root, dir: dir, home: filepath.Join(dir, "home"), project: filepath.Join(dir, "work"), state: filepath.Join(dir, "s"),
		bin: filepath.Join(t.root, "build", "hosts", h.name, "node_modules", ".bin", h.program), mcp: []string{filepath.Join(t.bin, "hostcheck"), "-mcp"}, action: c.action}
	for _, name := range []string{p.home, p.project, p.state} {
		if err := os.Mkdir(name, 0o700); err != nil {
			return "", "", err
		}
	}
	calls := h.calls(c, p.project)
	scripted, err := startModel(h, calls[0], calls[1])
	if err != nil {
		return "", "", err
	}
	defer scripted.close()
	p.model = scripted.url
	stop, socket, err := t.gavel(ctx, c.state, p)
	if err != nil {
		return "", "", err
	}
	defer stop()
	p.env = t.environment(h, c, p, socket)
	if err := h.setup(p); err != nil {
		return "", "", err
	}
	if !h.plugin {
		if err := command(ctx, p.project, p.env, filepath.Join(t.bin, "gavel"), "install", h.name); err != nil {
			return "", "", err
		}
	}
	out, ended := t.start(ctx, h, p)
	_ = os.WriteFile(filepath.Join(dir, "output"), []byte(out), 0o600)
	_ = os.WriteFile(filepath.Join(dir, "model"), []byte(strings.Join(scripted.seen, "\n")), 0o600)
	if ended != nil {
		note = ended.Error()
	}
	return judge(c, p, strings.Join(scripted.seen, "\n")), note, nil
}

// judge looks for the files that the call would have created. If the model never saw an answer,
// the call may never have been made.
func judge(c cell, p place, seen string) string {
	if _, err := os.Lstat(filepath.Join(p.project, "original")); err == nil {
		return original
	}
	for _, name := range c.leaves(p.project) {
		if _, err := os.Lstat(name); err == nil {
			return ran
		}
	}
	if seen == "" {
		return noAttempt
	}
	return notRun
}

// environment returns the host's environment: nothing from this process except the path to
// programs.
func (t *tools) environment(h host, c cell, p place, socket string) []string {
	env := []string{"HOME=" + p.home, "USER=test", "SHELL=/bin/bash", "TERM=dumb", "LANG=C.UTF-8", "XDG_STATE_HOME=" + filepath.Join(p.dir, "none"),
		"PATH=" + strings.Join([]string{t.node, filepath.Dir(p.bin), t.bin, "/usr/bin", "/bin"}, ":"),
		"HTTP_PROXY=http://127.0.0.1:1", "HTTPS_PROXY=http://127.0.0.1:1", "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=http://127.0.0.1:1", "https_proxy=http://127.0.0.1:1", "no_proxy=127.0.0.1,localhost"}
	if socket != "" {
		env = append(env, "GAVEL_SOCKET="+socket)
	}
	if c.name == "rewritten" {
		// bash takes functions from the environment; it takes none for a full path.
		env = append(env, "BASH_FUNC_touch%%=() { /usr/bin/touch original; }")
	}
	return append(env, h.env(p)...)
}

// start runs the host until it exits.
func (t *tools) start(ctx context.Context, h host, p place) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, runsWithin)
	defer cancel()
	words := h.command(p)
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the hosts of this program
	cmd.Dir, cmd.Env = p.project, p.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return string(out), fmt.Errorf("the host did not end within %s", runsWithin)
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // processes that it left running
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) || err == nil {
		return string(out), nil
	}
	return string(out), err
}

// gavel starts Gavel in one of the states, and returns the socket for the hooks.
func (t *tools) gavel(ctx context.Context, state string, p place) (stop func(), socket string, err error) {
	socket = filepath.Join(p.state, "gavel.sock")
	switch state {
	case up:
		stop, err = t.serve(ctx, p)
		return stop, socket, err
	case noPolicy:
		return func() {}, "", nil
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, "", err
	}
	if err := os.Mkdir(filepath.Join(p.state, "tokens"), 0o700); err != nil {
		return nil, "", err
	}
	if err := os.WriteFile(filepath.Join(p.state, "tokens", "gateway.token"), []byte("token\n"), 0o600); err != nil {
		return nil, "", err
	}
	if state == lured {
		go say(listener, lure)
		text := "GAVEL_SOCKET=" + socket + "\n"
		return func() { _ = listener.Close() }, "", os.WriteFile(filepath.Join(p.project, ".env"), []byte(text), 0o600)
	}
	if state == dead {
		listener.SetUnlinkOnClose(false)
		return func() {}, socket, listener.Close()
	}
	said := ""
	if state == garbage {
		said = "ok"
	}
	go say(listener, said)
	return func() { _ = listener.Close() }, socket, nil
}

// lure is an answer that every hook and every plugin reads as an allow.
const lure = `{"id":"1","decision":"allow","reason":"r","reasons":[{"layer":"a","code":"a.b","message":"m"}],"revision":"r"}`

// say answers every request with a text, and never with "".
func say(listener net.Listener, text string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if text == "" {
			continue
		}
		_, _ = conn.Read(make([]byte, 1<<20)) // whatever it is
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		_ = conn.Close()
	}
}

func (t *tools) serve(ctx context.Context, p place) (func(), error) {
	cmd := exec.CommandContext(ctx, filepath.Join(t.bin, "gavel"), "serve", "--output", "json", "--listen", "off", "--policy", t.policy, "--state", p.state) //nolint:gosec // built here
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	var said struct{ Socket string }
	if err == nil {
		err = json.Unmarshal(line, &said)
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("gavel serve does not say where it listens: %w", err)
	}
	return stop, nil
}
