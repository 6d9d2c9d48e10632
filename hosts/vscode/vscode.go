// Package vscode translates the PreToolUse hook of agents in VS Code. Its payloads are known
// from documentation only: the host writes some names in two ways, and reads hook files that
// were written for Claude Code.
package vscode

import (
	_ "embed"
	"fmt"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "vscode"

// preToolUse is the event that Gavel answers.
const preToolUse = "PreToolUse"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{preToolUse}, Past: []string{"Post"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises names in camel case, which only VS Code uses. Of the hosts with snake case, only VS
// Code sends the time and the id of the tool use, but no permission mode.
func detect(p hosts.Payload) bool {
	if p.Has("conversation_id") || p.Has("turn_id") || p.Has("permission_mode") || p.Has("permissionMode") || p.Has("transcriptPath") {
		return false
	}
	if p.Has("hookEventName") {
		return p.Has("sessionId") || p.Has("session_id")
	}
	return p.Text("hook_event_name") == preToolUse && p.Has("transcript_path") && p.Has("timestamp") && p.Has("tool_use_id")
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: either(p, "hookEventName", "hook_event_name"), Tool: either(p, "tool_name", "toolName"),
		Asks: true, Subagent: either(p, "agent_id", "agentId")}
	base, table, err := t.Open(p, &r, either(p, "sessionId", "session_id"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	input := "tool_input"
	if p.Has("toolInput") {
		input = "toolInput"
	}
	if !hosts.IsParameters(p.Object, input) {
		return r, fmt.Errorf("%s is not an object", input)
	}
	r.Input = p.At(input)
	base.Environment.Workspace = base.Environment.Cwd
	r.Calls = calls(table, base, r.Tool, r.Input)
	return r, nil
}

// either returns the text of a member that is spelt in one of two ways.
func either(p hosts.Payload, one, other string) string {
	if text := p.Text(one); text != "" {
		return text
	}
	return p.Text(other)
}

func calls(table hosts.Table, base gavel.Call, name string, input hosts.Object) []gavel.Call {
	var list []gavel.Call
	switch name {
	case "editFiles":
		list = table.Each(base, name, "files", "filePath", input, "explanation")
	case "multi_replace_string_in_file":
		list = table.Each(base, name, "replacements", "filePath", input, "explanation")
	case "fetch", "fetch_webpage":
		list = table.Each(base, name, "urls", "url", input, "query")
	default:
		list = table.Calls(base, name, input)
	}
	for i := range list {
		if file, ok := list[i].Tool.Params["path"].(string); ok && list[i].Tool.Unread == "" && file != "" {
			list[i].Tool.Params["path"] = hosts.Join(base.Environment.Cwd, file)
		}
	}
	return list
}

// answer never rewrites: if the host does not accept the rewritten call, it runs the original.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Reply{Body: []byte("{}")}
	}
	return hosts.Print(hosts.HookOutput(preToolUse, hosts.TextMember("permissionDecision", v.Effect.String()), hosts.TextMember("permissionDecisionReason", v.Reason)))
}

// fail denies: exit code 2 blocks, and the text on standard error goes to the model.
func fail(_ hosts.Payload, err error) hosts.Reply {
	v := hosts.Verdict{Reason: hosts.FailureText(err)}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: answer(hosts.Request{}, v).Stdout}
}
