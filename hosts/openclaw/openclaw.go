// Package openclaw translates what the plugin of OpenClaw posts before each tool call: the
// event before_tool_call and its context as OpenClaw gives them. The plugin is below plugin/.
package openclaw

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "openclaw"

const event = "before_tool_call"

// wrapper is the tool with which the model calls a tool that OpenClaw did not list for it. It is
// judged as the inner tool. The inner tool has an event of its own, so questions and rewrites are left
// to that event.
const wrapper = "tool_call"

// codeMode is the tool name under which the policy judges a script of OpenClaw's code mode. The
// script is JavaScript; the tools that it calls are separate events.
const codeMode = "code_mode_exec"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}
	return hosts.Host{Name: Name, Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

func detect(p hosts.Payload) bool {
	return p.At("event").Has("toolName") && p.Has("ctx")
}

type translator struct {
	table func() (hosts.Table, error)
}

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	body, ctx := p.At("event"), p.At("ctx")
	r := hosts.Request{Host: Name, Event: event, Tool: body.Text("toolName"), Input: body.At("params"), Rewrites: true, Asks: true}
	if r.Tool == "" || ctx.Text("agentId") == "" {
		return r, errors.New("the event names no tool, or no agent")
	}
	base, err := baseOf(ctx)
	if err != nil {
		return r, err
	}
	if _, subagent, ok := strings.Cut(base.Session.Key, ":subagent:"); ok {
		r.Subagent = subagent
	}
	table, err := t.table()
	if err != nil {
		return r, err
	}
	r.Calls = calls(table, base, r, body)
	if value, there := body.Get("params"); !there || value.Kind() != '{' {
		r.Calls[0].Tool.Unread = r.Tool + ": the parameters are not an object"
	}
	return r, nil
}

// baseOf returns the call without the tool. OpenClaw's agents and session keys are Gavel's. The
// sender is the one that OpenClaw verified, or empty; it is never the user who runs OpenClaw.
func baseOf(ctx hosts.Object) (gavel.Call, error) {
	base, err := hosts.BaseOf(Name, event, ctx.Text("sessionId"), ctx.Text("cwd"))
	if err != nil {
		return base, err
	}
	base.Agent.ID = ctx.Text("agentId")
	if key := ctx.Text("sessionKey"); key != "" {
		base.Session.Key = key
	}
	requester := ctx.At("requester")
	owner, _ := requester.Get("senderIsOwner")
	base.Sender = &gavel.Sender{Channel: requester.Text("channel"), ID: requester.Text("senderId"), Owner: owner.Kind() == 't'}
	return base, nil
}

func calls(table hosts.Table, base gavel.Call, r hosts.Request, body hosts.Object) []gavel.Call {
	kind, language := body.Text("toolKind"), body.Text("toolInputKind")
	if kind == codeMode || language == "javascript" {
		base.Tool = gavel.Tool{Name: codeMode, Params: hosts.ParamsOf(r.Input)}
		return []gavel.Call{base}
	}
	if body.Has("toolKind") || body.Has("toolInputKind") {
		base.Tool = gavel.Tool{Name: r.Tool, Params: hosts.ParamsOf(r.Input), Unread: fmt.Sprintf("%s: the kind %q with input of the kind %q is unknown", r.Tool, kind, language)}
		return []gavel.Call{base}
	}
	if r.Tool != wrapper {
		return named(table, base, r.Tool, r.Input)
	}
	inner, args := r.Input.Text("id"), r.Input.At("args")
	if value, _ := r.Input.Get("args"); inner == "" || inner == wrapper || value.Kind() != '{' {
		base.Tool = gavel.Tool{Name: wrapper, Params: hosts.ParamsOf(r.Input), Unread: wrapper + " does not name a tool and its parameters"}
		return []gavel.Call{base}
	}
	return named(table, base, inner, args)
}

func named(table hosts.Table, base gavel.Call, tool string, input hosts.Object) []gavel.Call {
	if strings.Contains(tool, "__") {
		return []gavel.Call{hosts.MCP(base, "mcp__"+tool, "", input)}
	}
	return table.Calls(base, tool, input)
}

// answer returns the reply that the plugin obeys. The plugin returns params to OpenClaw, so that no other
// plugin can change what was judged.
func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if v.Effect == gavel.Deny {
		return deny(v.Reason)
	}
	input := r.Input
	if r.Tool == wrapper && r.Calls[0].Tool.Unread == "" {
		return printed("allow", v.Reason, hosts.Member{Name: "params", Value: input.JSON()})
	}
	if len(v.Run) == 1 && v.Run[0] != "" {
		input = input.With("command", hosts.Quote(v.Run[0]))
	}
	return printed(v.Effect.String(), v.Reason, hosts.Member{Name: "params", Value: input.JSON()})
}

func deny(reason string) hosts.Reply { return printed("deny", reason) }

func printed(decision, reason string, more ...hosts.Member) hosts.Reply {
	return hosts.Print(hosts.NewObject(append([]hosts.Member{{Name: "decision", Value: hosts.Quote(decision)}, {Name: "reason", Value: hosts.Quote(reason)}}, more...)...))
}

func fail(_ hosts.Payload, err error) hosts.Reply { return deny(hosts.FailureText(err)) }
