// Package qwen translates the hook of Qwen Code: PreToolUse, in the dialect of Claude Code.
// Qwen Code ignores rewritten parameters.
package qwen

import (
	_ "embed"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "qwen-code"

// preToolUse is the event that Gavel answers.
const preToolUse = "PreToolUse"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{preToolUse}, Past: []string{"Post"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Project: "QWEN_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises the time of the event, which Claude Code does not send, together with a permission
// mode, which Gemini CLI and Copilot CLI do not send.
func detect(p hosts.Payload) bool {
	return p.Has("hook_event_name") && p.Has("transcript_path") && p.Has("timestamp") && p.Has("permission_mode") && !p.Has("turn_id") &&
		p.Text("hook_event_name") != "BeforeTool"
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name"), Tool: p.Text("tool_name"), Input: p.At("tool_input"), Subagent: p.Text("agent_id")}
	base, table, err := t.Open(p, &r, p.Text("session_id"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	base.Host.Mode, base.Environment.Shell = p.Text("permission_mode"), "bash"
	r.Asks = true
	name, input := r.Tool, r.Input
	if name == "tool_call" { // a wrapper, which mostly shows the tool inside
		name, input = r.Input.Text("name"), r.Input.At("arguments")
		if value, _ := r.Input.Get("arguments"); name == "" || name == "tool_call" || value.Kind() != '{' {
			base.Tool = gavel.Tool{Name: "tool_call", Unread: "tool_call does not name a tool and its parameters"}
			r.Calls = []gavel.Call{base}
			return r, nil
		}
	}
	if strings.HasPrefix(name, "mcp__") {
		r.Calls = []gavel.Call{hosts.MCP(base, name, "", input)}
		return r, hosts.RequireParameters(p, &r)
	}
	r.Calls = table.Calls(base, name, input)
	return r, hosts.RequireParameters(p, &r)
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Reply{Body: []byte("{}")}
	}
	return hosts.Print(hosts.HookOutput(preToolUse, hosts.TextMember("permissionDecision", v.Effect.String()), hosts.TextMember("permissionDecisionReason", v.Reason)))
}

// fail denies: exit code 2 blocks, if there is text on standard error.
func fail(_ hosts.Payload, err error) hosts.Reply {
	v := hosts.Verdict{Reason: hosts.FailureText(err)}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: answer(hosts.Request{}, v).Stdout}
}
