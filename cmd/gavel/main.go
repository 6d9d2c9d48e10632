// Command gavel decides what AI agents may do: allow, ask or deny, with the
// reason, the configuration line that decided and what would change it.
//
// Each command has its own file. Shared code is in app.go (streams, exit codes, errors),
// policy.go (the policy and the decision point) and style.go (text for people). Nothing here
// judges a call: only the policy does.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // for tools.timeZone on machines without a time zone database

	"gavel/runner"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == supervise {
		os.Exit(superviseOne())
	}
	if len(os.Args) > 1 && os.Args[1] == runner.ScriptWord {
		os.Exit(runner.RunScript(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	args := os.Args[1:]
	if tool := multicall(os.Args[0], os.Executable); tool != "" {
		args = append([]string{"wrap", tool}, args...)
	}
	code := newApp().run(ctx, args)
	stop()
	os.Exit(code)
}
