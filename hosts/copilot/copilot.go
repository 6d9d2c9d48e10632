// Package copilot translates the hooks of Copilot CLI, in both of its dialects: preToolUse
// with its own names, PreToolUse with those of Claude Code; and permissionRequest.
package copilot

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "copilot-cli"

// The events that Gavel answers.
const (
	ownPreToolUse    = "preToolUse" // in Copilot's own dialect; the payload does not name it
	claudePreToolUse = "PreToolUse" // in Claude Code's dialect
	permission       = "permissionRequest"
)

// githubServer is the MCP server that is built into the host.
const githubServer = "github-mcp-server"

//go:embed tools.yaml
var tools []byte

//go:embed permissions.yaml
var permissions []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{
		tools:       sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) }),
		permissions: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(permissions) }),
	}
	return hosts.Host{Name: Name, Project: "COPILOT_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises Copilot CLI by the time of the event. In its own dialect, that is a number. In Claude
// Code's dialect, it is text, and there is neither a transcript nor a permission mode.
func detect(p hosts.Payload) bool {
	if p.Has("hookEventName") || p.Has("clineVersion") {
		return false
	}
	time, _ := p.Get("timestamp")
	if p.Has("sessionId") {
		return time.Kind() == '0'
	}
	return p.Has("session_id") && p.Has("hook_event_name") && time.Kind() == '"' &&
		!p.Has("transcript_path") && !p.Has("permission_mode") && !p.Has("turn_id") && !p.Has("conversation_id")
}

type translator struct {
	tools, permissions func() (hosts.Table, error)
}

// event returns the name of the event, or "" if it is not about a future call.
func event(p hosts.Payload) (string, error) {
	name := p.Text("hook_event_name") + p.Text("hookName")
	about := p.Has("toolName") || p.Has("tool_name") || p.Has("toolArgs")
	switch {
	case name == claudePreToolUse, name == permission:
		return name, nil
	case !about, strings.HasPrefix(name, "Post"), name == "" && (p.Has("toolResult") || p.Has("error")):
		return "", nil
	case name == "":
		return ownPreToolUse, nil
	default:
		return "", fmt.Errorf("the event %q is unknown, and asks about a tool", name)
	}
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	name, err := event(p)
	r := hosts.Request{Host: Name, Event: name, NoOpinion: err == nil && name == "",
		Tool:     p.Text("toolName") + p.Text("tool_name"),
		Subagent: p.Text("agentId") + p.Text("agent_id")}
	if r.Subagent == "" && (p.Has("parentAgentId") || p.Has("parent_agent_id")) {
		r.Subagent = p.Text("sessionId") + p.Text("session_id")
	}
	if err != nil || r.NoOpinion {
		return r, err
	}
	if r.Tool == "" {
		return r, errors.New("the payload names no tool")
	}
	base, err := hosts.BaseOf(Name, r.Event, p.Text("sessionId")+p.Text("session_id"), p.Text("cwd"))
	if err != nil {
		return r, err
	}
	input, asText, err := inputOf(p, r.Event)
	if err != nil {
		return r, err
	}
	r.Input, r.Asks, r.Rewrites = input, true, !asText && r.Event != permission
	if r.Event == permission {
		return r, t.permission(&r, base)
	}
	table, err := t.tools()
	if err != nil {
		return r, err
	}
	r.Calls = calls(table, base, r.Tool, input)
	return r, nil
}

// inputOf returns the parameters of the tool, which have another name in each event. Older versions send
// them as text; asText says so.
func inputOf(p hosts.Payload, event string) (input hosts.Object, asText bool, err error) {
	name := map[string]string{ownPreToolUse: "toolArgs", claudePreToolUse: "tool_input", permission: "toolInput"}[event]
	if text := p.Text(name); text != "" {
		inner, err := hosts.ReadPayload([]byte(text))
		return inner.Object, true, err
	}
	if !hosts.IsParameters(p.Object, name) {
		return input, false, fmt.Errorf("%s is not an object", name)
	}
	return p.At(name), false, nil
}

func calls(table hosts.Table, base gavel.Call, name string, input hosts.Object) []gavel.Call {
	switch name {
	case "grep", "Grep", "glob", "Glob":
		return searches(table, base, strings.ToLower(name), input)
	}
	if _, listed := table[name]; listed {
		return table.Calls(base, name, input)
	}
	if strings.HasPrefix(name, "mcp__") {
		return []gavel.Call{hosts.MCP(base, name, "", input)}
	}
	if server, tool, ok := split(name); ok {
		return []gavel.Call{hosts.MCPOf(base, server, tool, name, input)}
	}
	return table.Calls(base, name, input)
}

// split returns the server and the tool of <server>-<tool>, if there is only one reading. Any
// other name is left unchanged: it is an unknown tool, which the policy must list in full.
func split(name string) (server, tool string, ok bool) {
	if tool, ok := strings.CutPrefix(name, githubServer+"-"); ok {
		return githubServer, tool, true
	}
	server, tool, ok = strings.Cut(name, "-")
	return server, tool, ok && !strings.Contains(tool, "-")
}

// searches returns a read of every directory of a search; without any, of the working directory.
func searches(table hosts.Table, base gavel.Call, name string, input hosts.Object) []gavel.Call {
	paths, there := input.Get("paths")
	if !there {
		paths = hosts.Quote(base.Environment.Cwd)
	}
	input = input.With("paths", hosts.AsList(paths))
	names := map[string]string{"grep": "glob", "glob": "pattern"}[name]
	pattern, given := input.Get(names)
	elements, _ := hosts.ListOf(hosts.AsList(paths))
	var each []jsontext.Value
	for _, element := range elements {
		search := hosts.NewObject(hosts.Member{Name: "path", Value: element})
		if given {
			search = search.With(names, pattern)
		}
		each = append(each, search.JSON())
	}
	if name == "grep" {
		return table.Each(base, name, "paths", "path", input.With("paths", hosts.NewList(each)),
			"pattern", "output_mode", "glob", "type", "-i", "-A", "-B", "-C", "-n", "head_limit", "multiline")
	}
	return table.Each(base, name, "paths", "path", input.With("paths", hosts.NewList(each)), "pattern")
}

// permission reads a request for a permission, which names an MCP tool <server>/<tool>.
func (t translator) permission(r *hosts.Request, base gavel.Call) error {
	table, err := t.permissions()
	if err != nil {
		return err
	}
	if server, tool, ok := strings.Cut(r.Tool, "/"); ok {
		r.Calls = []gavel.Call{hosts.MCPOf(base, server, tool, r.Tool, r.Input)}
		return nil
	}
	r.Calls = table.Calls(base, r.Tool, r.Input)
	return nil
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	switch {
	case r.NoOpinion, r.Event == permission && v.Effect == gavel.Ask: // the host asks the person
		return hosts.Reply{Body: []byte("{}")}
	case r.Event == permission && v.Effect == gavel.Allow:
		return hosts.Print(hosts.NewObject(hosts.TextMember("behavior", "allow")))
	case r.Event == permission:
		return hosts.Print(hosts.NewObject(hosts.TextMember("behavior", "deny"), hosts.TextMember("message", v.Reason)))
	}
	members := []hosts.Member{hosts.TextMember("permissionDecision", v.Effect.String())}
	if v.Effect != gavel.Allow || r.Event == claudePreToolUse {
		members = append(members, hosts.TextMember("permissionDecisionReason", v.Reason))
	}
	rewritten := ""
	if len(v.Run) == 1 && v.Effect != gavel.Deny {
		rewritten = v.Run[0]
	}
	input := hosts.Member{Name: "modifiedArgs", Value: r.Input.With("command", hosts.Quote(rewritten)).JSON()}
	if r.Event != claudePreToolUse {
		if rewritten != "" {
			members = append(members, input)
		}
		return hosts.Print(hosts.NewObject(members...))
	}
	if input.Name = "updatedInput"; rewritten != "" {
		members = append(members, input)
	}
	return hosts.Print(hosts.HookOutput(claudePreToolUse, members...))
}

// fail denies: exit code 2 blocks, and standard output is ignored. Over HTTP the answer denies in the
// form of every event.
func fail(_ hosts.Payload, err error) hosts.Reply {
	reason := hosts.FailureText(err)
	members := []hosts.Member{hosts.TextMember("permissionDecision", "deny"), hosts.TextMember("permissionDecisionReason", reason)}
	all := append(members, hosts.TextMember("behavior", "deny"), hosts.TextMember("message", reason))
	all = append(all, hosts.HookOutput(claudePreToolUse, members...).Members()...)
	return hosts.Reply{Stderr: []byte(reason + "\n"), Exit: 2, Body: hosts.NewObject(all...).JSON()}
}
