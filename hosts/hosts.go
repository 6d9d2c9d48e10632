// Package hosts translates between Gavel and the programs that run agents. Each of them has a
// translator in a package below this one. It turns the payload of the host's hook into calls that
// Gavel can judge, and the decisions into the exact bytes, exit code and stream that the host obeys.
//
// Translators do no I/O and judge nothing: gavel hook, gavel-hook and the HTTP server use the same
// ones. What a translator cannot read becomes part of the call
// (gavel.Tool.Unread), so that the policy denies it and the decision log records it.
package hosts

import "gavel"

// Host is the translator of one host. Every function is pure and safe for concurrent use.
type Host struct {
	// Name is the canonical name, as on the command line, such as claude-code.
	Name string
	// Project is the environment variable in which the host tells its hooks the directory of the
	// project; "" if there is none.
	Project string
	// Detect reports whether a payload certainly comes from this host.
	Detect func(Payload) bool
	// Read translates a payload. Its error tells a person what is wrong with the payload, and is
	// answered with [Host.Fail].
	Read func(Payload) (Request, error)
	// Answer returns the reply to a request that [Host.Read] returned, for its verdict.
	Answer func(Request, Verdict) Reply
	// Fail returns the reply if there is no verdict: it denies in every form that the host obeys.
	// The payload is the zero Payload if it could not be read.
	Fail func(Payload, error) Reply
}

// Request is a payload in Gavel's terms: the calls that the host asks about, and what it can do with
// the answer.
type Request struct {
	Host  string // canonical name
	Event string // as the host spells it
	Tool  string // as the host spells it
	// NoOpinion is set for an event that is not about a tool call. Then there are no calls,
	// and the answer lets the host go on.
	NoOpinion bool
	// Calls are the calls to judge, as the payload states them. [Request.Complete] adds what only the
	// hook's process knows.
	Calls []gavel.Call
	// Input has the tool's parameters as the host sent them, for a rewrite.
	Input Object
	// Rewrites is true if the host runs the command in the answer instead of the original.
	Rewrites bool
	// Replaced is true if the calls do not have the command that the host sent. The host must
	// then run the one that was judged.
	Replaced bool
	// Login is true if the host's shell reads profile files first, so that its search path and
	// its aliases are unknown.
	Login bool
	// Asks is true if an ask reaches the person at the host.
	Asks bool
	// Subagent is the host's id of the sub-agent that makes the calls; "" for the main agent.
	Subagent string
}

// Reply is what a hook prints, and its exit code. For a hook over HTTP, the status is always 200.
type Reply struct {
	Stdout []byte
	Stderr []byte
	Exit   int
	// Body is the answer over HTTP, if it differs from Stdout: HTTP has no exit code to report a
	// failure.
	Body []byte
}

// HTTP returns the body of the answer over HTTP.
func (r Reply) HTTP() []byte {
	if r.Body != nil {
		return r.Body
	}
	return r.Stdout
}
