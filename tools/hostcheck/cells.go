package main

import (
	"path/filepath"
	"slices"
)

// policy allows touch, denies cp and asks about any other program. It also denies one MCP server
// and files that begin with "denied-".
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
	up         = "up"
	dead       = "dead"       // the socket exists, but nobody listens
	hung       = "hung"       // the server accepts connections, but never answers
	garbage    = "garbage"    // the server's answer is not a decision
	noPolicy   = "no policy"  // there is neither a server nor a policy
	redirected = "redirected" // a file .env of the project names the socket of a server that allows everything
)

// cell is a call that the model makes in every host, and the result that is expected. The page has
// a row for it.
type cell struct {
	name        string
	action      string // shell, subagent, mcp, write, patch or shellpatch
	arg         string // the command, or the name of the file or MCP server
	state       string // of Gavel
	shouldRun   bool
	description string
}

// marker is the name of the file that a call creates.
const marker = "marker"

func cells() []cell {
	touch := "touch " + marker
	list := []cell{
		{"allowed", "shell", touch, up, true, "an allowed command"},
		{"denied", "shell", "cp /dev/null " + marker, up, false, "a denied command"},
		{"asked", "shell", "ln -s x " + marker, up, false, "a command that needs a person's answer, when nobody answers"},
		{unattended, "shell", "ln -s x " + marker, up, false, "the same, with hooks that were installed as `--unattended`"},
		{"rewritten", "shell", touch, up, true, "an allowed command whose name is a shell function in the host's environment: the program that was judged runs"},
		{"sub-agent allowed", "subagent", touch, up, true, "an allowed command of a sub-agent"},
		{"sub-agent denied", "subagent", "cp /dev/null " + marker, up, false, "a denied command of a sub-agent"},
		{"MCP allowed", "mcp", "fs", up, true, "an allowed tool of an MCP server"},
		{"MCP denied", "mcp", "denied", up, false, "a denied tool of an MCP server"},
		{"edit allowed", "write", marker, up, true, "an allowed file of the host's own tool"},
		{"edit denied", "write", "denied-" + marker, up, false, "a denied file of the host's own tool"},
		{"patch allowed", "patch", marker, up, true, "an allowed file of a patch"},
		{"patch denied", "patch", "denied-" + marker, up, false, "a denied file of a patch"},
		{"shell patch allowed", "shellpatch", marker, up, true, "an allowed file of a patch in a shell command"},
		{"shell patch denied", "shellpatch", "denied-" + marker, up, false, "a denied file of a patch in a shell command"},
		{"env file", "shell", touch, redirected, false, "an allowed command while a file .env of the project names a socket where everything is allowed"},
	}
	return slices.Insert(list, len(list)-1, failureCells(touch)...)
}

// failureCells returns the cells in which Gavel cannot answer. They test calls that are otherwise
// allowed, because a host that refuses these refuses all others, too.
func failureCells(touch string) []cell {
	var list []cell
	for _, state := range []struct{ name, about string }{
		{dead, "while nobody listens on the socket"}, {hung, "while the server does not answer"}, {garbage, "while the answer is not a decision"},
		{noPolicy, "without a server and without a policy"}} {
		for _, call := range []struct{ name, action, do, about string }{
			{"", "shell", touch, "an allowed command"}, {"sub-agent ", "subagent", touch, "an allowed command of a sub-agent"},
			{"MCP ", "mcp", "fs", "an allowed tool of an MCP server"}, {"edit ", "write", marker, "an allowed file of the host's own tool"},
			{"patch ", "patch", marker, "an allowed file of a patch"},
			{"shell patch ", "shellpatch", marker, "an allowed file of a patch in a shell command"}} {
			list = append(list, cell{call.name + state.name, call.action, call.do, state.name, false, call.about + " " + state.about})
		}
	}
	return list
}

// unattended is the cell whose hooks are installed with --unattended.
const unattended = "unattended"

// inShort reports whether -short runs a cell in a host. It runs one cell for each way in which a
// refused call could run, and one whose call must run, because otherwise a host that runs nothing
// would pass.
func (c cell) inShort(h host) bool {
	switch c.name {
	case "asked":
		return !h.hangsOnAsk
	case unattended:
		return h.hangsOnAsk
	}
	return slices.Contains([]string{"denied", "rewritten", dead, hung, garbage}, c.name)
}

// supports reports whether a host has what a cell needs: the tool, or hooks that take options.
func (h host) supports(c cell) bool {
	return h.calls(c, "/") != nil && !(c.name == unattended && h.pluginOnly)
}

// failsLater reports whether Gavel must work until the sub-agent makes its call. If it failed
// earlier, the sub-agent could not be spawned.
func (c cell) failsLater() bool { return c.action == "subagent" && c.state != up }

// files returns the paths of the files that the cell's call may create.
func (c cell) files(dir string) []string {
	if c.action == "write" || c.action == "patch" || c.action == "shellpatch" {
		return []string{filepath.Join(dir, c.arg)}
	}
	return []string{filepath.Join(dir, marker)}
}
