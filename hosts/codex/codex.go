// Package codex translates the hooks of Codex, PreToolUse and PermissionRequest, and the
// questions of its app server.
package codex

import (
	_ "embed"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "codex"

// The events that Gavel answers.
const (
	preToolUse        = "PreToolUse"
	permissionRequest = "PermissionRequest"
)

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{preToolUse, permissionRequest}, Past: []string{"Post"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises the turn id, which only Codex sends, and the methods of its app server.
func detect(p hosts.Payload) bool {
	if !p.Has("hook_event_name") {
		return isQuestion(p)
	}
	return p.Has("turn_id") || p.Has("session_id") && p.Has("model") && !p.Has("timestamp") && !p.Has("conversation_id")
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	if isQuestion(p) {
		table, err := t.Table()
		if err != nil {
			return hosts.Request{}, err
		}
		return readServer(table, p)
	}
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name"), Tool: p.Text("tool_name"), Input: p.At("tool_input"), Subagent: p.Text("agent_id")}
	base, table, err := t.Open(p, &r, p.Text("session_id"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	// A rewrite would invalidate the answer to PermissionRequest. A command that PreToolUse
	// rewrote comes back as it was judged; anything else is left to the person.
	r.Rewrites, r.Asks = true, r.Event == permissionRequest
	base.Host.Mode, base.Model.ID = p.Text("permission_mode"), p.Text("model")
	if strings.HasPrefix(r.Tool, "mcp__") {
		r.Calls = []gavel.Call{hosts.MCP(base, r.Tool, "", r.Input)}
		r.Rewrites = false
		return r, hosts.RequireParameters(p, &r)
	}
	r.Calls = callsOf(table, base, r.Tool, r.Input)
	if r.Event == preToolUse {
		unpage(table, &r)
	}
	return r, hosts.RequireParameters(p, &r)
}

// unpage keeps programs of a shell command from starting a pager, into which the agent could
// type without any hook.
func unpage(table hosts.Table, r *hosts.Request) {
	tool := &r.Calls[0].Tool
	text, isText := tool.Params["command"].(string)
	if len(r.Calls) != 1 || tool.Name != "exec" || tool.Unread != "" || !isText {
		return
	}
	tool.Params["command"], r.Replaced = table[r.Tool].Unpage(text)
}

// callsOf returns the calls of a tool. A shell command that only applies a patch is judged as a
// patch, because Codex applies it itself.
func callsOf(table hosts.Table, base gavel.Call, tool string, input hosts.Object) []gavel.Call {
	calls := table.Calls(base, tool, input)
	text, isText := calls[0].Tool.Params["command"].(string)
	if len(calls) != 1 || calls[0].Tool.Name != "exec" || calls[0].Tool.Unread != "" || !isText {
		return calls
	}
	patch, dir, ok := patchIn(text)
	if !ok {
		return calls
	}
	there := *calls[0].Environment
	if there.Cwd = hosts.Join(there.Cwd, dir); there.Workspace == "" {
		there.Workspace = base.Environment.Cwd
	}
	calls[0].Environment = &there
	calls[0].Tool = gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": patch}}
	return calls
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	switch {
	case r.NoOpinion:
		return hosts.Reply{Body: []byte("{}")}
	case r.Event == permissionRequest:
		return permission(v)
	case r.Event != preToolUse:
		return answerServer(r, v)
	}
	run := len(v.Run) == 1 && v.Run[0] != ""
	switch {
	case v.Effect != gavel.Allow:
		return hosts.Print(hosts.HookOutput(preToolUse, hosts.TextMember("permissionDecision", "deny"), hosts.TextMember("permissionDecisionReason", v.Reason)))
	case run:
		input := hosts.NewObject(hosts.TextMember("command", v.Run[0]))
		return hosts.Print(hosts.HookOutput(preToolUse, hosts.TextMember("permissionDecision", "allow"), hosts.Member{Name: "updatedInput", Value: input.JSON()}))
	default: // a bare allow would have no effect
		return hosts.Reply{Body: []byte("{}")}
	}
}

func permission(v hosts.Verdict) hosts.Reply {
	switch {
	case v.Effect == gavel.Ask, v.Effect == gavel.Allow && len(v.Run) > 0 && v.Run[0] != "":
		return hosts.Reply{Body: []byte("{}")}
	case v.Effect == gavel.Allow:
		return hosts.Print(hosts.HookOutput(permissionRequest, hosts.Member{Name: "decision", Value: hosts.NewObject(hosts.TextMember("behavior", "allow")).JSON()}))
	default:
		decision := hosts.NewObject(hosts.TextMember("behavior", "deny"), hosts.TextMember("message", v.Reason))
		return hosts.Print(hosts.HookOutput(permissionRequest, hosts.Member{Name: "decision", Value: decision.JSON()}))
	}
}

// fail denies: with text on standard error, exit code 2 takes precedence over standard output.
func fail(p hosts.Payload, err error) hosts.Reply {
	v := hosts.Verdict{Reason: hosts.FailureText(err)}
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name")}
	if isQuestion(p) {
		r.Event, r.Input = p.Text("method"), p.Object
		reply := answerServer(r, v)
		reply.Stderr, reply.Exit = []byte(v.Reason+"\n"), 2
		return reply
	}
	if r.Event != permissionRequest {
		r.Event = preToolUse
	}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: answer(r, v).Stdout}
}
