package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"gavel"
	"gavel/approvals"
)

// answersOffered asks a question and says how it may be answered.
func answersOffered(t *testing.T, r row) trial {
	in := part[struct {
		Ask     string
		Request struct{ Ask string }
	}](t, r.Input)
	ask := in.Ask + in.Request.Ask
	c := trial{want: fmt.Sprint(part[struct{ Decisions []string }](t, r.Expect).Decisions), agent: gateway(map[string]any{"ask": ask}), observe: func(p scene) string {
		d := p.exec("rm x")
		if d.Terms == nil {
			return codes(d)
		}
		return fmt.Sprint(d.Terms.Answers)
	}}
	if ask == "bogus" {
		c.config = map[string]any{"agents": map[string]any{"main": c.agent}}
	}
	return c
}

// lookup opens questions with ids and looks one up. Of an id that is too short for one of
// ours, digits make up for it.
func lookup(t *testing.T, r row) trial {
	in := part[struct {
		Registered []string
		Query      string
	}](t, r.Input)
	expect := part[struct {
		Kind, ID string
		IDs      []string
	}](t, r.Expect)
	want := strings.TrimSpace(expect.ID + " " + strings.Join(expect.IDs, " "))
	return trial{want: strings.TrimSpace("found " + want), agent: gateway(nil), observe: func(p scene) string {
		f := p.alone()
		for i, id := range in.Registered {
			call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": fmt.Sprint("rm ", i)}},
				Environment: &gavel.Environment{Cwd: "/", Executables: map[string]string{"rm": "/usr/bin/rm"}}}
			d := f.Decide(p.t.Context(), call, gavel.Options{ApprovalID: id})
			if d.Approval == nil {
				return codes(d)
			}
		}
		found, err := f.people.Find(p.t.Context(), in.Query)
		var refused *gavel.ApprovalError
		switch {
		case err == nil:
			return "found " + found.ID
		case errors.As(err, &refused) && refused.Code == gavel.CodeApprovalNotFound:
			return "found"
		case refused != nil:
			return refused.Code
		}
		return err.Error()
	}}
}

// forwarded says whether a question is sent to a target.
func forwarded(t *testing.T, r row) trial {
	in := part[struct {
		Request                    struct{ AgentID, SessionKey string }
		AgentFilter, SessionFilter []string
	}](t, r.Input)
	exec := map[string]any{"enabled": true, "mode": "targets", "targets": []any{map[string]any{"channel": "slack", "to": "ops"}}}
	if in.AgentFilter != nil {
		exec["agentFilter"] = in.AgentFilter
	}
	if in.SessionFilter != nil {
		exec["sessionFilter"] = in.SessionFilter
	}
	config := map[string]any{"approvals": map[string]any{"exec": exec}, "agents": map[string]any{"main": gateway(nil), "other": gateway(nil)}}
	return trial{want: fmt.Sprint(part[struct{ Match bool }](t, r.Expect).Match), config: config, observe: func(p scene) string {
		d := p.exec("rm x", func(c *gavel.Call) {
			c.Session.Key = in.Request.SessionKey
			if in.Request.AgentID == "" && in.Request.SessionKey == "" {
				c.Agent.ID = "other" // a call without an agent is refused
			}
		})
		if d.Effect != gavel.Ask {
			return codes(d)
		}
		return fmt.Sprint(len(d.Terms.Forward) > 0)
	}}
}

// answeredRun runs a command of a node for which somebody may have answered before.
func answeredRun(t *testing.T, r row) trial {
	in := part[struct {
		Argv                                              []string
		RawCommand, Security, Ask, Home, ApprovalDecision string
		Executables                                       map[string]string
		Approved                                          bool
	}](t, r.Input)
	settings := map[string]any{"security": in.Security, "ask": in.Ask, "host": "node", "node": "n1"}
	return trial{want: fmt.Sprintf("ran %t", part[struct{ Ran bool }](t, r.Expect).Ran), agent: gateway(settings), observe: func(p scene) string {
		machine := func(c *gavel.Call) {
			c.Environment.Home, c.Environment.Executables = in.Home, map[string]string{}
			for name, path := range in.Executables {
				c.Environment.Executables[name], c.Environment.Executables["/bin/"+name] = path, path
			}
			if in.RawCommand != "" {
				c.Tool.Params["rawCommand"] = in.RawCommand
			}
		}
		d := p.exec(shellWords(in.Argv), machine)
		if in.ApprovalDecision != "" && d.Approval != nil {
			_, err := p.people.Resolve(p.t.Context(), approvals.Resolution{ID: d.Approval.ID, Answer: in.ApprovalDecision, By: "approve"})
			if in.Approved && err != nil {
				return "the answer is refused"
			}
			d = p.exec(shellWords(in.Argv), machine)
		}
		return fmt.Sprintf("ran %t", d.Effect == gavel.Allow)
	}}
}

// shownRequest is a question as people see it.
func shownRequest(t *testing.T, r row) trial {
	in := part[struct{ Request struct{ Command string } }](t, r.Input)
	want := part[struct {
		CommandText    string
		CommandPreview *string
	}](t, r.Expect)
	preview := ""
	if want.CommandPreview != nil {
		preview = *want.CommandPreview
	}
	return trial{want: want.CommandText + "|" + preview, observe: func(scene) string {
		shown := approvals.Sanitise(gavel.ApprovalRequest{Command: in.Request.Command}, nil)
		preview := ""
		for _, segment := range shown.Segments {
			preview += segment.Command
		}
		return shown.Command + "|" + preview
	}}
}
