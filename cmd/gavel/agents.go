package main

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"gavel"
)

func (a *app) agentsCommand() *cobra.Command {
	to := desk{own: "admin.token"}
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "Pause agents, and resume them",
		Long: `Pause agents, and resume them. A paused agent, and every agent that it started, is
denied at once, with the reason and the end of the pause; * stands for all agents. An
approval does not override it.

The command talks to a running gavel serve with the token of an administrator:
DIR/tokens/admin.token.`,
		Example: `  gavel agents pause coder --for 1h --why 'deletes branches'
  gavel agents pause '*' --why 'an incident'
  gavel agents list
  gavel agents resume coder`,
		Args: unknownCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	to.flags(cmd)
	cmd.AddCommand(a.agentsPause(&to), a.agentsResume(&to), a.agentsList(&to))
	return cmd
}

func (a *app) agentsPause(to *desk) *cobra.Command {
	var lasts, why string
	cmd := &cobra.Command{Use: "pause ID", Short: "Deny every call of an agent", Args: exactlyOne("agent", ""),
		Example: "  gavel agents pause coder --for 1h --why 'deletes branches'",
		RunE: func(cmd *cobra.Command, args []string) error {
			body := map[string]any{"why": why}
			if why == "" {
				return fix(errors.New("--why is missing"), "say in a few words why the agent is paused; the agent and its people will read it")
			}
			if lasts != "" {
				life, err := lifetime(lasts)
				if err != nil {
					return err
				}
				body["forSeconds"] = int64(life / time.Second)
			}
			text, err := json.Marshal(body)
			if err != nil {
				return err
			}
			var pause gavel.Pause
			if err := to.call(cmd.Context(), a, http.MethodPost, "/v1/agents/"+url.PathEscape(args[0])+"/pause", text, &pause); err != nil || a.json() {
				return err
			}
			a.printf("agent %s is paused %s\n", clean(pause.Agent), until(pause.Until))
			return nil
		}}
	cmd.Flags().StringVar(&lasts, "for", "", "how long, such as 30m, 1h or 2d (default: until it is resumed)")
	cmd.Flags().StringVar(&why, "why", "", "the reason; the agent and its people read it")
	return cmd
}

func until(t time.Time) string {
	if t.IsZero() {
		return "until it is resumed"
	}
	return "until " + t.Format(time.RFC3339)
}

func (a *app) agentsResume(to *desk) *cobra.Command {
	return &cobra.Command{Use: "resume ID", Short: "End an agent's pause", Args: exactlyOne("agent", ""),
		Example: "  gavel agents resume coder",
		RunE: func(cmd *cobra.Command, args []string) error {
			var answer map[string]string
			if err := to.call(cmd.Context(), a, http.MethodPost, "/v1/agents/"+url.PathEscape(args[0])+"/resume", nil, &answer); err != nil || a.json() {
				return err
			}
			a.printf("agent %s is no longer paused\n", clean(answer["agent"]))
			return nil
		}}
}

func (a *app) agentsList(to *desk) *cobra.Command {
	return &cobra.Command{Use: "list", Short: "List the agents that are paused", Args: none,
		Example: "  gavel agents list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list struct {
				Paused []gavel.Pause `json:"paused"`
			}
			if err := to.call(cmd.Context(), a, http.MethodGet, "/v1/agents", nil, &list); err != nil || a.json() {
				return err
			}
			if len(list.Paused) == 0 {
				a.printf("no agent is paused\n")
				return nil
			}
			rows := [][]string{{"AGENT", "UNTIL", "BY", "WHY"}}
			for _, p := range list.Paused {
				end := "resumed"
				if !p.Until.IsZero() {
					end = p.Until.Format(time.RFC3339)
				}
				rows = append(rows, []string{p.Agent, end, p.By, p.Why})
			}
			a.printf("%s", aligned(rows))
			return nil
		}}
}
