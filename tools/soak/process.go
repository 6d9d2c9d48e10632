package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Limits of the server process. A decision may take as long as it needs on a busy machine where
// compiling a policy occupies a core. Slow decisions are only reported; a decision that never
// comes is still found.
const (
	decisionTimeout = 5 * time.Second
	startsWithin    = 30 * time.Second
	stopsWithin     = 15 * time.Second
)

// served is a gavel serve process.
type served struct {
	cmd            *exec.Cmd
	policy, state  string
	log            string // the file with its standard error
	listen, socket string
	verifier       *verifier         // that its policy names
	tokens         map[string]string // by scope
	ended          chan struct{}     // closed when the process is gone
	result         error             // the result of waiting for it; valid once ended is closed
}

// serve builds gavel below dir and starts it there.
func serve(ctx context.Context, dir string) (*served, error) {
	verifier, err := newVerifier()
	if err != nil {
		return nil, err
	}
	p, err := serveWith(ctx, dir, verifier)
	if err != nil {
		verifier.close()
	}
	return p, err
}

// serveWith is serve with a verifier.
func serveWith(ctx context.Context, dir string, verifier *verifier) (*served, error) {
	binary := filepath.Join(dir, "gavel")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "gavel/cmd/gavel").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build gavel: %w\n%s", err, out)
	}
	p := &served{verifier: verifier, policy: filepath.Join(dir, "policy"), state: filepath.Join(dir, "state"), log: filepath.Join(dir, "server.log"),
		tokens: map[string]string{}, ended: make(chan struct{})}
	if err := os.Mkdir(p.policy, 0o700); err != nil {
		return nil, fmt.Errorf("make the policy: %w", err)
	}
	if err := place(p.policy, textOf(0, verifier.url)); err != nil {
		return nil, err
	}
	// Not CommandContext: an interrupt is meant for the clients, and the server gets SIGTERM.
	p.cmd = exec.Command(binary, "serve", "--output", "json", "--evaluator", "both", "--listen", "127.0.0.1:0", "--policy", p.policy, //nolint:noctx
		"--state", p.state, "--timeout", decisionTimeout.String())
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start gavel serve: %w; it said: %s", err, p.said())
	}
	return p, nil
}

func (p *served) start() error {
	log, err := os.Create(p.log)
	if err != nil {
		return err
	}
	defer log.Close() //nolint:errcheck // the process has its own
	p.cmd.Stderr = log
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := p.cmd.Start(); err != nil {
		return err
	}
	late := time.AfterFunc(startsWithin, func() { _ = p.cmd.Process.Kill() }) // this ends the reading
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	late.Stop()
	go func() {
		p.result = p.cmd.Wait()
		close(p.ended)
	}()
	if readErr != nil {
		_ = p.cmd.Process.Kill() // it may have exited
		return fmt.Errorf("it does not say where it listens: %w", readErr)
	}
	if err := p.read(line); err != nil {
		return errors.Join(err, p.stop())
	}
	return nil
}

// read reads the server's announcement and its tokens.
func (p *served) read(line []byte) error {
	var said struct{ Listen, Socket, Tokens string }
	if err := json.Unmarshal(line, &said); err != nil {
		return fmt.Errorf("read %q: %w", line, err)
	}
	p.listen, p.socket = said.Listen, said.Socket
	for _, scope := range []string{"decide", "gateway", "approve", "admin"} {
		text, err := os.ReadFile(filepath.Join(said.Tokens, scope+".token"))
		if err != nil {
			return err
		}
		p.tokens[scope] = strings.TrimSpace(string(text))
	}
	return nil
}

// stop ends the server as an operator does. It returns an error if the server does not exit in
// time with status 0.
func (p *served) stop() error {
	defer p.verifier.close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // if it has exited already, the result says so
	select {
	case <-p.ended:
	case <-time.After(stopsWithin):
		_ = p.cmd.Process.Kill() // it may exit just now
		<-p.ended
		return fmt.Errorf("the server did not end within %s of SIGTERM; it said: %s", stopsWithin, p.said())
	}
	if p.result != nil {
		return fmt.Errorf("the server did not exit with 0: %w; it said: %s", p.result, p.said())
	}
	return nil
}

// said returns the end of the server's standard error.
func (p *served) said() string {
	const most = 2000
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-most):])
}
