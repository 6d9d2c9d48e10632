package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/internal/strictjson"
)

// progressEvery is how often a long run reports its progress.
const progressEvery = 500 * time.Millisecond

func (a *app) decideCommand() *cobra.Command {
	var explain, change bool
	cmd := &cobra.Command{
		Use:   "decide [FILE|-]",
		Short: "Decide calls: one JSON object per line in, one decision per line out",
		Long: `Decide calls. Each line is one call; blank lines are skipped. A call may also take
several lines, if the first is only { and the last only }. A line that is not a call is
reported with its location, and the other lines are decided. Input without a call is an
error.

Without --output, the output is a table on a terminal, and one JSON decision per line
elsewhere, in order.

A call without an environment is judged against this machine. What a call claims in
environment and sender is trusted here. The policy's verifiers (tools.verifier) are
asked, as by a server; no flag skips them.

A line of the decision log is decided again, from the facts and the verifiers' answers in
it. A line from which something was masked, cut or removed is an error. Audit events of
the log are skipped.

Exit codes: 0 all allowed, 3 some asked, 2 some denied, 1 an error.`,
		Example: `  gavel decide calls.jsonl
  gavel decide --policy policy calls.jsonl
  gavel decide --policy policy --exec-ask always --deny-tool browser calls.jsonl
  gavel decide --policy new STATE/decisions.jsonl   what would another policy have decided?
  echo '{"agent":{"id":"coder"},"tool":{"name":"read","params":{"path":"a.txt"}}}' | gavel decide`,
		Args: atMostOne("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.decide(cmd.Context(), first(args), gavel.Options{Explain: explain, Change: change, ChangeTime: fixTime, RequestedBy: "cli"})
		},
	}
	a.addPolicy(cmd)
	a.addEvaluator(cmd)
	a.addOverrides(cmd)
	cmd.Flags().BoolVar(&explain, "explain", false, "add layers and facts to each decision in JSON")
	cmd.Flags().BoolVar(&change, "change", false, "add to each refused call the edit that would permit it, as gavel fix shows it; slow")
	return cmd
}

func (a *app) decide(ctx context.Context, file string, options gavel.Options) error {
	in, err := a.open(file, "gavel decide calls.jsonl")
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	pdp, stop, err := a.loadAsking(ctx, a.policy, nil)
	if err != nil {
		return err
	}
	defer stop()
	d := &decider{app: a, pdp: pdp, name: in.name, options: options, out: bufio.NewWriter(a.stdout),
		table: a.output == outputText || a.output == "" && a.terminal.stdout}
	return d.run(ctx, newLines(in))
}

// decider decides the lines of one input and counts the results.
type decider struct {
	app     *app
	pdp     *gavel.PDP
	name    string // of the input
	options gavel.Options
	table   bool
	out     *bufio.Writer

	decided, asked, denied, wrong int
	events                        int       // of the decision log, which are not decisions
	shown                         time.Time // when progress was shown last
}

func (d *decider) run(ctx context.Context, in *lines) error {
	if d.table {
		d.header()
	}
	for ctx.Err() == nil {
		line, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case err == nil:
			err = d.line(ctx, in.number, line)
		case errors.Is(err, errTooLong):
			err = d.refuse(in.number, err)
		default:
			err = errors.Join(fmt.Errorf("read %s: %w", d.name, err), d.out.Flush())
		}
		if err != nil {
			return err
		}
		d.progress()
		// Show the decisions made so far before waiting for more input.
		if in.r.Buffered() == 0 {
			if err := d.out.Flush(); err != nil {
				return fmt.Errorf("write decisions: %w", err)
			}
		}
	}
	if d.decided+d.wrong == 0 && ctx.Err() == nil {
		return d.nothing()
	}
	d.finish()
	if err := d.out.Flush(); err != nil {
		return fmt.Errorf("write decisions: %w", err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d calls: %w", d.decided, context.Cause(ctx))
	}
	return nil
}

// nothing returns the error for an input without a call.
func (d *decider) nothing() error {
	if d.events > 0 {
		return fix(fmt.Errorf("%s has no call: %s skipped", d.name, d.skipped()),
			"give the lines of the log that have a decision_id: jq -c 'select(.decision_id)'")
	}
	return noCall(d.name)
}

// noCall returns the error for an empty input.
func noCall(name string) error {
	return fix(fmt.Errorf("%s has no call", name),
		`write one call per line, such as {"agent":{"id":"coder"},"tool":{"name":"read","params":{"path":"a.txt"}}}`)
}

func (d *decider) skipped() string {
	return count(d.events, "audit event of the log was", "audit events of the log were")
}

// line decides one line. A line that is not a call is counted as an error, but does not stop
// the run.
func (d *decider) line(ctx context.Context, number int, line []byte) error {
	if auditEvent(line) {
		d.events++
		return nil
	}
	decision, call, err := d.decision(ctx, line)
	if err != nil {
		return d.refuse(number, err)
	}
	d.decided++
	switch decision.Effect {
	case gavel.Allow:
	case gavel.Ask:
		d.asked++
	default:
		d.denied++
	}
	if d.table {
		d.row(number, call, decision)
		d.change(decision.Change)
		return nil
	}
	return strictjson.Write(d.out, decision)
}

// decision decides a call, or a line of the decision log from the facts in it.
func (d *decider) decision(ctx context.Context, line []byte) (gavel.Decision, gavel.Call, error) {
	if facts, id, logged, err := loggedFacts(line); logged {
		if err != nil {
			return gavel.Decision{}, gavel.Call{}, err
		}
		decision := d.pdp.Policy.Current().Decide(ctx, facts, d.options.Explain)
		decision.ID, decision.Call = d.pdp.NewID(), id
		if d.options.Explain {
			decision.Facts = &facts
		}
		return decision, gavel.Call{ID: id, Agent: gavel.Agent{ID: facts.Agent.ID}, Tool: gavel.Tool{Name: facts.Tool.Name}}, nil
	}
	call, err := strictjson.DecodeCall(line, true)
	if err != nil {
		return gavel.Decision{}, call, err
	}
	return d.pdp.Decide(ctx, call, d.options), call, nil
}

// refuse reports a line that is not a call, after the decisions before it have been written.
func (d *decider) refuse(number int, err error) error {
	d.wrong++
	if err := d.out.Flush(); err != nil {
		return fmt.Errorf("write decisions: %w", err)
	}
	d.app.complain(lineError(d.name, number, err))
	return nil
}

// finish sets the exit code, and prints a summary on a terminal.
func (d *decider) finish() {
	switch {
	case d.wrong > 0:
		d.app.code = exitError
	case d.denied > 0:
		d.app.code = exitDenied
	case d.asked > 0:
		d.app.code = exitAsked
	default:
		d.app.code = exitOK
	}
	if !d.shown.IsZero() {
		d.status("")
	}
	if d.table {
		_, _ = fmt.Fprintf(d.out, "\n%s: %d allowed, %d asked, %d denied", count(d.decided, "call", "calls"),
			d.decided-d.asked-d.denied, d.asked, d.denied)
		if d.wrong > 0 {
			_, _ = fmt.Fprintf(d.out, "; %s", count(d.wrong, "line is not a call", "lines are not calls"))
		}
		if d.events > 0 {
			_, _ = fmt.Fprintf(d.out, "; %s skipped", d.skipped())
		}
		_, _ = fmt.Fprintln(d.out)
		if d.asked+d.denied > 0 && !d.options.Change {
			_, _ = fmt.Fprintln(d.out, "gavel explain says why; gavel fix shows the smallest edit that would permit a call")
		}
	}
}

// progress shows how far a long run has come, if a person is watching and the decisions
// themselves are written elsewhere.
func (d *decider) progress() {
	if !d.app.terminal.stderr || d.app.terminal.stdout || d.decided%100 != 0 {
		return
	}
	if now := d.app.now(); now.Sub(d.shown) >= progressEvery {
		d.shown = now
		d.status(fmt.Sprintf("%d calls decided, %d asked, %d denied", d.decided, d.asked, d.denied))
	}
}

// status replaces the progress line.
func (d *decider) status(text string) { _, _ = fmt.Fprintf(d.app.stderr, "\r\x1b[K%s", text) }
