package hosts

import (
	"fmt"
	"slices"

	"gavel"
)

// Verdict is the answer to a request: the worst of its decisions.
type Verdict struct {
	Effect gavel.Effect
	// Reason says why, on one line, for the model and the person. It is never empty.
	Reason string
	// Run has the command to run for each call; "" leaves the call unchanged.
	Run []string
}

// ProcessInfo is what the process of a hook knows and the payload does not say.
type ProcessInfo struct {
	Agent     string   // id of the agent in the policy; "" is the host's name
	User      string   // login name of the user who runs the host; "" if it is unknown
	Home      string   // absolute, or ""
	Path      []string // the search path of the host; nil if that is unknown
	Shell     string   // the login shell of the user, by its base name
	Workspace string   // directory of the project; "" if that is unknown
	Platform  string
	// Unattended is true if no person is at the host to answer a question.
	Unattended bool
	// Probe is true if the calls are made up to test the hook: see [gavel.Host].
	Probe bool
}

// Complete adds what the process of the hook knows to the calls.
func (r *Request) Complete(a ProcessInfo) {
	if a.Unattended {
		r.Asks = false
	}
	id := a.Agent
	if id == "" {
		id = r.Host
	}
	for i := range r.Calls {
		call := &r.Calls[i]
		call.Host.Probe = call.Host.Probe || a.Probe
		if call.Agent.ID == "" {
			call.Agent.ID = id
		}
		if r.Subagent != "" && call.Agent.Parents == nil {
			call.Agent.Parents = []gavel.Parent{{ID: call.Agent.ID}}
		}
		if call.Sender == nil && a.User != "" {
			call.Sender = &gavel.Sender{Channel: r.Host, ID: a.User, Username: a.User}
		}
		if call.Environment == nil {
			call.Environment = &gavel.Environment{}
		} else {
			there := *call.Environment
			call.Environment = &there
		}
		e := call.Environment
		if e.Process != nil && e.Process.Agent == "" {
			own := *e.Process
			own.Agent = call.Agent.ID
			e.Process = &own
		}
		e.Home, e.Path = a.Home, a.Path
		if e.Platform == "" {
			e.Platform = a.Platform
		}
		if e.Shell == "" {
			e.Shell = shellOf(a.Shell)
		}
		if a.Workspace != "" {
			e.Workspace = a.Workspace
		}
	}
}

// shellOf returns the shell in which hosts run commands for a user: zsh for users of zsh, and
// bash for everyone else.
func shellOf(login string) string {
	if login == "zsh" {
		return "zsh"
	}
	return "bash"
}

// Judge combines the decisions on a request's calls, in order, into one verdict. A decision that the
// host cannot carry out becomes a deny, because a decision is about what runs, and where.
func Judge(r Request, decisions []gavel.Decision) Verdict {
	if len(decisions) != len(r.Calls) || len(decisions) == 0 {
		return Verdict{Reason: fmt.Sprintf("gavel.internal: %d calls have %d decisions", len(r.Calls), len(decisions))}
	}
	v := Verdict{Effect: gavel.Allow, Run: make([]string, len(decisions))}
	var reasons, lost []string
	for i := range decisions {
		single, run, missing := r.judge(&decisions[i], r.Calls[i])
		if single.Effect < v.Effect {
			v.Effect, reasons = single.Effect, nil
		}
		if single.Effect == v.Effect {
			reasons = append(reasons, single.Reason)
		}
		v.Run[i] = run
		if missing != "" {
			lost = append(lost, missing)
		}
	}
	if v.Effect != gavel.Deny {
		reasons = append(reasons, lost...)
	}
	v.Reason = oneLine(sentences(unique(reasons)))
	return v
}

// judge returns the verdict on one call, the command to run, and what is lost because the host
// runs the original.
func (r Request) judge(d *gavel.Decision, call gavel.Call) (v Verdict, run, lost string) {
	v = Verdict{Effect: d.Effect, Reason: why(d)}
	if d.Effect == gavel.Deny {
		return v, "", ""
	}
	if unsupported := r.unsupported(d, call); unsupported != "" {
		return Verdict{Reason: unsupported}, "", ""
	}
	if d.Effect == gavel.Ask {
		how := howToAnswer(d)
		v.Reason = sentences([]string{cut("approval needed for "+shown(call.Tool)+": "+v.Reason, maxReason-len(how)-10), how})
		if !r.Asks || !answeredByOne(d.Terms) || len(d.Verify) > 0 { // verifiers are asked when the call is repeated
			v.Effect = gavel.Deny
			return v, "", ""
		}
	}
	if r.Replaced {
		return r.replaced(d, v)
	}
	text, isText := call.Tool.Params["command"].(string)
	if d.Exec == nil || d.Exec.Command == "" || !isText || d.Exec.Command == text {
		return v, "", ""
	}
	if r.Rewrites {
		return v, d.Exec.Command, ""
	}
	return v, "", "not rewritten: " + r.Host + " runs the text as it was given, so the shell looks its programs up again"
}

// replaced returns the command that was judged. The host must run it, because its own is another one.
func (r Request) replaced(d *gavel.Decision, v Verdict) (Verdict, string, string) {
	if !r.Rewrites || d.Exec == nil || d.Exec.Command == "" {
		return Verdict{Reason: "gavel.internal: the decision does not say which command was judged"}, "", ""
	}
	return v, d.Exec.Command, ""
}

// unsupported says what a decision requires that the host cannot do; "" if the host can do everything.
func (r Request) unsupported(d *gavel.Decision, call gavel.Call) string {
	e := d.Exec
	if e == nil {
		return ""
	}
	if e.Host != "gateway" {
		return fmt.Sprintf("hook.exec_host: the policy runs commands on the host %q, but %s runs them on this machine; set tools.exec.host: gateway", e.Host, r.Host)
	}
	if slices.Contains(e.Ignored, "background") {
		return fmt.Sprintf("hook.background: the policy lets no command go to the background, and %s has no way to forbid it; repeat the call without it", r.Host)
	}
	if len(e.Env) > 0 {
		return fmt.Sprintf("hook.environment: the command needs variables that %s cannot set", r.Host)
	}
	if r.Rewrites {
		return ""
	}
	text, _ := call.Tool.Params["command"].(string)
	if e.Command != "" && e.Command != text && (r.Login || len(e.PathPrepend) > 0 || call.Environment == nil || call.Environment.Path == nil) {
		return fmt.Sprintf("hook.not_rewritten: %s cannot rewrite commands, and would look programs up elsewhere; "+
			"repeat the call with exactly this command: %s", r.Host, e.Command)
	}
	return ""
}

// answeredByOne reports whether the person at the host may answer alone. Without terms that is
// unknown, and the result is false.
func answeredByOne(t *gavel.Terms) bool {
	return t != nil && len(t.Approvers) == 0 && t.Quorum == 1
}
