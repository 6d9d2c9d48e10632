package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"gavel/credentials/wire"
	"gavel/credentials/wrap"
)

func (a *app) wrapCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "wrap TOOL [ARGS…]",
		Short: "Run a tool with credentials, through the credential daemon",
		Long: `Run a tool with credentials, through the credential daemon. Everything after TOOL goes to the
tool. Standard input, output, signals and the exit status are the tool's. A link to gavel with
the name of a tool does the same: ln -s /usr/local/bin/gavel /usr/local/bin/gh

The daemon is looked for in $CLAW_WRAP_RUNTIME_DIR, and otherwise in /run/openclaw.`,
		Example:            "  gavel wrap gh pr list\n  CLAW_WRAP_RUNTIME_DIR=/run/user/1000/openclaw gavel wrap aws s3 ls",
		DisableFlagParsing: true, // what follows is the tool's
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			if strings.HasPrefix(args[0], "-") {
				return fix(errors.New("gavel wrap has no options"), "begin with the name of the tool: gavel wrap gh --version")
			}
			return a.wrap(cmd.Context(), args[0], args[1:])
		},
	}
}

// multicall returns the name of a tool if this program was started by a link with that name.
func multicall(argv0 string, executable func() (string, error)) string {
	name := filepath.Base(argv0)
	real, err := executable()
	if err != nil {
		return ""
	}
	if resolved, err := filepath.EvalSymlinks(real); err == nil {
		real = resolved
	}
	own := filepath.Base(real)
	if name == own || !strings.HasPrefix(own, "gavel") || strings.HasPrefix(strings.TrimPrefix(name, "-"), "gavel") || name == "claw-wrap" || !wire.ToolName(name) {
		return ""
	}
	return name
}

// wrap runs a tool, and takes its exit status.
func (a *app) wrap(ctx context.Context, tool string, args []string) error {
	place, err := wrap.FindPlace(a.getenv)
	if err != nil {
		return err
	}
	cwd, err := a.getwd()
	if err != nil {
		return err
	}
	signals, stop := passedOn()
	defer stop()
	cfg := wrap.Config{Tool: tool, Args: args, Cwd: cwd, Place: place, Stdin: a.stdin, Stdout: a.stdout, Stderr: a.stderr,
		Getenv: a.getenv, Signals: signals, Now: a.now}
	if in, ok := a.stdin.(*os.File); ok && a.terminal.stdin && a.terminal.stdout {
		terminal, free := newTTY(in)
		defer free()
		cfg.Terminal = terminal
	}
	// An interrupt goes to the tool, which ends as it wants.
	status, err := wrap.Run(context.WithoutCancel(ctx), cfg)
	a.code = status
	if err != nil {
		a.complain("Error: "+err.Error(), wrapFix(err))
		a.code = max(status, wrap.Failed)
	}
	return nil
}

func wrapFix(err error) string {
	if errors.Is(err, os.ErrNotExist) {
		return "start gavel credentials serve, or name its directory with CLAW_WRAP_RUNTIME_DIR"
	}
	return ""
}

// passedOn are the signals that a tool is sent.
func passedOn() (names <-chan string, stop func()) {
	received, out := make(chan os.Signal, 4), make(chan string)
	signal.Notify(received, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		for {
			select {
			case <-ended:
				return
			case s := <-received:
				name := map[os.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}[s]
				select {
				case out <- name:
				case <-ended:
					return
				}
			}
		}
	}()
	return out, func() { signal.Stop(received); close(ended) }
}

// tty is the terminal of this process.
type tty struct {
	file    *os.File
	resized chan struct{}
}

var _ wrap.Terminal = (*tty)(nil)

// Size implements wrap.Terminal.
func (t *tty) Size() (wire.WindowSize, error) {
	cols, rows, err := term.GetSize(int(t.file.Fd()))
	return wire.WindowSize{Rows: uint16(rows), Cols: uint16(cols)}, err
}

// Resized implements wrap.Terminal.
func (t *tty) Resized() <-chan struct{} { return t.resized }

// Raw implements wrap.Terminal.
func (t *tty) Raw() (func(), error) {
	before, err := term.MakeRaw(int(t.file.Fd()))
	if err != nil {
		return nil, err
	}
	return func() { _ = term.Restore(int(t.file.Fd()), before) }, nil
}
