package server

import (
	"crypto/x509"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"gavel"
)

// caller is who makes a request. The zero value may do nothing.
type caller struct {
	name   string // of the credential: a scope, or a scope and a name
	from   string // a remote address, or unix:uid=…
	person string // the person whose it is
	speaks *gavel.CallerFacts
	valid  func() bool // the credential still holds
	issue  func() string
}

// String names the caller for the decision log: "decide@127.0.0.1:4321",
// "gateway@unix:uid=1000", or "unix:uid=1000" without a token.
func (c caller) String() string {
	if c.name == string(gavel.ScopeSocket) {
		return c.from
	}
	return c.name + "@" + c.from
}

// credential identifies the credential without the connection: the asker of an approval is
// identified by it, and cannot answer.
func (c caller) credential() string {
	if c.name == string(gavel.ScopeSocket) {
		return c.from
	}
	return c.name
}

// rights returns what the caller may do.
func (c caller) rights() gavel.Right { return rightsOfCredential(c.name) }

// rightsOfCredential returns the rights of the credential with this name.
func rightsOfCredential(credential string) gavel.Right {
	scope, _ := gavel.ScopeOf(credential)
	return scope.Rights()
}

// public returns the caller in the form that other packages know.
func (c caller) public() gavel.Caller {
	return gavel.Caller{Credential: c.credential(), Issue: c.issue(), From: c.String(), Person: c.person, Rights: c.rights(), Speaks: c.speaks, Valid: c.valid}
}

// require returns an error unless the caller holds a right.
func (c caller) require(need gavel.Right) error {
	if c.rights()&need == need {
		return nil
	}
	return &apiError{Code: codeScopeRequired, Message: fmt.Sprintf("the scope %s does not permit this", c.name),
		Fix: "use a token of the scope " + gavel.OneOf(gavel.TokenScopes(need))}
}

// authenticate identifies the maker of a request. If there is a token, only the token counts:
// a bad one is refused on the unix socket and beside a certificate too.
func (s *Server) authenticate(r *http.Request) (caller, error) {
	who, issue, err := s.identify(r)
	if err != nil {
		return caller{}, err
	}
	p := peerOf(r)
	c := caller{name: who.Name, from: r.RemoteAddr, person: who.Person, speaks: who.Speaks, issue: issue}
	if p.unix {
		c.from = fmt.Sprintf("unix:uid=%d", p.uid)
	}
	c.valid = func() bool {
		again, _, err := s.identify(r)
		return err == nil && reflect.DeepEqual(again, who) // with the limits that it was shown with
	}
	return c, nil
}

// identify returns who makes a request, and a function that returns the issue of the credential,
// which distinguishes it from others of the same name.
func (s *Server) identify(r *http.Request) (who gavel.Identity, issue func() string, err error) {
	p := peerOf(r)
	headers := r.Header["Authorization"]
	switch {
	case len(headers) == 0 && p.unix && p.refused == "":
		return identityOf(string(gavel.ScopeSocket), s.cfg.SharedDecideAgents), constant(""), nil
	case len(headers) == 0:
		if who, ok := s.certificateIdentity(r); ok {
			return who, constant(who.Issue), nil
		}
		return gavel.Identity{}, nil, &apiError{Code: codeUnauthenticated, Message: "the request has no token",
			Fix: "send the content of tokens/<scope>.token as the bearer token of the Authorization header"}
	case len(headers) == 1:
		scheme, token, _ := strings.Cut(headers[0], " ")
		if who, issue, ok := s.tokenIdentity(token); ok && strings.EqualFold(scheme, "Bearer") {
			return who, issue, nil
		}
	}
	return gavel.Identity{}, nil, &apiError{Code: codeUnauthenticated, Message: "the token is not valid on this server, or no longer valid",
		Fix: "send the content of tokens/<scope>.token, or a token of gavel token create, as the bearer token of the Authorization header"}
}

// tokenIdentity returns the identity of a token, and the issue of its credential.
func (s *Server) tokenIdentity(token string) (who gavel.Identity, issue func() string, ok bool) {
	ofToken := func() string { return gavel.IssueOf(token) }
	if name, ok := s.cfg.Tokens.name(token); ok {
		return identityOf(name, s.cfg.SharedDecideAgents), ofToken, true
	}
	for _, source := range s.cfg.Identities {
		who, ok := source.Token(token)
		if !ok || rightsOfCredential(who.Name) == 0 {
			continue
		}
		if _, provider := source.(gavel.Provider); provider {
			return who, constant(gavel.IssueOfProvider), true
		}
		return who, ofToken, true
	}
	return gavel.Identity{}, nil, false
}

// HolderOf returns the holder of a token, for connections that are not HTTP. For a token that is
// unknown or no longer valid it returns the zero value, which may do nothing.
func (s *Server) HolderOf(token string) gavel.Caller {
	who, issue, ok := s.tokenIdentity(token)
	if !ok {
		return gavel.Caller{}
	}
	return gavel.Caller{Credential: who.Name, Issue: issue(), Person: who.Person, Rights: rightsOfCredential(who.Name), Speaks: who.Speaks}
}

func constant(issue string) func() string { return func() string { return issue } }

// certificateIdentity says whose client certificate it is. The listener has verified it; a
// connection may outlive it, and the authority that it is from.
func (s *Server) certificateIdentity(r *http.Request) (gavel.Identity, bool) {
	if r.TLS == nil || len(r.TLS.PeerCertificates) == 0 || len(r.TLS.VerifiedChains) == 0 || !s.trusted(r) {
		return gavel.Identity{}, false
	}
	names := certificateNames(r.TLS.PeerCertificates[0])
	for _, source := range s.cfg.Identities {
		if who, ok := source.Certificate(names); ok && rightsOfCredential(who.Name) != 0 {
			return who, true
		}
	}
	return gavel.Identity{}, false
}

// trusted reports whether the certificate of a request's connection is valid now, by its dates and
// by the current authorities. Each connection is verified once, and again when the authorities
// change.
func (s *Server) trusted(r *http.Request) bool {
	shown, now := r.TLS.PeerCertificates, s.cfg.Now()
	if now.After(shown[0].NotAfter) || now.Before(shown[0].NotBefore) {
		return false
	}
	if s.cfg.ClientCAs == nil {
		return true
	}
	pool, conn := s.cfg.ClientCAs(), connOf(r)
	if pool == nil {
		return false
	}
	if conn != nil && conn.trusted.Load() == pool {
		return true
	}
	between := x509.NewCertPool()
	for _, cert := range shown[1:] {
		between.AddCert(cert)
	}
	_, err := shown[0].Verify(x509.VerifyOptions{Roots: pool, Intermediates: between, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	if err == nil && conn != nil {
		conn.trusted.Store(pool)
	}
	return err == nil
}

// certificateNames returns the subject alternative names of a certificate, or its common name if it
// has none.
func certificateNames(cert *x509.Certificate) []string {
	names := append(slices.Clone(cert.DNSNames), cert.EmailAddresses...)
	for _, uri := range cert.URIs {
		names = append(names, uri.String())
	}
	if len(names) == 0 && cert.Subject.CommonName != "" {
		names = []string{cert.Subject.CommonName}
	}
	return names
}
