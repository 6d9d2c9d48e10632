package main

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"gavel"
	"gavel/internal/strictjson"
)

// toolsFlags describe a call without a tool, as a shortcut.
type toolsFlags struct {
	agent, provider, model string
	depth                  int
	sandboxed, owner       bool
}

func (a *app) toolsCommand() *cobra.Command {
	var flags toolsFlags
	cmd := &cobra.Command{
		Use:   "tools [FILE|-]",
		Short: "Show which tools an agent sees, and why it does not see the others",
		Long: `Show every tool: visible or not, which step of the pipeline removed it, and the
setting that decided. The input is one call without a tool, or the flags below.`,
		Example: `  gavel tools --agent coder
  gavel tools --policy policy --agent main --owner --provider openai --model gpt-5.2
  echo '{"agent":{"id":"relay","depth":1}}' | gavel tools`,
		Args: atMostOne("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			call, err := a.toolsCall(cmd, first(args), flags)
			if err != nil || a.code != exitOK {
				return err
			}
			return a.tools(cmd.Context(), call)
		},
	}
	a.addPolicy(cmd)
	cmd.Flags().StringVar(&flags.agent, "agent", "", "id of the agent")
	cmd.Flags().IntVar(&flags.depth, "depth", 0, "depth of the agent in the chain of agents that started one another")
	cmd.Flags().BoolVar(&flags.sandboxed, "sandboxed", false, "the agent runs in a sandbox")
	cmd.Flags().BoolVar(&flags.owner, "owner", false, "the sender is the owner")
	cmd.Flags().StringVar(&flags.provider, "provider", "", "provider of the model")
	cmd.Flags().StringVar(&flags.model, "model", "", "id of the model")
	return cmd
}

// toolsCall builds the question from the flags or from the input, never from both.
func (a *app) toolsCall(cmd *cobra.Command, file string, flags toolsFlags) (gavel.Call, error) {
	shortcut := false
	for _, name := range []string{"agent", "depth", "sandboxed", "owner", "provider", "model"} {
		shortcut = shortcut || cmd.Flags().Changed(name)
	}
	if !shortcut {
		return a.readQuestion(file)
	}
	if file != "" {
		return gavel.Call{}, fix(errors.New("both a file and flags describe the call"), "use one of them")
	}
	call := gavel.Call{
		Agent: gavel.Agent{ID: flags.agent, Depth: &flags.depth, Sandboxed: &flags.sandboxed},
		Model: gavel.Model{Provider: flags.provider, ID: flags.model},
	}
	if flags.owner {
		call.Sender = &gavel.Sender{Owner: true}
	}
	var wrong *gavel.InputError
	if err := call.Validate(false); errors.As(err, &wrong) {
		return call, fix(err, wrong.Fix)
	}
	return call, nil
}

func (a *app) readQuestion(file string) (gavel.Call, error) {
	in, err := a.open(file, "gavel tools --agent coder")
	if err != nil {
		return gavel.Call{}, err
	}
	defer in.Close() //nolint:errcheck // it was only read
	text, err := readAll(in)
	if err != nil {
		return gavel.Call{}, err
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return gavel.Call{}, fix(errors.New("no agent is named"), "name one, as in gavel tools --agent coder, or give a call in JSON")
	}
	call, err := strictjson.DecodeCall(text, false)
	if err != nil {
		a.complain(lineError(in.name, 1, err))
		a.failed()
	}
	return call, nil
}

func (a *app) tools(ctx context.Context, call gavel.Call) error {
	pdp, err := a.load(ctx, a.policy)
	if err != nil {
		return err
	}
	report := pdp.Tools(ctx, call)
	if a.json() {
		return strictjson.Write(a.stdout, report)
	}
	name, step := width("TOOL"), width("REMOVED BY")
	for _, tool := range report.Tools {
		name, step = max(name, width(clean(tool.Name))), max(step, width(clean(tool.Step)))
	}
	a.printf("%s\n", a.paint(bold, fit("TOOL", name)+"  VISIBLE  "+fit("REMOVED BY", step)+"  SOURCE"))
	visible := 0
	for _, tool := range report.Tools {
		if tool.Visible {
			visible++
		}
		a.tool(tool, name, step)
	}
	a.printf("\nagent %s sees %d of %s\n", clean(call.Agent.ID), visible, count(len(report.Tools), "tool", "tools"))
	for _, reason := range report.Reasons {
		a.reason(reason)
	}
	for _, list := range report.Allowlists {
		a.resolution(list)
	}
	return nil
}

// tool writes one row, with columns as wide as the longest name and step.
func (a *app) tool(t gavel.ToolVerdict, name, step int) {
	mark, where := a.paint(green, fit("yes", 7)), ""
	if !t.Visible {
		mark = a.paint(red, fit("no", 7))
	}
	if t.Reason != nil {
		where = place(t.Reason.Source)
	}
	a.printf("%s\n", strings.TrimRight(fit(clean(t.Name), name)+"  "+mark+"  "+fit(clean(t.Step), step)+"  "+clean(where), " "))
}

// resolution writes how an allow list was resolved, if that is noteworthy (R6).
func (a *app) resolution(r gavel.AllowlistResolution) {
	if !r.StrippedAllowlist && len(r.UnknownAllowlist) == 0 {
		return
	}
	a.printf("\nallow list %s  (%s)\n", clean(r.Step), clean(place(r.Source)))
	if r.StrippedAllowlist {
		a.printf("  dropped: it names only plugin tools, and would remove every core tool; use alsoAllow to add tools\n")
	}
	if len(r.UnknownAllowlist) > 0 {
		a.printf("  matches no tool: %s\n", clean(strings.Join(r.UnknownAllowlist, ", ")))
	}
	if len(r.Policy) > 0 {
		a.printf("  in force: %s\n", clean(strings.Join(r.Policy, ", ")))
	}
}
