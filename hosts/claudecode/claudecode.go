// Package claudecode translates the hooks of Claude Code: PreToolUse, PermissionRequest and
// SubagentStart, run as a command or over HTTP.
package claudecode

import (
	_ "embed"
	"errors"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "claude-code"

// The events that Gavel answers.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
	// The answer to this event does not keep a sub-agent from starting, as measured with 2.1.330:
	// its spawn is decided when the tool Agent is called. This decision is for the log and the person.
	subagentStart = "SubagentStart"
)

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{preToolUse, permissionRequest}, Past: []string{"Post", "PermissionDenied"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Project: "CLAUDE_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect tells Claude Code from other hosts that use its dialect: Codex names the turn, Qwen
// Code the time of the event, Copilot CLI has no transcript, Factory Droid keeps it elsewhere.
func detect(p hosts.Payload) bool {
	return p.Has("hook_event_name") && p.Has("session_id") && p.Has("transcript_path") &&
		!strings.Contains(p.Text("transcript_path"), "/.factory/") && !p.Has("turn_id") && !p.Has("timestamp") &&
		p.Text("hook_event_name") != "BeforeTool"
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name"), Tool: p.Text("tool_name"), Input: p.At("tool_input"), Subagent: p.Text("agent_id")}
	if r.Event == subagentStart {
		return subagentRequest(r, p)
	}
	base, table, err := t.Open(p, &r, p.Text("session_id"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	base.Host.Mode = p.Text("permission_mode")
	r.Rewrites, r.Asks = true, true
	if strings.HasPrefix(r.Tool, "mcp__") {
		r.Calls = []gavel.Call{hosts.MCP(base, r.Tool, p.At("mcp_server").Text("name"), r.Input)}
		if p.Has("mcp_server") && p.At("mcp_server").Text("name") == "" {
			r.Calls[0].Tool.Unread = r.Tool + ": mcp_server does not name the server"
		}
		return r, hosts.RequireParameters(p, &r)
	}
	r.Calls = table.Calls(base, r.Tool, r.Input)
	return r, hosts.RequireParameters(p, &r)
}

// subagentRequest returns the spawn of a sub-agent as a call of the agent that spawned it. agent_id names
// the sub-agent, which is not the caller.
func subagentRequest(r hosts.Request, p hosts.Payload) (hosts.Request, error) {
	kind := p.Text("agent_type")
	if r.Subagent == "" || kind == "" {
		return r, errors.New("the payload does not name the sub-agent and its type")
	}
	base, err := hosts.Base(Name, r.Event, p)
	base.Tool = gavel.Tool{Name: "sessions_spawn", Params: map[string]any{"subagent_type": kind}}
	r.Subagent, r.Asks, r.Calls = "", true, []gavel.Call{base}
	return r, err
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Reply{Body: []byte("{}")}
	}
	switch r.Event {
	case permissionRequest:
		return permission(r, v)
	case subagentStart:
		return subagentReply(v)
	}
	members := []hosts.Member{hosts.TextMember("permissionDecision", v.Effect.String()), hosts.TextMember("permissionDecisionReason", v.Reason)}
	if input, ok := rewritten(r, v); ok && v.Effect != gavel.Deny {
		members = append(members, hosts.Member{Name: "updatedInput", Value: input})
	}
	return hosts.Print(hosts.HookOutput(preToolUse, members...))
}

// subagentReply tells the person if the policy denies a sub-agent, which has started already.
func subagentReply(v hosts.Verdict) hosts.Reply {
	if v.Effect != gavel.Deny {
		return hosts.Reply{Body: []byte("{}")}
	}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: hosts.NewObject(hosts.TextMember("systemMessage", v.Reason)).JSON()}
}

// permission answers the request for a permission that the host would ask a person for. An
// ask leaves it to the person.
func permission(r hosts.Request, v hosts.Verdict) hosts.Reply {
	decision := []hosts.Member{hosts.TextMember("behavior", v.Effect.String())}
	switch v.Effect {
	case gavel.Allow:
		r.Input = r.Input.Without("description") // it was for the dialog, which is not shown
		if input, ok := rewritten(r, v); ok {
			decision = append(decision, hosts.Member{Name: "updatedInput", Value: input})
		}
	case gavel.Ask:
		return hosts.Reply{Body: []byte("{}")}
	default:
		decision = append(decision, hosts.TextMember("message", v.Reason))
	}
	return hosts.Print(hosts.HookOutput(permissionRequest, hosts.Member{Name: "decision", Value: hosts.NewObject(decision...).JSON()}))
}

// rewritten returns the whole input with the command that was judged, and false if it is the original.
func rewritten(r hosts.Request, v hosts.Verdict) (jsontext.Value, bool) {
	if len(v.Run) != 1 || v.Run[0] == "" {
		return nil, false
	}
	return r.Input.With("command", hosts.Quote(v.Run[0])).JSON(), true
}

// fail denies. Exit code 2 blocks PreToolUse whatever was printed; a request for a permission
// obeys JSON only.
func fail(p hosts.Payload, err error) hosts.Reply {
	v := hosts.Verdict{Reason: hosts.FailureText(err)}
	switch p.Text("hook_event_name") {
	case permissionRequest:
		return permission(hosts.Request{}, v)
	case subagentStart:
		return subagentReply(v)
	}
	deny := answer(hosts.Request{Event: preToolUse}, v)
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: deny.Stdout}
}
