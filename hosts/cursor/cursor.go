// Package cursor translates the hooks of Cursor: one each for commands, MCP tools, files and
// sub-agents, and preToolUse for the tools that have none of their own.
package cursor

import (
	_ "embed"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "cursor"

// The events that Gavel answers.
const (
	shell    = "beforeShellExecution"
	mcp      = "beforeMCPExecution"
	readFile = "beforeReadFile"
	readTab  = "beforeTabFileRead"
	anyTool  = "preToolUse"
	subagent = "subagentStart"
)

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}
	return hosts.Host{Name: Name, Project: "CURSOR_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

func detect(p hosts.Payload) bool { return p.Has("conversation_id") || p.Has("cursor_version") }

type translator struct {
	table func() (hosts.Table, error)
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name")}
	switch r.Event {
	case shell, mcp, readFile, readTab, anyTool, subagent:
	default:
		if r.NoOpinion = noAction(r.Event); !r.NoOpinion {
			return r, fmt.Errorf("the event %q is unknown, and may come before an action", r.Event)
		}
		return r, nil
	}
	base, err := baseOf(r.Event, p)
	if err != nil {
		return r, err
	}
	table, err := t.table()
	if err != nil {
		return r, err
	}
	switch r.Event {
	case shell:
		r.Tool = "Shell"
		r.Calls = table.Calls(base, r.Tool, only(p, "command"))
	case mcp:
		r.Tool = p.Text("tool_name")
		r.Calls = []gavel.Call{remote(base, p)}
	case readFile, readTab:
		r.Tool = "Read"
		r.Calls = table.Calls(base, r.Tool, only(p, "file_path"))
	case subagent:
		r.Tool = "Task"
		r.Calls = table.Calls(base, "subagentStart", only(p, "task", "subagent_type", "subagent_model"))
	default:
		err = use(&r, table, base, p)
	}
	return r, err
}

// noAction reports whether an event comes after an action, or is not about one.
func noAction(event string) bool {
	return strings.HasPrefix(event, "after") || strings.HasPrefix(event, "post") ||
		slices.Contains([]string{"beforeSubmitPrompt", "preCompact", "sessionStart", "sessionEnd", "subagentStop", "stop"}, event)
}

// use reads preToolUse. Tools with a hook of their own are judged there; otherwise a person would
// be asked twice.
func use(r *hosts.Request, table hosts.Table, base gavel.Call, p hosts.Payload) error {
	if r.Tool = p.Text("tool_name"); r.Tool == "" {
		return errors.New("the payload names no tool")
	}
	if r.Tool == "Shell" || r.Tool == "Read" || strings.HasPrefix(r.Tool, "MCP:") {
		r.NoOpinion = true
		return nil
	}
	r.Input = p.At("tool_input")
	r.Calls = table.Calls(base, r.Tool, r.Input)
	return hosts.RequireParameters(p, r)
}

// baseOf returns the call without its tool. Most events have no directory; then the call runs in the
// workspace.
func baseOf(event string, p hosts.Payload) (gavel.Call, error) {
	session, cwd, root := p.Text("session_id"), p.Text("cwd"), ""
	if session == "" {
		session = p.Text("conversation_id")
	}
	roots, _ := p.Get("workspace_roots")
	if list, _ := hosts.ListOf(roots); len(list) > 0 {
		root, _ = hosts.TextOf(list[0])
	}
	if cwd == "" {
		cwd = root
	}
	base, err := hosts.BaseOf(Name, event, session, cwd)
	if strings.HasPrefix(root, "/") {
		base.Environment.Workspace = root
	}
	return base, err
}

func only(p hosts.Payload, names ...string) hosts.Object {
	var members []hosts.Member
	for _, name := range names {
		if value, ok := p.Get(name); ok {
			members = append(members, hosts.Member{Name: name, Value: value})
		}
	}
	return hosts.NewObject(members...)
}

// remote returns a call of an MCP tool. The host names only the server's address or command. The server's
// name is the host of the address, or the command with an underscore for each blank and slash.
func remote(base gavel.Call, p hosts.Payload) gavel.Call {
	server := strings.NewReplacer(" ", "_", "/", "_", "\t", "_", "\n", "_").Replace(strings.TrimSpace(p.Text("command")))
	if address, err := url.Parse(p.Text("url")); err == nil && address.Host != "" {
		server = address.Host
	}
	given, input := p.Text("tool_name"), p.At("tool_input")
	if !hosts.IsParameters(p.Object, "tool_input") && p.Text("tool_input") == "" {
		base.Tool = gavel.Tool{Name: given, Unread: "the parameters are neither an object nor its text"}
		return base
	}
	if text := p.Text("tool_input"); text != "" {
		inner, err := hosts.ReadPayload([]byte(text))
		if err != nil {
			base.Tool = gavel.Tool{Name: given, Unread: fmt.Sprintf("the parameters cannot be read: %v", err)}
			return base
		}
		input = inner.Object
	}
	return hosts.MCPOf(base, server, given, "MCP:"+given, input)
}

// answer always prints something, because with failClosed the host blocks if nothing is printed.
// It never asks: the host treats "ask" as a block, without a dialog.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	switch {
	case r.NoOpinion && r.Event == "beforeSubmitPrompt":
		return hosts.Print(hosts.NewObject(hosts.Member{Name: "continue", Value: []byte("true")}))
	case r.NoOpinion && r.Event != anyTool:
		return hosts.Print(hosts.NewObject())
	case r.NoOpinion || v.Effect == gavel.Allow:
		return hosts.Print(hosts.NewObject(hosts.TextMember("permission", "allow")))
	}
	members := []hosts.Member{hosts.TextMember("permission", "deny"), hosts.TextMember("user_message", v.Reason)}
	if r.Event != subagent {
		members = append(members, hosts.TextMember("agent_message", v.Reason))
	}
	return hosts.Print(hosts.NewObject(members...))
}

func fail(p hosts.Payload, err error) hosts.Reply {
	return answer(hosts.Request{Event: p.Text("hook_event_name")}, hosts.Verdict{Reason: hosts.FailureText(err)})
}
