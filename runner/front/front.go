package front

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"gavel"
	"gavel/client"
	"gavel/hook"
	"gavel/internal/printed"
	"gavel/internal/private"
	"gavel/rego"
	"gavel/runner"
	"gavel/runner/spawn"
)

// Exit codes beside that of the command, and runner.ExitRefused.
const exitUsage = 125

// Program is the process with what it touches of the outside.
type Program struct {
	Name   string // for messages: gavel run, gavel-shell
	Getenv func(string) string
	Stderr io.Writer
	// Here returns the authority that decides in this process, for the option --policy or
	// without a server; nil cannot.
	Here func(ctx context.Context, o Options, call gavel.Call) (runner.Authority, error)
}

// Run runs one command, and returns the exit code.
func (p Program) Run(ctx context.Context, o Options, wrong error) int {
	if wrong != nil {
		p.complain(wrong)
		return exitUsage
	}
	if err := spawn.Enter(); err != nil {
		p.complain(err)
		return exitUsage
	}
	result, plan, err := p.run(ctx, &o)
	if err != nil {
		p.complain(err)
		return runner.ExitRefused
	}
	if result.TimedOut {
		_, _ = fmt.Fprintf(p.Stderr, "%s: the command was ended after %s, its time limit\n", p.Name, o.Timeout)
	}
	if err := plan.RecordEnd(ctx, result); err != nil {
		p.complain(fmt.Errorf("the end of the command could not be recorded: %w", err))
	}
	if err := report(o.Report, result, plan); err != nil {
		p.complain(err)
	}
	return result.ExitCode()
}

func (p Program) complain(err error) {
	for line := range strings.SplitSeq(printable(refusalText(err)), "\n") {
		start := p.Name + ": "
		if strings.HasPrefix(line, " ") { // it continues the line above
			start = ""
		}
		_, _ = fmt.Fprintf(p.Stderr, "%s%s\n", start, line) // if this fails, there is no other place to report it
	}
}

// printable replaces what a terminal could obey.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}

// run runs a command, and notes its time limit.
func (p Program) run(ctx context.Context, o *Options) (runner.Result, *runner.Plan, error) {
	base := runner.BaseOf(p.Getenv)
	if o.LoginPath {
		var err error
		if base.Path, err = LoginPath(ctx, base); err != nil {
			return runner.Result{}, nil, err
		}
	}
	call, cwd, err := CallOf(*o, base)
	if err != nil {
		return runner.Result{}, nil, err
	}
	authority, keys, err := p.authority(ctx, *o, call)
	if err != nil {
		return runner.Result{}, nil, err
	}
	audit, err := auditOf(*o, p.Getenv)
	if err != nil {
		return runner.Result{}, nil, err
	}
	records := runner.Records{File: audit, Authority: authority, Now: time.Now}
	r, err := runner.New(runner.Config{Authority: authority, Host: o.Host, Node: o.Node, CheckOnly: o.CheckOnly, Keys: keys, Used: usedGrants(*o, p.Getenv), Base: base,
		Blocked: Blocked, Self: runner.Self, Limits: o.Limits, LimitWrites: o.LimitWrites, Record: records.Record, Notice: p.notice})
	if err != nil {
		return runner.Result{}, nil, err
	}
	plan, err := r.Prepare(ctx, call, cwd)
	if err != nil {
		return runner.Result{}, nil, err
	}
	defer plan.Close()
	if !o.Timed {
		o.Timeout = runner.Lifecycle{Configured: plan.Decision.Exec.Lifecycle}.Limit(0)
	}
	stdio := [3]*os.File{os.Stdin, os.Stdout, os.Stderr}
	result, err := plan.Run(ctx, runner.Foreground{Stdio: stdio, Timeout: o.Timeout, Terminal: spawn.InForeground(), Outlive: o.Outlive})
	return result, plan, err
}

// Blocked reads the variables that no call may set.
func Blocked() (*runner.Blocked, error) { return runner.ReadBlocked(rego.Environment) }

func (p Program) notice(pending gavel.Pending) {
	_, _ = fmt.Fprintf(p.Stderr, "%s: waiting until %s for a person to answer: gavel approvals approve %s, or deny\n",
		p.Name, pending.ExpiresAt.Format(time.TimeOnly), pending.ID)
}

// CallOf is the call for a command line, and the directory that it runs in.
func CallOf(o Options, base runner.Base) (gavel.Call, string, error) {
	cwd := o.Cwd
	here, err := os.Getwd()
	if err == nil && !filepath.IsAbs(cwd) {
		cwd = filepath.Join(here, cwd)
	}
	if !filepath.IsAbs(cwd) {
		return gavel.Call{}, "", fmt.Errorf("the working directory is unknown: %w; name one with --cwd", err)
	}
	path := base.Path
	if path == nil {
		path = runner.SystemPath()
	}
	text := o.Text
	if !o.Given {
		text = Quoted(o.Argv, cwd, path)
	}
	return gavel.Call{ID: rand.Text(), Agent: gavel.Agent{ID: o.Agent}, Session: gavel.Session{Key: o.Session},
		Tool:        gavel.Tool{Name: "exec", Params: map[string]any{"command": text}},
		Environment: &gavel.Environment{Cwd: cwd, Home: base.Home, Path: path, Platform: runtime.GOOS, Shell: o.Shell}}, cwd, nil
}

// Quoted is a text that runs exactly these words. The program is looked up first: a word such as
// true would otherwise be a builtin of the shell.
func Quoted(argv []string, cwd string, path []string) string {
	words := make([]string, len(argv))
	for i, word := range argv {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	program := argv[0]
	switch {
	case filepath.IsAbs(program):
	case strings.Contains(program, "/"):
		program = filepath.Join(cwd, program)
	default:
		for _, dir := range path {
			if info, err := os.Stat(filepath.Join(dir, program)); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
				program = filepath.Join(dir, program)
				break
			}
		}
	}
	words[0] = "'" + strings.ReplaceAll(program, "'", `'\''`) + "'"
	return strings.Join(words, " ")
}

// authority finds who decides: the policy or the server of the command line, or else the server
// that hooks find, or else the policy that the environment names.
func (p Program) authority(ctx context.Context, o Options, call gavel.Call) (runner.Authority, []ed25519.PublicKey, error) {
	if o.Policy == "" {
		config, keys, found, err := p.server(o, call)
		if err != nil {
			return nil, nil, err
		}
		if found {
			config.Pins = true
			asked, err := client.New(config)
			return asked, keys, err
		}
	}
	if p.Here == nil {
		return nil, nil, errors.New("gavel serve is not running, and this program cannot decide by itself: start gavel serve, or use gavel run")
	}
	authority, err := p.Here(ctx, o, call)
	return authority, nil, err
}

// Server finds gavel serve for the options Server, State and GrantKey, with the keys of its grants.
func Server(o Options, getenv func(string) string) (client.Config, []ed25519.PublicKey, bool, error) {
	return Program{Getenv: getenv}.server(o, gavel.Call{})
}

func (p Program) server(o Options, call gavel.Call) (client.Config, []ed25519.PublicKey, bool, error) {
	if strings.HasPrefix(o.Server, "http://") || strings.HasPrefix(o.Server, "https://") {
		file := p.Getenv("GAVEL_TOKEN_FILE")
		if file == "" {
			return client.Config{}, nil, false, errors.New("set GAVEL_TOKEN_FILE to a file with a token of the scope gateway")
		}
		keys, err := grantKeys(o)
		return client.Config{URL: o.Server, TokenFile: file}, keys, true, err
	}
	server, found := hook.Find(hook.Location{Socket: o.Server, State: o.State}, p.Getenv)
	if !found {
		return client.Config{}, nil, false, nil
	}
	if err := server.Check([]gavel.Call{call}); err != nil {
		return client.Config{}, nil, false, err
	}
	token, err := server.Token()
	if err != nil {
		return client.Config{}, nil, false, err
	}
	keys, err := grantKeys(o, filepath.Dir(server.Socket), o.State)
	return client.Config{Socket: server.Socket, Token: token}, keys, true, err
}

// LoginPath asks the login shell of the user for its PATH, and puts it before that of the base.
// That runs what the user has written for logins.
func LoginPath(ctx context.Context, base runner.Base) ([]string, error) {
	shell := printed.Program{Path: "/bin/sh", Args: []string{"-lc", `printf '\n%s' "$PATH"`}, Limit: 10 * time.Second, Most: 1 << 20,
		Env: []string{"HOME=" + base.Home, "USER=" + base.User, "LOGNAME=" + base.User, "PATH=" + strings.Join(runner.SystemPath(), ":")}}
	out, err := shell.Text(ctx)
	if err != nil {
		return nil, fmt.Errorf("ask the login shell for its PATH: %w", err)
	}
	last := out[strings.LastIndexByte(out, '\n')+1:]
	return runner.BaseOf(func(string) string { return last + ":" + strings.Join(base.Path, ":") }).Path, nil
}

// report writes how a command ended to a file.
func report(file string, result runner.Result, plan *runner.Plan) error {
	if file == "" {
		return nil
	}
	said := map[string]any{"exitCode": result.Code, "timedOut": result.TimedOut, "durationMs": result.Duration.Milliseconds(),
		"decision": plan.Decision.ID, "directory": plan.Directory(), "notes": append([]string{}, plan.Notes...)}
	if result.Signal != 0 {
		said["signal"] = result.Signal.String()
	}
	text, err := json.Marshal(said)
	if err == nil {
		err = private.ReplaceFile(file, append(text, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
