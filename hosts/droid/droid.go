// Package droid translates the PreToolUse hook of Factory Droid, which speaks the dialect of
// Claude Code with tools of its own. Its payloads are known from publications only, which
// spell the members in two ways.
package droid

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/hosts"
)

// Name is the canonical name of the host.
const Name = "droid"

// preToolUse is the event that Gavel answers.
const preToolUse = "PreToolUse"

//go:embed tools.yaml
var tools []byte

// Host is the translator.
func Host() hosts.Host {
	t := translator{hosts.Dialect{Events: []string{preToolUse}, Past: []string{"Post"},
		Table: sync.OnceValues(func() (hosts.Table, error) { return hosts.ReadTable(tools) })}}
	return hosts.Host{Name: Name, Project: "FACTORY_PROJECT_DIR", Detect: detect, Read: t.read, Answer: answer, Fail: fail}
}

// detect recognises the directory of Droid's transcripts, or members that are all in camel case.
func detect(p hosts.Payload) bool {
	return p.Has("hookEventName") && (p.Has("permissionMode") || p.Has("transcriptPath")) ||
		p.Has("hook_event_name") && strings.Contains(p.Text("transcript_path"), "/.factory/")
}

type translator struct{ hosts.Dialect }

func (t translator) read(p hosts.Payload) (hosts.Request, error) {
	r := hosts.Request{Host: Name, Event: p.Text("hook_event_name") + p.Text("hookEventName"), Tool: p.Text("tool_name"),
		Input: p.At("tool_input"), Subagent: p.Text("agent_id")}
	base, table, err := t.Open(p, &r, p.Text("session_id")+p.Text("sessionId"))
	if err != nil || r.NoOpinion {
		return r, err
	}
	base.Host.Mode = p.Text("permission_mode") + p.Text("permissionMode")
	r.Asks, r.Rewrites = true, true
	if strings.HasPrefix(r.Tool, "mcp__") {
		r.Calls = []gavel.Call{hosts.MCP(base, r.Tool, "", r.Input)}
		return r, hosts.RequireParameters(p, &r)
	}
	if r.Tool == "Glob" {
		r.Calls = searches(table, base, r.Input)
	} else {
		r.Calls = table.Calls(base, r.Tool, r.Input)
	}
	return r, hosts.RequireParameters(p, &r)
}

// searches reads the directory to which each pattern of a search leads.
func searches(table hosts.Table, base gavel.Call, input hosts.Object) []gavel.Call {
	patterns, there := input.Get("patterns")
	if there {
		patterns = hosts.AsList(patterns)
	}
	elements, _ := hosts.ListOf(patterns)
	var each []jsontext.Value
	for _, element := range elements {
		search := hosts.NewObject(hosts.Member{Name: "pattern", Value: element})
		if folder, given := input.Get("folder"); given {
			search = search.With("folder", folder)
		}
		each = append(each, search.JSON())
	}
	return table.Each(base, "Glob", "patterns", "pattern", input.With("patterns", hosts.NewList(each)), "folder", "excludePatterns")
}

func answer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	if r.NoOpinion {
		return hosts.Reply{Body: []byte("{}")}
	}
	members := []hosts.Member{hosts.TextMember("permissionDecision", v.Effect.String()), hosts.TextMember("permissionDecisionReason", v.Reason)}
	if len(v.Run) == 1 && v.Run[0] != "" && v.Effect != gavel.Deny {
		members = append(members, hosts.Member{Name: "updatedInput", Value: r.Input.With("command", hosts.Quote(v.Run[0])).JSON()})
	}
	return hosts.Print(hosts.HookOutput(preToolUse, members...))
}

// fail denies: exit code 2 blocks, and the text on standard error goes to the model.
func fail(_ hosts.Payload, err error) hosts.Reply {
	v := hosts.Verdict{Reason: hosts.FailureText(err)}
	return hosts.Reply{Stderr: []byte(v.Reason + "\n"), Exit: 2, Body: answer(hosts.Request{}, v).Stdout}
}
