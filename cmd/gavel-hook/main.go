// Command gavel-hook answers the hooks of programs that run agents, as gavel hook does, but
// starts faster: it only asks a running gavel serve. Without a server it becomes gavel hook,
// the program gavel beside it.
//
// By the names gavel-run and gavel-shell, as links to it, it is gavel run and gavel shell.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"gavel"
	"gavel/hook"
	"gavel/runner"
	"gavel/runner/front"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := called(ctx, filepath.Base(os.Args[0]), os.Args[1:])
	stop()
	os.Exit(code)
}

// called does what the name stands for that the program was called by.
func called(ctx context.Context, name string, args []string) int {
	// A login shell is called by its name with a dash.
	switch strings.TrimPrefix(name, "-") {
	case "gavel-run":
		options, err := front.ParseRun(args, os.Getenv)
		return runs("run", args).Run(ctx, options, err)
	case "gavel-shell":
		options, err := front.ParseShell(args, os.Getenv)
		return runs("shell", args).Run(ctx, options, err)
	}
	p := process{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, become: become}
	return p.run(ctx, args)
}

// runs is gavel run or gavel shell. Without a server, the process becomes that of the program
// gavel beside it, which can decide.
func runs(command string, args []string) front.Program {
	here := func(context.Context, front.Options, gavel.Call) (runner.Authority, error) {
		return nil, fmt.Errorf("there is no gavel serve, and gavel cannot decide instead: %w", becomeCommand(command, args))
	}
	return front.Program{Name: "gavel-" + command, Getenv: os.Getenv, Stderr: os.Stderr, Here: here}
}

// process is the program with what it touches of the outside.
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
	server, found := hook.Find(options.Place, p.getenv)
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
	around := hook.Around(p.getenv)
	around.Agent, around.Unattended = options.Agent, options.Unattended
	reply := hook.Run(ctx, hook.Config{Host: options.Host, Around: around, Getenv: p.getenv, Decide: decide, Panicked: p.panicked}, text)
	return hook.Print(reply, p.stdout, p.stderr)
}

// panicked tells a person. A stack would be the reason that the model reads.
func (p process) panicked(v any, _ []byte) {
	_, _ = fmt.Fprintf(p.stderr, "gavel-hook: panic: %v\n", v)
}

// become replaces this process with gavel hook.
func become(args []string) error { return becomeCommand("hook", args) }

// becomeCommand replaces this process with the program gavel of the same directory.
func becomeCommand(command string, args []string) error {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	program := filepath.Join(filepath.Dir(self), "gavel")
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, append([]string{program, command}, args...), os.Environ()))
}
