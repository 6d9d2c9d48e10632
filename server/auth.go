package server

import (
	"fmt"
	"net/http"
	"strings"

	"gavel"
)

// Scope is what a credential is for. The zero value permits nothing.
type Scope string

// The scopes of tokens.
const (
	ScopeDecide  Scope = "decide"  // ask for decisions; all that an agent may ever hold
	ScopeGateway Scope = "gateway" // the same, and say who sent the message and where the call would run
	ScopeApprove Scope = "approve" // see questions and answer them; it asks for no decisions
	ScopeAdmin   Scope = "admin"   // read tools, status and metrics, and write the allowlist file; it asks for no decisions

	// scopeSocket is the scope of the right user on the unix socket without a
	// token: that of decide.
	scopeSocket Scope = "socket"
)

// right is one thing that a caller may do; rights are combined by |.
type right uint8

const (
	rightDecide    right = 1 << iota // ask for decisions
	rightClaim                       // send environment and sender
	rightTools                       // ask which tools are visible
	rightStatus                      // read status and metrics
	rightApprove                     // see questions and answer them
	rightAllowlist                   // read and write the allowlist file
	rightAsk                         // ask for an approval, and wait for the answer
)

// rights is the table of who may do what.
func (s Scope) rights() right {
	base, _ := s.parts()
	switch base {
	case ScopeDecide, scopeSocket:
		return rightDecide | rightTools | rightStatus | rightAsk
	case ScopeGateway:
		return rightDecide | rightClaim | rightTools | rightStatus | rightAsk
	case ScopeApprove:
		return rightApprove | rightAllowlist | rightStatus | rightAsk
	case ScopeAdmin:
		return rightTools | rightStatus | rightAllowlist
	default:
		return 0
	}
}

// parts are the scope and the name of the one who holds it: approve:alice is alice's.
func (s Scope) parts() (base Scope, name string) {
	text, name, _ := strings.Cut(string(s), ":")
	return Scope(text), name
}

// caller is who makes a request. The zero value may do nothing.
type caller struct {
	scope Scope
	from  string // a remote address, or unix:uid=…
}

// String names the caller for the decision log: "decide@127.0.0.1:4321",
// "gateway@unix:uid=1000", or "unix:uid=1000" without a token.
func (c caller) String() string {
	if c.scope == scopeSocket {
		return c.from
	}
	return string(c.scope) + "@" + c.from
}

// credential names what the caller has shown, without the connection it came over:
// who asks for an approval is known by it, and cannot answer.
func (c caller) credential() string {
	if c.scope == scopeSocket {
		return c.from
	}
	return string(c.scope)
}

// person is who holds the credential, by name; "" for one that several may hold.
func (c caller) person() string {
	base, name := c.scope.parts()
	if base != ScopeApprove {
		return ""
	}
	return name
}

// shown is the caller as parts outside of this package know it.
func (c caller) shown() gavel.Caller {
	rights := c.scope.rights()
	return gavel.Caller{Credential: c.credential(), Person: c.person(), From: c.String(), Decide: rights&rightAsk != 0, Claim: rights&rightClaim != 0,
		Approve: rights&rightApprove != 0, Allowlist: rights&rightAllowlist != 0}
}

// require returns an error unless the caller holds a right.
func (c caller) require(need right) error {
	if c.scope.rights()&need == need {
		return nil
	}
	return &apiError{Code: codeScopeRequired, Message: fmt.Sprintf("the scope %s does not permit this", c.scope),
		Fix: "use a token of the scope " + strings.Join(scopesWith(need), " or ")}
}

// scopesWith lists the scopes of tokens that hold a right.
func scopesWith(need right) []string {
	var list []string
	for _, scope := range []Scope{ScopeDecide, ScopeGateway, ScopeApprove, ScopeAdmin} {
		if scope.rights()&need == need {
			list = append(list, string(scope))
		}
	}
	return list
}

// authenticate finds out who makes a request. A token decides alone: a bad one
// is refused on the unix socket too, rather than ignored.
func (s *Server) authenticate(r *http.Request) (caller, error) {
	p := peerOf(r)
	from := r.RemoteAddr
	if p.unix {
		from = fmt.Sprintf("unix:uid=%d", p.uid)
	}
	headers := r.Header["Authorization"]
	if len(headers) == 0 && p.unix && p.refused == "" {
		return caller{scopeSocket, from}, nil
	}
	if len(headers) == 0 {
		return caller{}, &apiError{Code: codeUnauthenticated, Message: "the request has no token",
			Fix: "send Authorization: Bearer and the content of tokens/<scope>.token"}
	}
	if len(headers) == 1 {
		scheme, token, _ := strings.Cut(headers[0], " ")
		if scope, ok := s.cfg.Tokens.scope(token); ok && strings.EqualFold(scheme, "Bearer") {
			return caller{scope, from}, nil
		}
	}
	return caller{}, &apiError{Code: codeUnauthenticated, Message: "the token is not one of this server's",
		Fix: "send Authorization: Bearer and the content of tokens/<scope>.token"}
}
