// Package cline translates the hooks of Cline's two engines: tool_call of its command line,
// and PreToolUse of its extension for VS Code, which sends every parameter as text.
package cline

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
const Name = "cline"

// The events that Gavel answers.
const (
	commandLine = "tool_call"
	extension   = "PreToolUse"
)

// runCommands is the tool that runs several commands.
const runCommands = "run_commands"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

func detect(p hosts.Payload) bool {
	return p.Has("hookName") && (p.Has("clineVersion") || p.Has("taskId"))
}

type translator struct {
	table func() (hosts.Table, error)
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hookName")}
	call, input, named := p.At("tool_call"), "input", "name"
	switch {
	case r.Event == commandLine:
		r.Rewrites = true
	case r.Event == extension:
		call, input, named = p.At("preToolUse"), "parameters", "toolName"
	case p.Has("tool_call") || p.Has("preToolUse"):
		return r, fmt.Errorf("the event %q is unknown, and asks about a tool", r.Event)
	default:
		r.NoOpinion = true
		return r, nil
	}
	if r.Tool = call.Text(named); r.Tool == "" {
		return r, errors.New("the payload names no tool")
	}
	if !hosts.IsParameters(call, input) {
		return r, errors.New("the parameters are not an object")
	}
	r.Input = call.At(input)
	if p.Has("parent_agent_id") {
		r.Subagent = p.Text("agent_id")
	}
	base, err := baseOf(r.Event, p)
	if err != nil {
		return r, err
	}
	table, err := t.table()
	if err != nil {
		return r, err
	}
	r.Calls = calls(table, base, r.Tool, r.Input)
	return r, nil
}

// baseOf returns the call without its tool. Its directory is the workspace.
func baseOf(event string, p hosts.Payload) (gavel.Call, error) {
	session, cwd := p.At("sessionContext").Text("rootSessionId"), ""
	if session == "" {
		session = p.Text("taskId")
	}
	roots, _ := p.Get("workspaceRoots")
	if list, _ := hosts.ListOf(roots); len(list) > 0 {
		cwd, _ = hosts.TextOf(list[0])
	}
	base, err := hosts.BaseOf(Name, event, session, cwd)
	base.Environment.Workspace = cwd
	return base, err
}

func calls(table hosts.Table, base gavel.Call, name string, input hosts.Object) []gavel.Call {
	switch name {
	case runCommands:
		return table.Each(base, name, "commands", "command", input)
	case "read_files":
		return table.Each(base, name, "files", "path", input)
	case "fetch_web_content":
		return table.Each(base, name, "requests", "url", input)
	case "search_codebase":
		list := table.Calls(base, name, input)
		if list[0].Tool.Unread == "" {
			list[0].Tool.Params = map[string]any{"path": base.Environment.Cwd, "recursive": true}
		}
		return list
	case "attempt_completion": // it may run a command that shows the result
		if input.Has("command") {
			command, _ := input.Get("command")
			return table.Calls(base, "execute_command", hosts.NewObject(hosts.Member{Name: "command", Value: command}))
		}
	case "use_mcp_tool", "access_mcp_resource":
		return []gavel.Call{remote(base, name, input)}
	}
	if _, listed := table[name]; !listed && strings.Contains(name, "__") {
		return []gavel.Call{hosts.MCP(base, "mcp__"+name, "", input)}
	}
	return table.Calls(base, name, input)
}

// remote returns a call of an MCP tool by the extension. The parameters are JSON as text. Reading
// a resource of a server is a tool of its own.
func remote(base gavel.Call, name string, input hosts.Object) gavel.Call {
	tool, params := input.Text("tool_name"), hosts.Object{}
	if name == "access_mcp_resource" {
		return hosts.MCPOf(base, input.Text("server_name"), name, name, hosts.NewObject(hosts.TextMember("uri", input.Text("uri"))))
	}
	switch value, given := input.Get("arguments"); {
	case !given:
	case value.Kind() == '{':
		params = input.At("arguments")
	default:
		text, _ := hosts.TextOf(value)
		inner, err := hosts.ReadPayload([]byte(text))
		if err != nil && text != "" || value.Kind() != '"' {
			base.Tool = gavel.Tool{Name: name, Unread: fmt.Sprintf("the parameters cannot be read: %v", err)}
			return base
		}
		params = inner.Object
	}
	return hosts.MCPOf(base, input.Text("server_name"), tool, name, params)
}

// answer cancels the call or lets it go on. The host cannot ask a person, and a cancelled call ends
// the whole task.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Print(hosts.NewObject())
	}
	if v.Effect != gavel.Allow {
		return hosts.Print(hosts.NewObject(hosts.Member{Name: "cancel", Value: []byte("true")}, hosts.TextMember("errorMessage", v.Reason)))
	}
	members := []hosts.Member{{Name: "cancel", Value: []byte("false")}}
	if input, ok := rewritten(r, v); ok {
		members = append(members, hosts.Member{Name: "overrideInput", Value: input})
	}
	return hosts.Print(hosts.NewObject(members...))
}

// rewritten returns the whole input with the commands that were judged, and false if they are the
// original.
func rewritten(r hosts.Request, v hosts.Verdict) (jsontext.Value, bool) {
	if r.Tool != runCommands || !r.Rewrites || len(v.Run) != len(r.Calls) || strings.Join(v.Run, "") == "" {
		return nil, false
	}
	list := make([]jsontext.Value, len(v.Run))
	for i, command := range v.Run {
		if command == "" {
			command, _ = r.Calls[i].Tool.Params["command"].(string)
		}
		list[i] = hosts.Quote(command)
	}
	return r.Input.With("commands", hosts.NewList(list)).JSON(), true
}

// fail denies. The host obeys what is printed, not the exit code.
func fail(_ hosts.Payload, err error) hosts.Reply {
	return answer(hosts.Request{}, hosts.Verdict{Reason: hosts.FailureText(err)})
}
