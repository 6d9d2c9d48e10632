package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/bundles"
	"gavel/hook"
	"gavel/runner"
	"gavel/runner/front"
)

const limitsHelp = `  --limit-writes         the command may write only where tools.write permits it (Landlock)
  --write DIR            the command may write only in DIR, or there as well; may be repeated
  --max-seconds N        processor time
  --max-memory BYTES     address space of each process
  --max-file BYTES       size of a file that it writes
  --max-files N          open descriptors
  --max-processes N      processes
  --require-limits       do not start if the kernel cannot enforce a limit`

func (a *app) runCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "run [flags] (-c TEXT | -- WORDS…)",
		Short: "Run a command if the policy allows it, and exactly what was judged",
		Long: `Run a command if the policy allows it. What runs is the command of the decision, never
the original text, and only if its programs, scripts and directory are still what was
judged (docs/runner.md). If a person must agree, it waits for the answer.

The exit code is the command's own; 128 plus the number of the signal that ended it;
124 if its time ran out; 126 if it was refused, with the reason on standard error;
125 for a mistake on the command line.

A running gavel serve decides; gavel hook --help says how it is found. With --policy, this
process decides.

  --policy PATH          configuration file, policy directory or bundle
  --verification-key FILE
                         public key, in PEM, that must have signed this policy
  --server URL|SOCKET    gavel serve; for a URL, GAVEL_TOKEN_FILE names a token
  --grant-key FILE       public key, in PEM, that verifies people's answers (default: STATE/keys/grant.pub)
  --state DIR            state directory of gavel serve
  --agent ID             agent of the call (default: $GAVEL_AGENT, or main)
  --session KEY          session of the call
  --cwd DIR              directory in which it runs (default: the current one)
  --shell NAME           shell that runs TEXT (default: $SHELL if Gavel knows its grammar, or else bash)
  --host NAME, --node ID this machine in the policy (default: gateway)
  --timeout TIME         time limit of the command (default: tools.exec.timeoutSec, or 30m; 0 for none)
  --check-only           also run files that could be replaced between their check and the start
  --outlive              do not end processes that the command leaves behind
  --login-path           use the PATH of the login shell
  --report FILE          write how it ended to FILE, in JSON
  --audit FILE           record starts, refusals and ends in FILE (default: STATE/runs.jsonl)
` + limitsHelp + `

The program gavel-run does the same and starts faster; without a server it becomes gavel run.`,
		Example: "  gavel run -- ls -l\n  gavel run --policy policy -c 'rg -n TODO src | head -5'\n" +
			"  gavel run --agent coder --write . --max-processes 64 -- make test",
		DisableFlagParsing: true, // the words of the command are not Gavel's
		RunE: func(cmd *cobra.Command, args []string) error {
			options, err := front.ParseRun(args, a.getenv)
			if errors.Is(err, flag.ErrHelp) {
				return cmd.Help()
			}
			a.runs(cmd.Context(), "gavel run", options, err)
			return nil
		},
	}
}

func (a *app) shellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "shell -c TEXT",
		Short: "Act as the shell of a program that runs agents: run each command as gavel run does",
		Long: `Run TEXT as gavel run does, with the options that shells have. Make it the shell of a
program that runs agents and has no hooks, as in SHELL=/usr/bin/gavel-shell: each of its
commands is then a call. The program gavel-shell does the same and starts faster.

The environment configures it: GAVEL_SOCKET or GAVEL_POLICY names what decides, GAVEL_AGENT
and GAVEL_SESSION the agent and session of the call, GAVEL_SHELL the shell that runs TEXT.
It has no prompt, and reads no commands from standard input.`,
		Example:            "  gavel shell -c 'git status | head -5'\n  SHELL=/usr/local/bin/gavel-shell some-agent",
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
				return cmd.Help()
			}
			options, err := front.ParseShell(args, a.getenv)
			a.runs(cmd.Context(), "gavel shell", options, err)
			return nil
		},
	}
}

// runs runs a command. What was compiled to decide it is kept for the next one, as hooks do.
func (a *app) runs(ctx context.Context, name string, options front.Options, wrong error) {
	here := &runningHere{app: a}
	a.code = front.Program{Name: name, Getenv: a.getenv, Stderr: a.stderr, Here: here.authority}.Run(ctx, options, wrong)
	if here.loaded != nil && ctx.Err() == nil {
		here.loaded.SaveCompiled()
	}
}

// runningHere decides in this process, with the configured policy.
type runningHere struct {
	app    *app
	loaded *bundles.Snapshot
}

func (h *runningHere) authority(ctx context.Context, o front.Options, call gavel.Call) (runner.Authority, error) {
	a, calls := h.app, []gavel.Call{call}
	if err := a.choosePolicy(o.Policy, o.Key, calls); err != nil {
		return nil, err
	}
	a.protectToo(o.Key, o.GrantKey, o.State, o.Audit, a.getenv("GAVEL_SOCKET"), a.getenv("GAVEL_TOKEN_FILE"))
	a.collectSeldom()
	pdp, _, err := a.loadAsking(ctx, a.policy, a.proofsFor(hook.Place{State: o.State}, calls)) // it is stopped with this process
	if err != nil {
		return nil, fmt.Errorf("load the policy %s: %w", a.policy, err)
	}
	if policy, ok := pdp.Policy.(fixedPolicy); ok {
		h.loaded = policy.snapshot
	}
	return runner.Here{PDP: pdp}, nil
}
