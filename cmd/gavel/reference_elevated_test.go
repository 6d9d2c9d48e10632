package main

import (
	"testing"

	"gavel"
)

// elevatedArea is the area elevated: who may leave the sandbox, and where a command runs.
func elevatedArea() area {
	return area{count: 80, ops: map[string]func(*testing.T, row) trial{
		"normalizeElevatedLevel": elevatedLevel, "elevatedExec": elevatedExec, "execHost": hostOf,
	}}
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
		host := p.hostSeen(func(c *gavel.Call) { c.Agent.Sandboxed, c.Session.Elevated = new(true), in.Value })
		if host == "sandbox" {
			return "off"
		}
		return host
	}}
}

// elevatedExec asks to leave the sandbox, by the session and by the call.
func elevatedExec(t *testing.T, r row) trial {
	in := part[struct {
		DefaultLevel   string
		CallElevated   *bool
		ConfiguredHost string
	}](t, r.Input)
	want := part[struct{ Host, Error string }](t, r.Expect)
	if want.Error != "" {
		want.Host = "elevated.off"
	}
	return trial{want: want.Host, agent: map[string]any{"exec": map[string]any{"security": "full", "host": in.ConfiguredHost}}, observe: func(p scene) string {
		return p.hostSeen(func(c *gavel.Call) {
			c.Agent.Sandboxed, c.Session.Elevated = new(true), in.DefaultLevel
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
			c.Agent.Sandboxed, c.Session.Elevated = &in.SandboxAvailable, in.ElevatedMode
			if in.Requested != "" {
				c.Tool.Params["host"] = in.Requested
			}
			if in.Requested == "node" || in.Configured == "node" {
				c.Tool.Params["node"] = "n1"
			}
		})
	}}
}
