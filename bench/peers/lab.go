// Package peers runs Gavel and its peers, each in a separate process, with the same policy, and
// prepares the same requests for all.
package peers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gavel"

	"gavel/bench/load"
)

const (
	startLimit = 2 * time.Minute // until the first answer of a server
	maxStarts  = 5               // attempts to start a server, if another process has taken its address
)

// errAddressTaken means that another process uses the address of a server.
var errAddressTaken = errors.New("another process uses its address")

// Lab starts servers.
type Lab struct {
	Root string // of Gavel's repository
	Dir  string // temporary; the caller removes it
	// Evaluator is the value of gavel serve --evaluator.
	Evaluator string

	analyzer               gavel.Analyzer
	self, gavel, opaBinary string
	started                int
	free                   func() (address string, err error) // returns a TCP address for the next server
}

// Open builds Gavel, and OPA in the version that Gavel uses, into dir.
func Open(ctx context.Context, root, dir string) (*Lab, error) {
	l := &Lab{Dir: dir, Evaluator: "compiled", free: freeAddress, gavel: filepath.Join(dir, "gavel"), opaBinary: filepath.Join(dir, "opa")}
	var err error
	if l.Root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	if l.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if l.analyzer, err = Analyzer(); err != nil {
		return nil, err
	}
	for binary, pkg := range map[string]string{l.gavel: "./cmd/gavel", l.opaBinary: "github.com/open-policy-agent/opa"} {
		build := exec.CommandContext(ctx, "go", "build", "-o", binary, pkg)
		build.Dir = l.Root
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s in %s: %w\n%s", pkg, l.Root, err, out)
		}
	}
	return l, nil
}

// Process is a running server.
type Process struct {
	Server
	// FirstAnswer is the time from the start to the first correct answer. Memory is the
	// resident memory in bytes one second later.
	FirstAnswer time.Duration
	Memory      int64

	command    *exec.Cmd
	outputFile string
	exited     chan struct{} // closed when the process has exited
	version    int           // of its policy
}

// Start starts a server and waits until it answers correctly. If its address is taken, Start tries
// another one.
func (l *Lab) Start(ctx context.Context, s Server) (*Process, error) {
	if s.policy != "" {
		if err := WritePolicy(s.policy, s.size); err != nil {
			return nil, err
		}
	}
	for try := 1; ; try++ {
		address, err := l.free()
		if err != nil {
			return nil, fmt.Errorf("start %s: find a free address: %w", s.Name, err)
		}
		p, err := l.start(ctx, s.at(address), address)
		if !errors.Is(err, errAddressTaken) || try == maxStarts {
			return p, err
		}
	}
}

func (l *Lab) start(ctx context.Context, s Server, address string) (*Process, error) {
	p := &Process{Server: s, exited: make(chan struct{})}
	output, err := os.CreateTemp(l.Dir, "output")
	if err != nil {
		return nil, err
	}
	defer output.Close() //nolint:errcheck // the server has its own descriptor
	p.outputFile = output.Name()
	args := s.command(address)
	p.command = exec.CommandContext(ctx, args[0], args[1:]...)
	p.command.Stdout, p.command.Stderr = output, output
	p.command.Env = append(os.Environ(), s.env...)
	p.command.Cancel = func() error { return p.command.Process.Signal(syscall.SIGTERM) }
	p.command.WaitDelay = 10 * time.Second
	start := time.Now()
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", s.Name, err)
	}
	go func() {
		_ = p.command.Wait() // requests fail if the server exits too early
		close(p.exited)
	}()
	if err := p.awaitAnswer(ctx, l, start); err != nil {
		p.Stop()
		text, _ := os.ReadFile(p.outputFile)
		if strings.Contains(string(text), syscall.EADDRINUSE.Error()) {
			err = errors.Join(errAddressTaken, err)
		}
		return nil, fmt.Errorf("start %s: %w\n%.2000s", s.Name, err, text)
	}
	return p, nil
}

func (p *Process) awaitAnswer(ctx context.Context, l *Lab, start time.Time) error {
	c := CaseNamed(PlainCall)
	for {
		target, err := p.Target(ctx, l, c)
		if err == nil {
			err = load.Once(target)
		}
		switch {
		case err == nil:
			p.FirstAnswer = time.Since(start)
			return p.settle(ctx)
		case ctx.Err() != nil:
			return ctx.Err()
		case time.Since(start) > startLimit:
			return fmt.Errorf("no correct answer within %s: %w", startLimit, err)
		}
		select {
		case <-p.exited:
			return fmt.Errorf("it exited: %w", err)
		case <-time.After(time.Millisecond):
		}
	}
}

// settle waits a second, in which the garbage of the start is collected, and then measures memory.
func (p *Process) settle(ctx context.Context) (err error) {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-p.exited:
		return errors.New("it exited after its first answer, or another process gave that answer")
	case <-time.After(time.Second):
	}
	p.Memory, err = p.Resident()
	return err
}

// Stop stops the server and waits until it has exited.
func (p *Process) Stop() {
	_ = p.command.Process.Signal(syscall.SIGTERM) // it may have exited already
	select {
	case <-p.exited:
	case <-time.After(10 * time.Second):
		_ = p.command.Process.Kill()
		<-p.exited
	}
}

// Target returns the server as a target of the load generator, with the requests of a case.
func (p *Process) Target(ctx context.Context, l *Lab, c Case) (load.Target, error) {
	body, err := c.requestBody(ctx, l.analyzer, p.format)
	if err != nil {
		return load.Target{}, err
	}
	t := load.Target{Network: p.network, Address: p.address, Path: p.path, Body: body, Want: []byte(p.want)}
	if p.token != "" {
		t.Token, err = readToken(p.token)
	}
	return t, err
}

func readToken(file string) (string, error) {
	text, err := os.ReadFile(file)
	return strings.TrimSpace(string(text)), err
}
