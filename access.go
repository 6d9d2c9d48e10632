package gavel

import (
	"slices"
	"strings"
)

// Scope is the purpose of a credential: the part of its name before the colon. The zero value
// permits nothing.
type Scope string

// The scopes. Tokens and certificates have one of the first five; the others are for sockets
// of the user that runs Gavel.
const (
	ScopeDecide    Scope = "decide"
	ScopeGateway   Scope = "gateway"
	ScopeApprove   Scope = "approve"
	ScopeRun       Scope = "run"
	ScopeAdmin     Scope = "admin"
	ScopeSocket    Scope = "socket"    // a process on the unix socket without a token
	ScopeOperators Scope = "operators" // the operators' socket, with the token of exec-approvals.json
)

// Right is one thing that a credential may do. Rights are combined with |; the zero value is
// none.
type Right uint16

// The rights. A request needs one of them, or no credential.
const (
	RightStatus    Right = 1 << iota // read the status and the metrics
	RightDecide                      // ask for decisions
	RightFacts                       // read the facts about the machine behind a decision
	RightTools                       // ask which tools are visible
	RightAsk                         // ask people for an approval, and wait for their answer
	RightApprove                     // see questions and answer them
	RightAllowlist                   // read and write the allowlist file
	RightPause                       // pause and resume agents
	RightDirect                      // say who wrote a message, and have its directives carried out
	RightRun                         // have commands run, and use their sessions
)

// ScopeRow is one row of the table of scopes.
type ScopeRow struct {
	Scope  Scope
	Rights Right
	Token  bool   // a token, or a client certificate, may have this scope
	For    string // who holds it and what it permits, in Markdown
}

// scopes is the only table of who may do what. The table of routes, gavel/server/access, has
// the right that each request needs.
func scopes() [7]ScopeRow {
	return [...]ScopeRow{
		{ScopeDecide, RightStatus | RightDecide | RightTools | RightAsk, true,
			"an agent: ask for decisions and tools, for the agents of the token, with the claims that the token allows"},
		{ScopeGateway, RightStatus | RightDecide | RightTools | RightAsk | RightFacts | RightDirect, true,
			"a gateway: the same for all agents or those of the token, with any claim; also see looked-up facts, post messages with directives, and report the outcome of commands"},
		{ScopeApprove, RightStatus | RightApprove | RightAllowlist | RightAsk, true,
			"a person: see, ask and answer questions, read and write the allowlist file; `approve.<name>.token` belongs to one person"},
		{ScopeRun, RightStatus | RightRun, true,
			"a client of `gavel runner`: run commands for the agents of the token; each command is judged"},
		{ScopeAdmin, RightStatus | RightTools | RightAllowlist | RightPause, true,
			"an administrator: list tools, read status and metrics, edit the allowlist file, pause agents"},
		{ScopeSocket, RightStatus | RightDecide | RightTools | RightAsk, false,
			"a process of the same user on `STATE/gavel.sock` without a token: the same as the shared `decide.token`"},
		{ScopeOperators, RightApprove | RightAllowlist | RightAsk, false,
			"a client of the operators' socket with the token of `exec-approvals.json`: the same as a person, without status"},
	}
}

// Scopes returns the table of scopes.
func Scopes() []ScopeRow {
	table := scopes()
	return table[:]
}

// Rights returns what a scope permits; none for a scope that is not in the table.
func (s Scope) Rights() Right {
	for _, row := range scopes() {
		if row.Scope == s {
			return row.Rights
		}
	}
	return 0
}

// ForTokens reports whether a token may have the scope.
func (s Scope) ForTokens() bool { return slices.Contains(TokenScopes(0), s) }

// TokenScopes returns the scopes of tokens that have a right, in the order of the table; all
// of them for 0.
func TokenScopes(need Right) []Scope {
	var list []Scope
	for _, row := range scopes() {
		if row.Token && row.Rights&need == need {
			list = append(list, row.Scope)
		}
	}
	return list
}

// OneOf lists names in words: decide, gateway or approve.
func OneOf[S ~string](list []S) string {
	if len(list) < 2 {
		return string(slices.Concat(list, []S{""})[0])
	}
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = string(name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// ScopeOf splits the name of a credential: approve:alice has the scope approve and belongs to
// alice.
func ScopeOf(credential string) (scope Scope, name string) {
	text, name, _ := strings.Cut(credential, ":")
	return Scope(text), name
}
