package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/internal/strictjson"
)

// fixTime limits how long gavel fix and gavel explain search for the change of one call.
const fixTime = 30 * time.Second

func (a *app) fixCommand() *cobra.Command {
	var write bool
	cmd := &cobra.Command{
		Use:   "fix [CALL|FILE|-]",
		Short: "Show the smallest edit of the configuration that would permit a call",
		Long: `Show the smallest edit of the configuration that would permit a refused call, as a
patch, and what the edit admits. The call is decided again with the edit before it is
shown, and the policy's own tests and decision cases have to pass. If no edit should
permit the call, the reason is shown instead.

The input is one call, as JSON or in a file, or one call per line. Without --output, the
output is text on a terminal, and JSON elsewhere.

With --write the edit is made. Comments and formatting are kept. The file is replaced as a
whole, and only if it has not changed in the meantime. Then the policy is loaded again and
the call is decided again. No copy of the old file is kept.

Exit codes: 0 every call is allowed or has an edit, 2 some call has none, 1 an error.`,
		Example: `  gavel fix --policy policy call.json
  gavel fix --policy policy --write call.json
  gavel fix '{"agent":{"id":"coder"},"tool":{"name":"exec","params":{"command":"git fetch"}}}'`,
		Args: atMostOne("call"),
		RunE: func(cmd *cobra.Command, args []string) error { return a.fix(cmd.Context(), first(args), write) },
	}
	a.addPolicy(cmd)
	cmd.Flags().BoolVar(&write, "write", false, "make the edit in the policy's configuration file")
	return cmd
}

// fixResult is the outcome for one call.
type fixResult struct {
	Call     string        `json:"call,omitempty"`
	Decision gavel.Effect  `json:"decision"`
	Change   *gavel.Change `json:"change,omitempty"`
	Written  string        `json:"written,omitempty"` // the file that was edited
}

func (a *app) fix(ctx context.Context, name string, write bool) error {
	in, err := a.openCalls(name)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	calls, err := a.readCalls(in)
	if err != nil {
		return err
	}
	var pdp *gavel.PDP
	for _, call := range calls {
		if pdp == nil { // at the start, and after each edit
			if pdp, err = a.load(ctx, a.policy); err != nil {
				return err
			}
		}
		found := proposeFix(ctx, pdp, call)
		if write && found.Change != nil && found.Change.None == "" {
			if err := a.write(ctx, call, &found); err != nil {
				return err
			}
			pdp = nil
		}
		if found.Change != nil && found.Change.None != "" && a.code == exitOK {
			a.code = exitDenied
		}
		if err := a.showFixed(call, found); err != nil {
			return err
		}
	}
	return nil
}

// openCalls opens the input of an argument that is either a call or the name of a file with calls.
func (a *app) openCalls(name string) (input, error) {
	if strings.HasPrefix(strings.TrimSpace(name), "{") {
		return input{io.NopCloser(strings.NewReader(name)), "the call"}, nil
	}
	return a.open(name, "gavel fix call.json")
}

// proposeFix decides a call and looks for the change that would permit it.
func proposeFix(ctx context.Context, pdp *gavel.PDP, call gavel.Call) fixResult {
	decision := pdp.Decide(ctx, call, gavel.Options{Change: true, ChangeTime: fixTime, RequestedBy: "cli"})
	return fixResult{Call: call.ID, Decision: decision.Effect, Change: decision.Change}
}

// showFixed writes the outcome for one call.
func (a *app) showFixed(call gavel.Call, found fixResult) error {
	if a.output == outputJSON || a.output == "" && !a.terminal.stdout {
		return strictjson.Write(a.stdout, found)
	}
	name := ""
	if call.ID != "" {
		name = "  (" + clean(call.ID) + ")"
	}
	a.printf("%s %s wants %s%s: %s\n", a.paint(bold, "call"), clean(call.Agent.ID), clean(call.Tool.Name), name,
		a.paint(effectColour(found.Decision), found.Decision.String()))
	if found.Change == nil {
		a.printf("%snothing to change\n", indent)
		return nil
	}
	a.showChange(found.Change)
	switch {
	case found.Change.None != "":
	case found.Written != "":
		a.printf("%s written to %s; the call is decided: %s\n", a.paint(green, "✓"), clean(found.Written), found.Change.Decision)
	default:
		a.printf("%sgavel fix --write makes this edit\n", indent)
	}
	return nil
}

// showChange writes a change: the patch, what it admits, and the new decision for the call.
func (a *app) showChange(change *gavel.Change) {
	if change.None != "" {
		a.printf("%s none\n%s", a.paint(bold, "change"), a.paragraph(change.None))
		return
	}
	a.printf("%s %s\n", a.paint(bold, "change"), clean(fmt.Sprintf("%s:%d", fileOf(a.policy, change.File), change.Line)))
	for line := range strings.Lines(change.Patch) {
		line = clean(strings.TrimRight(line, "\r\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = a.paint(green, line)
		case strings.HasPrefix(line, "-"):
			line = a.paint(red, line)
		case strings.HasPrefix(line, "@@"):
			line = a.paint(dim, line)
		}
		a.printf("%s%s\n", indent, line)
	}
	a.printf("%s", a.paragraph("it admits "+change.Admits))
	if change.Decision != gavel.Allow.String() {
		a.printf("%sthe decision is then %s, because the policy asks on purpose\n", indent, change.Decision)
	}
	if len(change.Verify) > 0 {
		a.printf("%sverifiers must then agree: %s\n", indent, clean(strings.Join(change.Verify, ", ")))
	}
}

// write makes the change in the policy's file, loads the policy again and decides the call
// again. If the decision is not the promised one, it restores the file.
func (a *app) write(ctx context.Context, call gavel.Call, found *fixResult) error {
	name, err := a.editable(found.Change.File)
	if err != nil {
		return err
	}
	if err := replaceText(name, found.Change.Before, found.Change.Text); err != nil {
		return err
	}
	again, err := a.decideAgain(ctx, call)
	if err == nil && again.String() != found.Change.Decision {
		err = fmt.Errorf("the call is decided %s with the edit, and not %s", again, found.Change.Decision)
	}
	if err != nil {
		return fix(errors.Join(fmt.Errorf("edit %s: %w", name, err), replaceText(name, found.Change.Text, found.Change.Before)),
			"the file has its old text again; report this with the call")
	}
	found.Written = name
	return nil
}

// decideAgain loads the policy again and returns its decision on a call. It is allow if only
// verifiers still have to agree.
func (a *app) decideAgain(ctx context.Context, call gavel.Call) (gavel.Effect, error) {
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return gavel.Deny, err
	}
	d := pdp.Decide(ctx, call, gavel.Options{RequestedBy: "cli"})
	if d.Asks != nil { // only verifiers still have to agree, and they are not asked here
		return gavel.Allow, nil
	}
	return d.Effect, nil
}

// editable returns the policy file that an edit changes.
func (a *app) editable(file string) (string, error) {
	if a.policy == "" {
		return "", fix(errors.New("the built-in policy cannot be edited"), "write one to start from with gavel init DIR, and name it with --policy")
	}
	if a.key != nil {
		return "", fix(errors.New("the policy is signed, and an edit would break the signature"), "apply the patch where the policy is written, and sign it again")
	}
	name, ok := openable(a.policy, file)
	if !ok {
		return "", fix(fmt.Errorf("%s is inside a bundle, and cannot be edited", file), "apply the patch to the directory from which the bundle is built")
	}
	return name, nil
}
