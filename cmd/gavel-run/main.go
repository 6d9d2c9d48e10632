// Command gavel-run is gavel run, and gavel shell by the name gavel-shell, a link to it. It starts
// faster, because it only asks a running gavel serve. Without a server it becomes the program
// gavel beside it.
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
	runtime.GOMAXPROCS(1) // nothing here is done at the same time, and waking threads up takes time
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := called(ctx, filepath.Base(os.Args[0]), os.Args[1:])
	stop()
	os.Exit(code)
}

// called does what the name stands for that the program was called by.
func called(ctx context.Context, name string, args []string) int {
	// A login shell is called by its name with a dash.
	if strings.TrimPrefix(name, "-") == "gavel-shell" {
		options, err := front.ParseShell(args, os.Getenv)
		return runs("shell", args).Run(ctx, options, err)
	}
	options, err := front.ParseRun(args, os.Getenv)
	return runs("run", args).Run(ctx, options, err)
}

// runs is gavel run or gavel shell. Without a server, the process becomes that of the program
// gavel beside it, which can decide.
func runs(command string, args []string) front.Program {
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
	program := filepath.Join(filepath.Dir(self), "gavel")
	return fmt.Errorf("start %s: %w", program, syscall.Exec(program, append([]string{program, command}, args...), os.Environ()))
}
