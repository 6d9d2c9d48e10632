// Command gavel-run does the same as gavel run, and by the name gavel-shell, which is a link to it,
// the same as gavel shell. It starts faster, because it only asks a running gavel serve. Without a
// server it becomes the program gavel in its directory.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"gavel"
	"gavel/runner"
	"gavel/runner/front"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == runner.ScriptWord {
		os.Exit(runner.RunScript(os.Args[2:]))
	}
	runtime.GOMAXPROCS(1) // nothing runs in parallel here, and waking threads takes time
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := runAs(ctx, filepath.Base(os.Args[0]), os.Args[1:])
	stop()
	os.Exit(code)
}

// runAs runs the command that the program's name selects: gavel shell for gavel-shell, and otherwise
// gavel run. It returns the exit code.
func runAs(ctx context.Context, name string, args []string) int {
	// A login shell is called by its name with a dash.
	if strings.TrimPrefix(name, "-") == "gavel-shell" {
		options, err := front.ParseShell(args, os.Getenv)
		return program("shell", args).Run(ctx, options, err)
	}
	options, err := front.ParseRun(args, os.Getenv)
	return program("run", args).Run(ctx, options, err)
}

// program returns the front end of gavel run or gavel shell. Without a server, this process becomes
// the program gavel of its directory, which can decide by itself.
func program(command string, args []string) front.Program {
	here := func(context.Context, front.Options, gavel.Call) (runner.Authority, error) {
		return nil, fmt.Errorf("there is no gavel serve, and gavel cannot decide instead: %w", become(command, args))
	}
	return front.Program{Name: "gavel-" + command, Getenv: os.Getenv, Stderr: os.Stderr, Here: here}
}

// become replaces this process with the program gavel of the same directory.
func become(command string, args []string) error {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	gavel := filepath.Join(filepath.Dir(self), "gavel")
	return fmt.Errorf("start %s: %w", gavel, syscall.Exec(gavel, append([]string{gavel, command}, args...), os.Environ()))
}
