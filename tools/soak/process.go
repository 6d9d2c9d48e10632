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

// The limits of the server process. On a busy machine where compiling a policy occupies a core, a
// decision may take seconds. Slow decisions are only reported; the timeout finds those that hang.
const (
	decisionTimeout = 30 * time.Second
	startTimeout    = 2 * time.Minute
	stopTimeout     = time.Minute
)

// serverProcess is a gavel serve process.
type serverProcess struct {
	cmd            *exec.Cmd
	policy, state  string
	log            string // the file with its standard error
	listen, socket string
	verifier       *verifier         // its policy names it
	tokens         map[string]string // by scope
	exited         chan struct{}     // closed when the process has exited
	exitErr        error             // the result of exec.Cmd.Wait; valid once exited is closed
}

// startServer builds gavel below dir and starts it there, with a new verifier.
func startServer(ctx context.Context, dir string) (*serverProcess, error) {
	verifier, err := newVerifier()
	if err != nil {
		return nil, err
	}
	p, err := startServerWith(ctx, dir, verifier)
	if err != nil {
		verifier.close()
	}
	return p, err
}

// startServerWith is startServer with a given verifier.
func startServerWith(ctx context.Context, dir string, verifier *verifier) (*serverProcess, error) {
	binary := filepath.Join(dir, "gavel")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, "gavel/cmd/gavel").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build gavel: %w\n%s", err, out)
	}
	p := &serverProcess{verifier: verifier, policy: filepath.Join(dir, "policy"), state: filepath.Join(dir, "state"), log: filepath.Join(dir, "server.log"),
		tokens: map[string]string{}, exited: make(chan struct{})}
	if err := os.Mkdir(p.policy, 0o700); err != nil {
		return nil, fmt.Errorf("create the policy: %w", err)
	}
	if err := installPolicy(p.policy, policyText(0, verifier.url)); err != nil {
		return nil, err
	}
	// Not CommandContext: an interrupt ends only the clients, and then stop sends SIGTERM.
	p.cmd = exec.Command(binary, "serve", "--output", "json", "--evaluator", "both", "--listen", "127.0.0.1:0", "--policy", p.policy, //nolint:noctx
		"--state", p.state, "--timeout", decisionTimeout.String())
	if err := p.start(); err != nil {
		return nil, fmt.Errorf("start gavel serve: %w; end of its log: %s", err, p.logTail())
	}
	return p, nil
}

func (p *serverProcess) start() error {
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
	timer := time.AfterFunc(startTimeout, func() { _ = p.cmd.Process.Kill() }) // ends ReadBytes
	line, readErr := bufio.NewReader(out).ReadBytes('\n')
	timer.Stop()
	go func() {
		p.exitErr = p.cmd.Wait()
		close(p.exited)
	}()
	if readErr != nil {
		_ = p.cmd.Process.Kill() // it may have exited
		return fmt.Errorf("read where it listens: %w", readErr)
	}
	if err := p.readAnnouncement(line); err != nil {
		return errors.Join(err, p.stop())
	}
	return nil
}

// readAnnouncement reads the addresses that the server printed, and its tokens.
func (p *serverProcess) readAnnouncement(line []byte) error {
	var announced struct{ Listen, Socket, Tokens string }
	if err := json.Unmarshal(line, &announced); err != nil {
		return fmt.Errorf("read %q: %w", line, err)
	}
	p.listen, p.socket = announced.Listen, announced.Socket
	for _, scope := range []string{"decide", "gateway", "approve", "admin"} {
		text, err := os.ReadFile(filepath.Join(announced.Tokens, scope+".token"))
		if err != nil {
			return err
		}
		p.tokens[scope] = strings.TrimSpace(string(text))
	}
	return nil
}

// stop sends SIGTERM to the server. It returns an error if the server does not exit in time with
// status 0.
func (p *serverProcess) stop() error {
	defer p.verifier.close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails if it has exited already
	select {
	case <-p.exited:
	case <-time.After(stopTimeout):
		_ = p.cmd.Process.Kill() // it may exit just now
		<-p.exited
		return fmt.Errorf("the server did not exit within %s of SIGTERM; end of its log: %s", stopTimeout, p.logTail())
	}
	if p.exitErr != nil {
		return fmt.Errorf("the server did not exit with 0: %w; end of its log: %s", p.exitErr, p.logTail())
	}
	return nil
}

// logTail returns the end of the server's standard error.
func (p *serverProcess) logTail() string {
	const limit = 2000
	text, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-limit):])
}
