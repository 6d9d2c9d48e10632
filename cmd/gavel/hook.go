package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/hook"
	"gavel/hosts"
	"gavel/hosts/all"
	"gavel/server"
)

func (a *app) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook [HOST]",
		Short: "Answer the hook of a program that runs agents, such as Claude Code",
		Long: `Answer the hook of a program that runs agents: read its payload on standard input, decide
the calls in it, and answer in the form that the host expects. The host is recognised by its
payload; if HOST is another one, the call is denied. The hosts are

` + listed(all.Names()) + `

A running gavel serve decides. It is looked for at --socket, at $GAVEL_SOCKET, and in the
state directory. Without one, this process decides by --policy, $GAVEL_POLICY, or the directory
gavel/policy in $XDG_CONFIG_HOME. Without a policy, with a server that does not answer, and
after every other failure, the call is denied.

  --policy PATH            configuration file, policy directory or bundle, without a server
  --verification-key FILE  public key, in PEM, that must have signed this policy
  --socket PATH            unix socket of gavel serve
  --state DIR              state directory of gavel serve
  --agent ID               id of the agent in the policy (default: the name of the host)
  --timeout TIME           when to deny if there is no decision yet (default: 8s); the
                           host's own limit must be longer
  --unattended             no person is at the host: deny instead of asking one`,
		Example:            "  gavel hook claude-code\n  gavel hook codex --policy ~/policy --agent coder",
		DisableFlagParsing: true, // a mistake on the command line must deny, too
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := hook.ParseArgs(args)
			if errors.Is(err, flag.ErrHelp) {
				return cmd.Help()
			}
			a.code = a.hook(cmd.Context(), options, err)
			return nil
		},
	}
}

// hook answers one payload, and returns the exit code for the host.
func (a *app) hook(ctx context.Context, options hook.Options, wrong error) int {
	ctx, cancel := context.WithTimeout(ctx, options.Timeout)
	defer cancel()
	text, err := hook.ReadAll(ctx, a.stdin)
	if err = errors.Join(wrong, err); err != nil {
		return hook.Print(hook.Fail(options.Host, text, err), a.stdout, a.stderr)
	}
	here := &decidingHere{app: a, options: options}
	decide := here.decide
	if server, found := hook.Find(options.Location, a.getenv); found {
		decide = server.Decide
	}
	info := hook.ThisProcess(a.getenv)
	info.Agent, info.Unattended = options.Agent, options.Unattended
	reply := hook.Run(ctx, hook.Config{Host: options.Host, Process: info, Getenv: a.getenv, Decide: decide, Panicked: a.panicked}, text)
	code := hook.Print(reply, a.stdout, a.stderr)
	here.keep(ctx)
	return code
}

// panicked reports a panic to a person. Hosts show standard error to the model, so a stack
// trace would become the reason that the model reads.
func (a *app) panicked(v any, _ []byte) { a.complain(fmt.Sprintf("gavel: panic: %v", v), "") }

// decidingHere decides without a server, with the configured policy.
type decidingHere struct {
	app     *app
	options hook.Options
	loaded  *bundles.Snapshot
}

func (h *decidingHere) decide(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
	a := h.app
	if err := a.choosePolicy(h.options.Policy, h.options.Key, calls); err != nil {
		return nil, err
	}
	a.protectToo(h.options.Key, h.options.Location.State, h.options.Location.Socket, a.getenv("GAVEL_SOCKET"), a.getenv("GAVEL_TOKEN_FILE"))
	a.collectSeldom()
	pdp, stop, err := a.loadAsking(ctx, a.policy, a.proofsFor(h.options.Location, calls))
	if err != nil {
		return nil, fmt.Errorf("load the policy %s: %w", a.policy, err)
	}
	defer stop()
	if policy, ok := pdp.Policy.(fixedPolicy); ok {
		h.loaded = policy.snapshot
	}
	return pdp.DecideAll(ctx, calls, gavel.Options{RequestedBy: "hook"}), nil
}

// keep keeps the compiled policy for the next hook, if there is ample time: hosts wait for the
// end of the process.
func (h *decidingHere) keep(ctx context.Context) {
	until, limited := ctx.Deadline()
	if h.loaded != nil && (!limited || time.Until(until) > h.options.Timeout/2) {
		h.loaded.SaveCompiled()
	}
}

// choosePolicy sets the policy that decides calls without a server: the one that a flag names, or
// else the one of the environment. key is the file of --verification-key; "" for none.
func (a *app) choosePolicy(named, key string, calls []gavel.Call) (err error) {
	if key != "" {
		if a.key, err = bundles.ReadKey(key); err != nil {
			return fmt.Errorf("--verification-key: %w", err)
		}
	}
	if a.policy = named; named != "" {
		return nil
	}
	if a.policy = a.hookPolicy(); a.policy == "" {
		return errors.New("gavel serve is not running, and no policy is configured: start gavel serve, or name a policy with --policy or GAVEL_POLICY")
	}
	return hook.CheckOrigin(a.policy, calls)
}

// hookPolicy returns the policy for a hook without a server, as the environment names it. A
// directory of the project never counts, because those who write the project would then decide.
func (a *app) hookPolicy() string {
	if named := a.getenv("GAVEL_POLICY"); named != "" {
		return named
	}
	base := a.getenv("XDG_CONFIG_HOME")
	if home := a.getenv("HOME"); !filepath.IsAbs(base) && filepath.IsAbs(home) {
		base = filepath.Join(home, ".config")
	}
	dir := filepath.Join(base, "gavel", "policy")
	if !filepath.IsAbs(base) || !isDirectory(dir) {
		return ""
	}
	return dir
}

// hooks answers hosts that post their hooks to the server.
type hooks struct{ hosts all.List }

// Answer implements server.Hooks.
func (h hooks) Answer(ctx context.Context, from server.HookCaller, payload []byte, decide server.DecideAll) []byte {
	info := hosts.ProcessInfo{Agent: from.Agent, Unattended: from.Unattended, Probe: from.Probe}
	return hook.Run(ctx, hook.Config{Host: from.Host, Hosts: h.hosts, Process: info, Decide: decide}, payload).HTTP()
}

// Fail implements server.Hooks.
func (hooks) Fail(host string, payload []byte, err error) []byte {
	return hook.Fail(host, payload, err).HTTP()
}
