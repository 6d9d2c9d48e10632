// Package opencode translates what the plugin of opencode posts before each tool call: the
// event tool.execute.before as opencode gives it, and in ctx what the plugin looked up. The
// plugin is below plugin/.
package opencode

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/plugin"
)

// Name is the canonical name of the host.
const Name = "opencode"

const event = "tool.execute.before"

//go:embed tools.yaml
var tools []byte

//go:embed plugin/src/gavel.ts
var source []byte

// Plugin returns the files of the plugin as they are in a directory of opencode, by name.
// In the repository, the plugins share one of them.
func Plugin() map[string][]byte {
	const shared, beside = `"../../../plugin/ask.ts"`, `"./gavel/ask.ts"`
	return map[string][]byte{
		"gavel.ts":     bytes.Replace(source, []byte(shared), []byte(beside), 1),
		"gavel/ask.ts": plugin.Ask,
	}
}

// Host is the translator.
func Host() hosts.Host {
	t := translator{table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

func detect(p hosts.Payload) bool {
	return p.At("input").Has("sessionID") && p.At("input").Has("tool") && p.Has("output")
}

type translator struct {
	table func() (hosts.Table, error)
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	input, ctx := p.At("input"), p.At("ctx")
	r := hosts.Request{Host: Name, Event: event, Tool: input.Text("tool"), Input: p.At("output").At("args"), Rewrites: true}
	if r.Tool == "" || input.Text("callID") == "" {
		return r, errors.New("the event names no tool, or no call")
	}
	base, err := hosts.BaseOf(Name, event, input.Text("sessionID"), ctx.Text("directory"))
	if err != nil {
		return r, err
	}
	parents, err := texts(ctx, "parents")
	if err != nil {
		return r, err
	}
	depth := len(parents)
	base.Agent.Depth = &depth
	if depth > 0 {
		r.Subagent = input.Text("sessionID")
	}
	if worktree := ctx.Text("worktree"); strings.HasPrefix(worktree, "/") && worktree != "/" {
		base.Environment.Workspace = worktree
	}
	servers, err := texts(ctx, "mcp")
	if err != nil {
		return r, err
	}
	table, err := t.table()
	if err != nil {
		return r, err
	}
	r.Calls = calls(table, base, r, servers)
	if !hosts.IsParameters(p.At("output"), "args") {
		r.Calls[0].Tool.Unread = r.Tool + ": the parameters are not an object"
	}
	return r, nil
}

// calls reads the tool by its name: one of the table, or <server>_<tool> of an MCP server.
func calls(table hosts.Table, base gavel.Call, r hosts.Request, servers []string) []gavel.Call {
	var names []string
	for _, server := range servers {
		if tool, ok := strings.CutPrefix(r.Tool, written(server)+"_"); ok && tool != "" {
			names = append(names, server+"/"+tool)
		}
	}
	list := table.Calls(base, r.Tool, r.Input)
	_, builtIn := table[r.Tool]
	switch {
	case len(names) == 0:
		return list
	case len(names) > 1 || builtIn:
		for i := range list {
			list[i].Tool.Unread = fmt.Sprintf("%s may be a tool of more than one MCP server, or of opencode itself", r.Tool)
		}
		return list
	}
	server, tool, _ := strings.Cut(names[0], "/")
	base.Tool = gavel.Tool{Params: hosts.ParamsOf(r.Input)}
	base.Tool.Name, base.Tool.Unread = hosts.MCPName(server, tool, r.Tool)
	return []gavel.Call{base}
}

// written returns the name of a server as opencode has it in the names of its tools.
func written(server string) string {
	return regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(server, "_")
}

// texts reads a list of texts that the plugin always sends. A missing list is an error: otherwise a
// sub-agent could pass for the main agent, or an MCP tool for one of opencode's.
func texts(o hosts.Object, name string) ([]string, error) {
	value, _ := o.Get(name)
	elements, ok := hosts.ListOf(value)
	if !ok {
		return nil, fmt.Errorf("the plugin did not send the list ctx.%s: is it the plugin of this version of Gavel?", name)
	}
	list := make([]string, len(elements))
	for i, element := range elements {
		text, ok := hosts.TextOf(element)
		if !ok || text == "" {
			return nil, fmt.Errorf("ctx.%s has an element that is not a name", name)
		}
		list[i] = text
	}
	return list, nil
}

// answer returns the reply that the plugin obeys: the plugin throws unless the decision is allow, and
// copies args into the parameters of the call.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if v.Effect != gavel.Allow {
		return deny(v.Reason)
	}
	members := []hosts.Member{{Name: "decision", Value: hosts.Quote("allow")}, {Name: "reason", Value: hosts.Quote(v.Reason)}, {Name: "args", Value: jsontext.Value("{}")}}
	if len(v.Run) == 1 && v.Run[0] != "" {
		members[2].Value = hosts.NewObject(hosts.Member{Name: "command", Value: hosts.Quote(v.Run[0])}).JSON()
	}
	return hosts.Print(hosts.NewObject(members...))
}

func deny(reason string) hosts.Reply {
	return hosts.Print(hosts.NewObject(hosts.Member{Name: "decision", Value: hosts.Quote("deny")}, hosts.Member{Name: "reason", Value: hosts.Quote(reason)}))
}

func fail(_ hosts.Payload, err error) hosts.Reply { return deny(hosts.FailureText(err)) }
