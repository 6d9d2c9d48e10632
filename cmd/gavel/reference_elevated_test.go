package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// elevatedArea is the area elevated: who may leave the sandbox, and where a command runs.
func elevatedArea() area {
	shared := map[string]any{"commands": map[string]any{"allowFrom": []string{"discord:123"}}, "tools": map[string]any{"elevated": map[string]any{"allowFrom": []string{"discord:123"}}}}
	return area{count: 80, shared: shared, ops: map[string]func(*testing.T, row) trial{
		"normalizeElevatedLevel": elevatedLevel, "elevatedExec": elevatedExec, "execHost": hostOf, "elevatedPermission": elevatedPermission,
		"elevatedDirective": elevatedDirective, "execDirective": execDirective, "elevatedUnavailable": closedGates,
	}}
}

// elevated makes a call one of a sandboxed agent, for somebody whom the configuration that
// cases share lets elevate, or for somebody else.
func elevated(c *gavel.Call, level string, authorised bool) {
	c.Agent.Sandboxed, c.Session.Elevated = new(true), level
	c.Sender = &gavel.Sender{Channel: "discord", ID: "9"}
	if authorised {
		c.Sender.ID = "123"
	}
}

// hostSeen is where a command would run, or why nowhere.
func (p scene) hostSeen(change ...func(*gavel.Call)) string {
	d := p.exec("rm x", change...)
	if d.Exec == nil || d.Effect == gavel.Deny {
		return codes(d)
	}
	return d.Exec.Host
}

// elevatedLevel says a level in the session of a sandboxed agent.
func elevatedLevel(t *testing.T, r row) trial {
	in := part[struct{ Value string }](t, r.Input)
	return trial{want: part[struct{ Mode string }](t, r.Expect).Mode, agent: map[string]any{"exec": map[string]any{"security": "full"}}, observe: func(p scene) string {
		d := p.exec("rm x", func(c *gavel.Call) { elevated(c, in.Value, true) })
		switch {
		case d.Effect == gavel.Deny:
			return codes(d)
		case d.Exec.Host == "sandbox":
			return "off"
		case d.Effect == gavel.Ask:
			return "ask"
		}
		return "full"
	}}
}

// elevatedExec asks to leave the sandbox, by the session and by the call.
func elevatedExec(t *testing.T, r row) trial {
	in := part[struct {
		DefaultLevel      string
		CallElevated      *bool
		ConfiguredHost    string
		EnabledAndAllowed bool
	}](t, r.Input)
	want := part[struct{ Host, Error string }](t, r.Expect)
	if want.Error != "" {
		want.Host = "elevated.sender"
	}
	return trial{want: want.Host, agent: map[string]any{"exec": map[string]any{"security": "full", "host": in.ConfiguredHost}}, observe: func(p scene) string {
		return p.hostSeen(func(c *gavel.Call) {
			elevated(c, in.DefaultLevel, in.EnabledAndAllowed)
			if in.CallElevated != nil {
				c.Tool.Params["elevated"] = *in.CallElevated
			}
		})
	}}
}

// hostOf asks for a host.
func hostOf(t *testing.T, r row) trial {
	in := part[struct {
		Configured, Requested, ElevatedMode string
		SandboxAvailable                    bool
	}](t, r.Input)
	want := part[struct{ Host, Error string }](t, r.Expect)
	if want.Error != "" {
		want.Host = "exec.host_not_allowed"
	}
	return trial{want: want.Host, agent: map[string]any{"exec": map[string]any{"security": "full", "host": in.Configured}}, observe: func(p scene) string {
		return p.hostSeen(func(c *gavel.Call) {
			elevated(c, in.ElevatedMode, true)
			c.Agent.Sandboxed = &in.SandboxAvailable
			if in.Requested != "" {
				c.Tool.Params["host"] = in.Requested
			}
			if in.Requested == "node" || in.Configured == "node" {
				c.Tool.Params["node"] = "n1"
			}
		})
	}}
}

// elevatedPermission asks for a sender by the level on. The case's agent is main.
func elevatedPermission(t *testing.T, r row) trial {
	in := part[struct {
		Config   map[string]any
		Provider string
		Sender   struct{ SenderID, From, SenderE164, SenderName, SenderUsername, SenderTag string }
	}](t, r.Input)
	want := "no"
	if part[struct{ Allowed bool }](t, r.Expect).Allowed {
		want = "yes"
	}
	if in.Config["agents"] == nil {
		in.Config["agents"] = map[string]any{"main": map[string]any{}}
	}
	return trial{want: want, config: in.Config, observe: func(p scene) string {
		host := p.hostSeen(func(c *gavel.Call) {
			elevated(c, "on", false)
			s := in.Sender
			c.Sender = &gavel.Sender{Channel: in.Provider, ID: s.SenderID, From: s.From, E164: s.SenderE164, Name: s.SenderName,
				Username: s.SenderUsername, Tag: s.SenderTag}
		})
		if host == "gateway" {
			return "yes"
		}
		return "no"
	}}
}

// closedGates asks for a level where some gates are closed, and lists the keys that the refusal
// names.
func closedGates(t *testing.T, r row) trial {
	in := part[struct {
		Failures         []struct{ Key string }
		RuntimeSandboxed bool
	}](t, r.Input)
	elevated := map[string]any{"allowFrom": []string{"discord:123"}}
	keys := []string{}
	for _, failure := range in.Failures {
		keys = append(keys, failure.Key)
		switch failure.Key {
		case "tools.elevated.enabled":
			elevated["enabled"] = false
		case "tools.elevated.allowFrom.whatsapp":
			elevated["allowFrom"] = map[string]any{"whatsapp": []string{"9"}}
		default:
			t.Errorf("nothing closes %s", failure.Key)
		}
	}
	if len(in.Failures) == 0 { // nobody says which, so the reference names both
		delete(elevated, "allowFrom")
		keys = []string{"tools.elevated.enabled", "tools.elevated.allowFrom"}
	}
	config := map[string]any{"tools": map[string]any{"elevated": elevated}, "agents": map[string]any{"main": map[string]any{}}}
	return trial{want: strings.Join(keys, " "), config: config, observe: func(p scene) string {
		answer, _ := p.told("/elevated full", in.RuntimeSandboxed)
		var named []string
		for _, reason := range answer.Directives[0].Reason {
			assert.Contains(p.t, answer.Reply, reason.Source.Path)
			named = append(named, reason.Source.Path)
		}
		return strings.Join(named, " ")
	}}
}
