// Package gemini translates the hook of Gemini CLI: BeforeTool.
package gemini

import (
	_ "embed"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "gemini-cli"

// beforeTool is the event that Gavel answers.
const beforeTool = "BeforeTool"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{beforeTool}, Past: []string{"After"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Project: "GEMINI_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises the names of most events, which are Gemini's own. With the others, it sends the time
// and no permission mode.
func detect(p hosts.Payload) bool {
	event := p.Text("hook_event_name")
	return strings.HasPrefix(event, "Before") || strings.HasPrefix(event, "After") ||
		event != "" && event != "PreToolUse" && p.Has("transcript_path") && p.Has("timestamp") && !p.Has("permission_mode") && !p.Has("turn_id")
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name"), Tool: p.Text("tool_name"), Input: p.At("tool_input")}
	base, table, err := t.Open(p, &r, p.Text("session_id"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	// The directory is always that of the project, and the shell is bash, without profile.
	base.Environment.Workspace, base.Environment.Shell = base.Environment.Cwd, "bash"
	r.Asks = true
	if r.Rewrites = true; p.Has("mcp_context") || strings.HasPrefix(r.Tool, "mcp_") {
		r.Calls = []gavel.Call{remote(base, p, r.Input)}
		return r, hosts.RequireParameters(p, &r)
	}
	r.Calls = table.Calls(base, r.Tool, r.Input)
	return r, hosts.RequireParameters(p, &r)
}

// remote returns a call of an MCP tool. The tool's name alone does not show where the name of the server
// ends.
func remote(base gavel.Call, p hosts.Payload, input hosts.Object) gavel.Call {
	context, given := p.At("mcp_context"), p.Text("tool_name")
	return hosts.MCPOf(base, context.Text("server_name"), context.Text("tool_name"), given, input)
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Reply{Body: []byte("{}")}
	}
	members := []hosts.Member{hosts.TextMember("decision", v.Effect.String())}
	if v.Effect != gavel.Allow {
		members = append(members, hosts.TextMember("reason", v.Reason))
	}
	if len(v.Run) == 1 && v.Run[0] != "" && v.Effect != gavel.Deny { // merged into the parameters
		input := hosts.NewObject(hosts.TextMember("command", v.Run[0]))
		inner := hosts.NewObject(hosts.TextMember("hookEventName", beforeTool), hosts.Member{Name: "tool_input", Value: input.JSON()})
		members = append(members, hosts.Member{Name: "hookSpecificOutput", Value: inner.JSON()})
	}
	return hosts.Print(hosts.NewObject(members...))
}

// fail denies. The host obeys what is printed, not the exit code.
func fail(_ hosts.Payload, err error) hosts.Reply {
	return answer(hosts.Request{}, hosts.Verdict{Reason: hosts.FailureText(err)})
}
