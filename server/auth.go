package server

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
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
	rightFacts                       // read the facts behind a decision
	rightTools                       // ask which tools are visible
	rightStatus                      // read status and metrics
	rightApprove                     // see questions and answer them
	rightAllowlist                   // read and write the allowlist file
	rightAsk                         // ask for an approval, and wait for the answer
	rightAdmin                       // pause and resume agents
)

// rights is the table of who may do what.
func (s Scope) rights() right {
	base, _ := s.parts()
	switch base {
	case ScopeDecide, scopeSocket:
		return rightDecide | rightTools | rightStatus | rightAsk
	case ScopeGateway:
		return rightDecide | rightTools | rightStatus | rightAsk | rightFacts
	case ScopeApprove:
		return rightApprove | rightAllowlist | rightStatus | rightAsk
	case ScopeAdmin:
		return rightTools | rightStatus | rightAllowlist | rightAdmin
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
	scope  Scope  // its name is that of the credential
	from   string // a remote address, or unix:uid=…
	owner  string // the person whose it is
	speaks *gavel.CallerFacts
	valid  func() bool // the credential still holds
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
func (c caller) person() string { return c.owner }

// shown is the caller as parts outside of this package know it.
func (c caller) shown() gavel.Caller {
	rights := c.scope.rights()
	return gavel.Caller{Credential: c.credential(), From: c.String(), Person: c.person(), Decide: rights&rightAsk != 0,
		Claim: c.speaks != nil && slices.Contains(c.speaks.Claims, gavel.ClaimEnvironment), Approve: rights&rightApprove != 0,
		Allowlist: rights&rightAllowlist != 0, Admin: rights&rightAdmin != 0, Speaks: c.speaks, Valid: c.valid}
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
// is refused on the unix socket too, rather than ignored, and beside a certificate.
func (s *Server) authenticate(r *http.Request) (caller, error) {
	who, err := s.identify(r)
	if err != nil {
		return caller{}, err
	}
	p := peerOf(r)
	c := caller{scope: Scope(who.Name), from: r.RemoteAddr, owner: who.Person, speaks: who.Speaks}
	if p.unix {
		c.from = fmt.Sprintf("unix:uid=%d", p.uid)
	}
	c.valid = func() bool {
		again, err := s.identify(r)
		return err == nil && again.Name == who.Name && again.Person == who.Person
	}
	return c, nil
}

func (s *Server) identify(r *http.Request) (gavel.Identity, error) {
	p := peerOf(r)
	headers := r.Header["Authorization"]
	switch {
	case len(headers) == 0 && p.unix && p.refused == "":
		return identityOf(scopeSocket, s.cfg.SharedDecideAgents), nil
	case len(headers) == 0:
		if who, ok := s.certified(r); ok {
			return who, nil
		}
		return gavel.Identity{}, &apiError{Code: codeUnauthenticated, Message: "the request has no token",
			Fix: "send Authorization: Bearer and the content of tokens/<scope>.token"}
	case len(headers) == 1:
		scheme, token, _ := strings.Cut(headers[0], " ")
		if who, ok := s.known(token); ok && strings.EqualFold(scheme, "Bearer") {
			return who, nil
		}
	}
	return gavel.Identity{}, &apiError{Code: codeUnauthenticated, Message: "the token is not one of this server's, or no longer is",
		Fix: "send Authorization: Bearer and the content of tokens/<scope>.token, or a token of gavel token create"}
}

// known says whose token it is.
func (s *Server) known(token string) (gavel.Identity, bool) {
	if scope, ok := s.cfg.Tokens.scope(token); ok {
		return identityOf(scope, s.cfg.SharedDecideAgents), true
	}
	for _, source := range s.cfg.Identities {
		if who, ok := source.Token(token); ok && Scope(who.Name).rights() != 0 {
			return who, true
		}
	}
	return gavel.Identity{}, false
}

// certified says whose client certificate it is. The listener has verified it; a
// connection may outlive it.
func (s *Server) certified(r *http.Request) (gavel.Identity, bool) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 || s.cfg.Now().After(r.TLS.VerifiedChains[0][0].NotAfter) {
		return gavel.Identity{}, false
	}
	names := namesOf(r.TLS.VerifiedChains[0][0])
	for _, source := range s.cfg.Identities {
		if who, ok := source.Certificate(names); ok && Scope(who.Name).rights() != 0 {
			return who, true
		}
	}
	return gavel.Identity{}, false
}

// namesOf are the names of a certificate: those of its extension, or, in one without any,
// the common name.
func namesOf(cert *x509.Certificate) []string {
	names := append(slices.Clone(cert.DNSNames), cert.EmailAddresses...)
	for _, uri := range cert.URIs {
		names = append(names, uri.String())
	}
	if len(names) == 0 && cert.Subject.CommonName != "" {
		names = []string{cert.Subject.CommonName}
	}
	return names
}
