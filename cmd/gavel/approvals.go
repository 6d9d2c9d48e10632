package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"gavel/approvals/view"
)

func (a *app) approvalsCommand() *cobra.Command {
	var to desk
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "List and answer agents' questions",
		Long: `List and answer agents' questions. It talks to a running gavel serve, over its
unix socket unless --server names a URL, with the token of an operator:
DIR/tokens/approve.token, or approve.NAME.token with --as NAME.

An id may be shortened to 8 characters or more. The credential that asked cannot answer.`,
		Example: `  gavel approvals list
  gavel approvals show 3f0c8a7e
  gavel approvals approve 3f0c8a7e --always
  gavel approvals deny 3f0c8a7e --comment 'not on Fridays'
  gavel approvals watch`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	to.flags(cmd)
	cmd.AddCommand(a.approvalsList(&to), a.approvalsShow(&to), a.approvalsApprove(&to), a.approvalsDeny(&to), a.approvalsWatch(&to))
	return cmd
}

func (a *app) approvalsList(to *desk) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List open questions, oldest first", Args: none,
		Example: "  gavel approvals list\n  gavel approvals list --output json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list struct {
				Approvals []view.Approval `json:"approvals"`
			}
			if err := to.get(cmd.Context(), a, "/v1/approvals", &list); err != nil || a.json() {
				return err
			}
			if len(list.Approvals) == 0 {
				a.printf("there are no open questions\n")
				return nil
			}
			a.printf("%s  %s  %s  %s\n", fit("ID", 8), fit("AGENT", 12), fit("EXPIRES", 8), "WOULD RUN")
			for i := range list.Approvals {
				a.printf("%s\n", a.summary(&list.Approvals[i]))
			}
			return nil
		}}
}

// summary describes an approval in one line.
func (a *app) summary(v *view.Approval) string {
	what := wouldRun(v)
	room := max(a.columns()-36, 20)
	return fmt.Sprintf("%s  %s  %s  %s", fit(v.ID[:min(8, len(v.ID))], 8), a.cut(clean(v.Request.Agent), 12), fit(a.left(v.ExpiresAt), 8), strings.TrimRight(a.cut(clean(what), room), " "))
}

func wouldRun(v *view.Approval) string {
	if v.Request.Command != "" {
		return v.Request.Command
	}
	return v.Request.Tool + " " + v.Request.Params
}

func (a *app) left(until time.Time) string {
	left := until.Sub(a.now()).Round(time.Second)
	if left <= 0 {
		return "over"
	}
	return left.String()
}

func (a *app) approvalsShow(to *desk) *cobra.Command {
	return &cobra.Command{Use: "show ID", Short: "Show what would run, segment by segment, and what allow-always would permit", Args: exactlyOne("id", "run gavel approvals list for the ids"),
		Example: "  gavel approvals show 3f0c8a7e",
		RunE: func(cmd *cobra.Command, args []string) error {
			var v view.Approval
			if err := to.get(cmd.Context(), a, "/v1/approvals/"+url.PathEscape(args[0]), &v); err != nil || a.json() {
				return err
			}
			a.showApproval(&v)
			return nil
		}}
}

// showApproval writes everything that a person needs to decide.
func (a *app) showApproval(v *view.Approval) {
	r := &v.Request
	line := func(name, text string) {
		if text != "" {
			a.printf("%s %s\n", fit(name, 10), clean(text))
		}
	}
	state := v.State
	if v.Decision != "" {
		state += ": " + v.Decision + " by " + v.ResolvedBy
	}
	line("id", v.ID)
	line("state", state)
	line("agent", r.Agent)
	line("session", r.Session)
	line("asked by", strings.Join(v.Requesters, ", "))
	line("tool", r.Tool)
	line("host", strings.TrimSpace(r.Host+" "+r.Node))
	line("in", r.Cwd)
	line("variables", strings.Join(r.Variables, ", "))
	line("command", r.Command)
	line("written as", r.Given)
	line("parameters", r.Params)
	for i, segment := range r.Segments {
		a.showSegment(i+1, segment)
	}
	for _, file := range r.Files {
		line("covers", file.Role+" "+file.Path+" (sha256 "+file.SHA256+")")
		if file.Warning != "" {
			a.printf("%s %s\n", fit("careful", 10), a.paint(red, clean(file.Path+": "+file.Warning)))
		}
	}
	for _, why := range v.Once {
		line("once", "an answer covers one execution only: "+why)
	}
	for _, reason := range r.Reasons {
		line("asked", reason.Message+" ("+reason.Code+")")
	}
	for _, note := range v.Notes {
		a.printf("%s %s\n", fit("careful", 10), a.paint(red, "the text "+clean(note)))
	}
	if len(v.Offer) > 0 {
		line("permanent", "would add to the allowlist: "+strings.Join(v.Offer, ", "))
		line("", "commands that match these entries then run without asking")
	}
	line("answers", strings.Join(v.Decisions, ", "))
	if v.Quorum > 1 {
		line("quorum", fmt.Sprintf("%d of %d have answered", len(v.Votes), v.Quorum))
	}
	line("comment", v.Comment)
	line("expires", a.left(v.ExpiresAt))
}

// showSegment writes one program of the command, with its hazards. Numbers begin at 1.
func (a *app) showSegment(number int, segment view.Segment) {
	a.printf("%s %s\n", fit(fmt.Sprintf("  run %d", number), 10), a.paint(bold, clean(segment.Command)))
	for _, through := range segment.Through {
		a.printf("%s through %s\n", fit("", 10), clean(through))
	}
	for _, hazard := range segment.Hazards {
		a.printf("%s %s\n", fit("", 10), a.paint(red, "hazard: "+clean(hazard)))
	}
	for _, pattern := range segment.Patterns {
		a.printf("%s %s\n", fit("", 10), clean(pattern))
	}
}

func (a *app) approvalsApprove(to *desk) *cobra.Command {
	var always bool
	var comment string
	cmd := &cobra.Command{Use: "approve ID", Short: "Allow a call once, or with --always permanently", Args: exactlyOne("id", "run gavel approvals list for the ids"),
		Example: "  gavel approvals approve 3f0c8a7e\n  gavel approvals approve 3f0c8a7e --always --comment 'part of the build'",
		RunE: func(cmd *cobra.Command, args []string) error {
			decision := "allow-once"
			if always {
				decision = "allow-always"
			}
			return a.resolve(cmd.Context(), to, args[0], decision, comment)
		}}
	cmd.Flags().BoolVar(&always, "always", false, "also add the entries that gavel approvals show lists to the allowlist")
	cmd.Flags().StringVar(&comment, "comment", "", "the reason, for the record and for the agent")
	return cmd
}

func (a *app) approvalsDeny(to *desk) *cobra.Command {
	var comment string
	cmd := &cobra.Command{Use: "deny ID", Short: "Deny a call", Args: exactlyOne("id", "run gavel approvals list for the ids"),
		Example: "  gavel approvals deny 3f0c8a7e --comment 'not on Fridays'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.resolve(cmd.Context(), to, args[0], "deny", comment)
		}}
	cmd.Flags().StringVar(&comment, "comment", "", "the reason, for the record and for the agent")
	return cmd
}

func (a *app) resolve(ctx context.Context, to *desk, id, decision, comment string) error {
	body, err := json.Marshal(map[string]string{"decision": decision, "comment": comment})
	if err != nil {
		return err
	}
	var v view.Approval
	if err := to.call(ctx, a, http.MethodPost, "/v1/approvals/"+url.PathEscape(id)+"/resolve", body, &v); err != nil || a.json() {
		return err
	}
	if v.Warning != "" {
		a.complain("gavel: "+v.Warning, "")
	}
	if v.State == "pending" {
		a.printf("%s: %d of %d have answered; another person must agree\n", v.ID, len(v.Votes), v.Quorum)
		return nil
	}
	a.printf("%s: %s: %s\n", v.ID, v.Decision, clean(wouldRun(&v)))
	return nil
}

func (a *app) approvalsWatch(to *desk) *cobra.Command {
	return &cobra.Command{Use: "watch", Short: "Show new questions as they arrive, until Ctrl-C", Args: none,
		Example: "  gavel approvals watch\n  gavel approvals watch --output json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			stream, err := to.open(cmd.Context(), a, http.MethodGet, "/v1/approvals/events", nil)
			if err != nil {
				return err
			}
			defer stream.Close() //nolint:errcheck // it was only read
			err = a.watchEvents(stream)
			if cmd.Context().Err() != nil {
				return nil
			}
			return err
		}}
}

// watchEvents writes events until the stream ends.
func (a *app) watchEvents(stream io.Reader) error {
	lines := bufio.NewScanner(stream)
	lines.Buffer(nil, maxLine)
	name := ""
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = strings.TrimPrefix(text, "exec.approval.")
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if a.json() {
			a.printf("%s\n", data)
			continue
		}
		var v view.Approval
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			return fmt.Errorf("read an event: %w", err)
		}
		if name == "resolved" {
			name = v.Decision
		}
		a.printf("%s  %s\n", fit(name, 12), a.summary(&v))
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("watch approvals: %w", err)
	}
	return fix(errors.New("the server has ended the stream"), "run the command again")
}

// get sends a GET request.
func (d *desk) get(ctx context.Context, a *app, path string, v any) error {
	return d.call(ctx, a, http.MethodGet, path, nil, v)
}

// call sends one request. With --output json, the answer is written unchanged.
func (d *desk) call(ctx context.Context, a *app, method, path string, body []byte, v any) error {
	answer, err := d.open(ctx, a, method, path, body)
	if err != nil {
		return err
	}
	defer answer.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(answer)
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if a.json() {
		a.printf("%s\n", bytes.TrimSpace(text))
		return nil
	}
	if err := json.Unmarshal(text, v); err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	return nil
}
