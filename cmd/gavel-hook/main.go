// Command gavel-hook answers the hooks of programs that run agents, as gavel hook does. It starts
// faster, because it only asks a running gavel serve. Without a server it becomes the program gavel
// in its directory, as gavel hook.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"gavel"
	"gavel/hook"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	p := process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, become: become}
	code := p.run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// process is the program, with its streams and environment as fields for tests.
type process struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	// become replaces the process with gavel hook; it returns only when that is not possible.
	become func(args []string) error
}

// run answers one payload, and returns the exit code.
func (p process) run(ctx context.Context, args []string) int {
	options, wrong := hook.ParseArgs(args)
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	server, found := hook.Find(options.Location, p.getenv)
	decide := server.Decide
	if !found && wrong == nil {
		err := p.become(args)
		decide = func(context.Context, []gavel.Call) ([]gavel.Decision, error) {
			return nil, fmt.Errorf("there is no gavel serve, and gavel hook cannot be started: %w", err)
		}
	}
	text, err := hook.ReadAll(ctx, p.stdin)
	if err = errors.Join(wrong, err); err != nil {
		return hook.Print(hook.Fail(options.Host, text, err), p.stdout, p.stderr)
	}
	info := hook.ThisProcess(p.getenv)
	info.Agent, info.Unattended = options.Agent, options.Unattended
	reply := hook.Run(ctx, hook.Config{Host: options.Host, Process: info, Getenv: p.getenv, Decide: decide, Panicked: p.panicked}, text)
	return hook.Print(reply, p.stdout, p.stderr)
}

// panicked reports a panic to a person, without a stack trace, which the host would show to the model
// as the reason.
func (p process) panicked(v any, _ []byte) {
	_, _ = fmt.Fprintf(p.stderr, "gavel-hook: panic: %v\n", v)
}

// become replaces this process with the program gavel of the same directory.
func become(args []string) error {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	program := filepath.Join(filepath.Dir(self), "gavel")
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, append([]string{program, "hook"}, args...), os.Environ()))
}
