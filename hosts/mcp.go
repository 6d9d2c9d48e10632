package hosts

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"gavel"
)

// Base returns the call of a payload in Claude Code's dialect, without the tool: its session and
// its directory. [Request.Complete] adds the agent.
func Base(host, event string, p Payload) (gavel.Call, error) {
	base, err := BaseOf(host, event, p.Text("session_id"), p.Text("cwd"))
	if id := p.Text("tool_use_id"); len(id) <= gavel.MaxName {
		base.ID = id // for the decision log
	}
	return base, err
}

// BaseOf returns the call of a payload without the tool, for a session and a working directory. It is an
// error if the session is not a plain id, or the directory is not absolute.
func BaseOf(host, event, session, cwd string) (gavel.Call, error) {
	base := gavel.Call{Host: gavel.Host{Name: host, Event: event}, Environment: &gavel.Environment{}}
	if len(session) > 200 || !regexp.MustCompile(`^[A-Za-z0-9._-]+$`).MatchString(session) {
		return base, errors.New("the payload has no session id of letters, digits, dots, dashes and underscores")
	}
	if !strings.HasPrefix(cwd, "/") {
		return base, errors.New("the payload has no absolute working directory")
	}
	base.Session.Key = host + ":" + session
	base.Environment.Cwd = cwd
	return base, nil
}

// RequireParameters makes the calls of a request unread if the member tool_input is missing, or is
// neither an object nor null. Otherwise a list, or parameters under another name, would be read as no
// parameters. The error is always nil, so that a translator can return it.
func RequireParameters(p Payload, r *Request) error {
	r.unreadUnless(IsParameters(p.Object, "tool_input"))
	return nil
}

// IsParameters reports whether a member can be the parameters of a tool: an object, or null for none.
func IsParameters(o Object, name string) bool {
	for _, m := range o.Members() {
		if m.Name == name {
			return m.Value.Kind() == '{' || m.Value.Kind() == 'n'
		}
	}
	return false
}

func (r *Request) unreadUnless(parameters bool) {
	for i := range r.Calls {
		if !parameters {
			r.Calls[i].Tool.Unread = r.Tool + ": the parameters are not an object"
		}
	}
}

// MCP returns the call of an MCP tool, mcp:<server>/<tool>, with its own parameters. given is
// mcp__<server>__<tool>. server is the server's name if the host sends it separately, or else "". A
// name that can be split in more than one way makes the call unread.
func MCP(base gavel.Call, given, server string, input Object) gavel.Call {
	name, unread := mcpName(given, server)
	base.Tool = gavel.Tool{Name: name, Params: ParamsOf(input), Unread: unread}
	return base
}

// MCPOf returns the call of an MCP tool for a host that names the server and the tool separately. given
// is the tool's name in messages.
func MCPOf(base gavel.Call, server, tool, given string, input Object) gavel.Call {
	name, unread := MCPName(server, tool, given)
	base.Tool = gavel.Tool{Name: name, Params: ParamsOf(input), Unread: unread}
	return base
}

func mcpName(given, server string) (name, unread string) {
	rest := strings.TrimPrefix(given, "mcp__")
	tool := ""
	if server != "" {
		written := regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(server, "_")
		var ok bool
		if tool, ok = strings.CutPrefix(rest, written+"__"); !ok {
			return given, fmt.Sprintf("%s is not a tool of the server %s", short(given), short(server))
		}
	} else {
		server, tool, _ = strings.Cut(rest, "__")
		if strings.Contains(tool, "__") || strings.HasPrefix(tool, "_") || strings.HasSuffix(server, "_") {
			return given, fmt.Sprintf("%s can be split into server and tool in more than one way", short(given))
		}
	}
	return MCPName(server, tool, given)
}

// MCPName returns mcp:<server>/<tool>. If that is not a valid name, it returns given and the
// reason.
func MCPName(server, tool, given string) (name, unread string) {
	if !regexp.MustCompile(`^[^\s/*?\[\]{}\x00-\x1f]+$`).MatchString(server) || !regexp.MustCompile(`^[^\s*?\[\]{}\x00-\x1f]+$`).MatchString(tool) {
		return given, fmt.Sprintf("%s is not the name of an MCP server and its tool", short(given))
	}
	return "mcp:" + server + "/" + tool, ""
}
