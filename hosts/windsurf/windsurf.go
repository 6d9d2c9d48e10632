// Package windsurf translates the hooks of Windsurf's Cascade: commands, MCP tools, and files
// that are read or written. Its payloads are known from documentation only.
package windsurf

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "windsurf"

// The events that Gavel answers.
const (
	command   = "pre_run_command"
	remote    = "pre_mcp_tool_use"
	writeCode = "pre_write_code"
	readCode  = "pre_read_code"
)

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

func detect(p hosts.Payload) bool { return p.Has("agent_action_name") }

type translator struct {
	table func() (hosts.Table, error)
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("agent_action_name"), Input: p.At("tool_info")}
	r.Tool = r.Event
	switch r.Event {
	case command, remote, writeCode, readCode:
	default:
		if !strings.HasPrefix(r.Event, "post_") && r.Event != "pre_user_prompt" {
			return r, fmt.Errorf("the event %q is unknown", r.Event)
		}
		r.NoOpinion = true
		return r, nil
	}
	value, _ := p.Get("tool_info")
	if _, ok := hosts.ObjectOf(value); !ok {
		return r, errors.New("tool_info is not an object")
	}
	base, err := baseOf(r.Event, p, r.Input)
	if err != nil {
		return r, err
	}
	table, err := t.table()
	if err != nil {
		return r, err
	}
	if r.Event == remote {
		r.Calls = []gavel.Call{remoteCall(base, r.Input)}
		return r, nil
	}
	r.Calls = table.Calls(base, r.Event, r.Input)
	return r, nil
}

// baseOf returns the call without its tool. Only commands have a directory. For files, it is the
// directory of the file; for MCP tools, the root.
func baseOf(event string, p hosts.Payload, info hosts.Object) (gavel.Call, error) {
	cwd := info.Text("cwd")
	switch file := info.Text("file_path"); {
	case event == remote:
		cwd = "/"
	case event != command && strings.HasPrefix(file, "/"):
		cwd = path.Dir(file)
	case event != command:
		return gavel.Call{}, errors.New("the payload has no absolute file path")
	}
	return hosts.BaseOf(Name, event, p.Text("trajectory_id"), cwd)
}

// remoteCall returns the call of an MCP tool.
func remoteCall(base gavel.Call, info hosts.Object) gavel.Call {
	tool := info.Text("mcp_tool_name")
	call := hosts.MCPOf(base, info.Text("mcp_server_name"), tool, cmp.Or(tool, remote), info.At("mcp_tool_arguments"))
	if !hosts.IsParameters(info, "mcp_tool_arguments") {
		call.Tool.Unread = "the parameters are not an object"
	}
	return call
}

// answer denies with the exit code, and the text on standard error goes to the model. The host cannot ask
// a person, and rewrites nothing.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion || v.Effect == gavel.Allow {
		return hosts.Reply{}
	}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2}
}

func fail(_ hosts.Payload, err error) hosts.Reply {
	return answer(hosts.Request{}, hosts.Verdict{Reason: hosts.FailureText(err)})
}
