package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// gavelInstance is a Gavel for one run, in the state of the cell.
type gavelInstance struct {
	socket string // for the variable GAVEL_SOCKET; "" leaves it unset
	close  func()
	// fail puts Gavel into the state of the cell; see cell.failsLater.
	fail func() error
}

// startGavel starts Gavel in the state of a cell, or working if the cell fails later.
func (t *runner) startGavel(ctx context.Context, c cell, p fixture) (*gavelInstance, error) {
	g := &gavelInstance{socket: filepath.Join(p.state, "gavel.sock"), close: func() {}, fail: func() error { return nil }}
	if c.state == noPolicy || c.state == redirected {
		g.socket = ""
	}
	if c.state != up && !c.failsLater() {
		return g, g.simulateFailure(c.state, p)
	}
	stop, err := t.startServer(ctx, p)
	if err != nil {
		return nil, err
	}
	g.close = stop
	g.fail = func() error {
		stop()
		g.close = func() {}
		return g.simulateFailure(c.state, p)
	}
	return g, nil
}

// simulateFailure listens in place of Gavel as a state requires.
func (g *gavelInstance) simulateFailure(state string, p fixture) error {
	if state == noPolicy {
		return nil
	}
	socket := filepath.Join(p.state, "gavel.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return err
	}
	tokens := filepath.Join(p.state, "tokens")
	if err := os.MkdirAll(tokens, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tokens, "gateway.token"), []byte("token\n"), 0o600); err != nil {
		return err
	}
	g.close = func() { _ = listener.Close() }
	switch state {
	case dead:
		listener.SetUnlinkOnClose(false)
		return listener.Close()
	case redirected:
		go serveText(listener, fakeAllow)
		return os.WriteFile(filepath.Join(p.project, ".env"), []byte("GAVEL_SOCKET="+socket+"\n"), 0o600)
	case garbage:
		go serveText(listener, "ok")
	default:
		go serveText(listener, "")
	}
	return nil
}

// fakeAllow is an answer that every hook and plugin takes for an allow.
const fakeAllow = `{"id":"1","decision":"allow","reason":"r","reasons":[{"layer":"a","code":"a.b","message":"m"}],"revision":"r"}`

// serveText answers every request with a text. If the text is empty, it never answers.
func serveText(listener net.Listener, text string) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		if text == "" {
			continue
		}
		_, _ = conn.Read(make([]byte, 1<<20)) // the request, whatever it is
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
		_ = conn.Close()
	}
}

// startServer starts gavel serve and waits until it is ready.
func (t *runner) startServer(ctx context.Context, p fixture) (func(), error) {
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
	var started struct{ Socket string }
	if err == nil {
		err = json.Unmarshal(line, &started)
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("read where gavel serve listens: %w", err)
	}
	return stop, nil
}
