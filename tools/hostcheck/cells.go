package main

import (
	"path/filepath"
	"slices"
)

// policy judges the calls: touch is allowed, cp is denied, and any other program is asked
// about. One MCP tool and one file are denied.
const policy = `agents: {defaults: {}}
sandboxing: {mode: "off"}
approvals: {exec: {timeout: 60000}}
tools:
  profile: full
  alsoAllow: ["group:mcp"]
  deny: ["mcp:denied/*"]
  write: {deny: ["./denied-*"]}
  exec:
    host: gateway
    security: allowlist
    ask: on-miss
    allowlist: [{pattern: /usr/bin/touch}]
    rules: [{program: cp, effect: deny, why: this is the denied program}]
`

// The states of Gavel.
const (
	up       = "up"
	dead     = "dead"      // the socket exists, and nobody listens
	hung     = "hung"      // the server accepts connections and never answers
	garbage  = "garbage"   // the answer is not a decision
	noPolicy = "no policy" // there is neither a server nor a policy
	lured    = "lured"     // a file .env of the project names a socket where everything is allowed
)

// cell is one property to prove.
type cell struct {
	name   string
	action string // the model's call: shell, subagent, mcp, write, patch, shellpatch
	do     string // the command, or the name of the file or server
	state  string
	runs   bool // whether it should run
	about  string
}

// The file that a call leaves.
const marker = "marker"

func cells() []cell {
	touch := "touch " + marker
	list := []cell{
		{"allowed", "shell", touch, up, true, "an allowed command"},
		{"denied", "shell", "cp /dev/null " + marker, up, false, "a denied command"},
		{"asked", "shell", "ln -s x " + marker, up, false, "a command that a person must be asked about, and nobody is"},
		{unattended, "shell", "ln -s x " + marker, up, false, "the same, with hooks that were installed as `--unattended`"},
		{"rewritten", "shell", touch, up, true, "a command whose name the host's environment gives another meaning: what was judged runs"},
		{"sub-agent allowed", "subagent", touch, up, true, "an allowed command of a sub-agent"},
		{"sub-agent denied", "subagent", "cp /dev/null " + marker, up, false, "a denied command of a sub-agent"},
		{"MCP allowed", "mcp", "fs", up, true, "an allowed tool of an MCP server"},
		{"MCP denied", "mcp", "denied", up, false, "a denied tool of an MCP server"},
		{"edit allowed", "write", marker, up, true, "an allowed file of the host's own tool"},
		{"edit denied", "write", "denied-" + marker, up, false, "a denied file of the host's own tool"},
		{"patch allowed", "patch", marker, up, true, "an allowed file of a patch"},
		{"patch denied", "patch", "denied-" + marker, up, false, "a denied file of a patch"},
		{"shell patch allowed", "shellpatch", marker, up, true, "an allowed file of a patch that is given to the shell"},
		{"shell patch denied", "shellpatch", "denied-" + marker, up, false, "a denied file of a patch that is given to the shell"},
		{"env file", "shell", touch, lured, false, "an allowed command while a file .env of the project names a socket where everything is allowed"},
	}
	return slices.Insert(list, len(list)-1, failing(touch)...)
}

// failing are the cells in which Gavel cannot answer: what is allowed otherwise must not run.
// Denied calls, and calls that a person must be asked about, cannot fare better.
func failing(touch string) []cell {
	var list []cell
	for _, state := range []struct{ name, about string }{
		{dead, "while nobody listens on the socket"}, {hung, "while the server does not answer"}, {garbage, "while the answer is not a decision"},
		{noPolicy, "without a server and without a policy"}} {
		for _, call := range []struct{ name, action, do, about string }{
			{"", "shell", touch, "an allowed command"}, {"sub-agent ", "subagent", touch, "the same of a sub-agent"},
			{"MCP ", "mcp", "fs", "an allowed tool of an MCP server"}, {"edit ", "write", marker, "an allowed file of the host's own tool"},
			{"patch ", "patch", marker, "an allowed file of a patch"},
			{"shell patch ", "shellpatch", marker, "an allowed file of a patch that is given to the shell"}} {
			list = append(list, cell{call.name + state.name, call.action, call.do, state.name, false, call.about + " " + state.about})
		}
	}
	return list
}

// unattended is the cell whose hooks are told that nobody is there to be asked.
const unattended = "unattended"

// inShort reports whether -short runs a cell in a host: one of each way in which a refused call
// could run, and one that runs, so that the rest proves something.
func (c cell) inShort(h host) bool {
	switch c.name {
	case "asked":
		return !h.waits
	case unattended:
		return h.waits
	}
	return slices.Contains([]string{"denied", "rewritten", dead, hung, garbage}, c.name)
}

// has reports whether a host has what a cell needs: the tool, or a hook that can be told something.
func (h host) has(c cell) bool {
	return h.calls(c, "/") != nil && !(c.name == unattended && h.hookless)
}

// later is true if Gavel works until the sub-agent makes its call: without it, there would be
// no sub-agent.
func (c cell) later() bool { return c.action == "subagent" && c.state != up }

// leaves returns the names of the files that a cell's call may create.
func (c cell) leaves(dir string) []string {
	if c.action == "write" || c.action == "patch" || c.action == "shellpatch" {
		return []string{filepath.Join(dir, c.do)}
	}
	return []string{filepath.Join(dir, marker)}
}
