// Package identity identifies the holders of credentials: it stores those that `gavel token
// create` creates, reads tokens of an OpenID provider, and loads the certificates of TLS
// listeners.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gavel"
)

// Limits of a credential.
const (
	maxCredentials = 10_000
	maxBound       = 256 // agents, or sessions, of one credential
)

// Credential is one token or client certificate, with its rights. It contains no secret.
type Credential struct {
	Name  string      `json:"name"`
	Scope gavel.Scope `json:"scope"`
	// Person is the person it belongs to; always set for the scope approve.
	Person string `json:"person,omitempty"`
	// Digest is the SHA-256 of the token, in hexadecimal; "" for a certificate.
	Digest string `json:"sha256,omitempty"`
	// Certificate is a name in the client certificate: a URI, DNS name, email address, or the
	// common name.
	Certificate string `json:"certificate,omitempty"`
	// Agents, Sessions and Claims limit it, as in gavel.CallerFacts.
	Agents   []string  `json:"agents,omitempty"`
	Sessions []string  `json:"sessions,omitempty"`
	Claims   []string  `json:"claims,omitempty"`
	Created  time.Time `json:"created"`
	Expires  time.Time `json:"expires,omitzero"` // zero: never
}

// ID returns the credential's name in logs and approvals. All credentials with which a person
// answers have the same name, so nobody can ask with one and answer with another.
func (c *Credential) ID() string {
	if c.Scope == gavel.ScopeApprove {
		return string(c.Scope) + ":" + c.Person
	}
	return string(c.Scope) + ":" + c.Name
}

// issue returns a value that distinguishes the credential from others of the same name. It does not
// depend on the certificate itself, which its holder may renew.
func (c *Credential) issue() string {
	if c.Certificate != "" {
		return gavel.IssueOf(fmt.Sprintf("certificate %q %q %q %q %s", c.Certificate, c.Agents, c.Sessions, c.Claims, c.Created.UTC().Format(time.RFC3339)))
	}
	return gavel.IssueOfDigest(c.Digest)
}

// Expired reports whether the credential has expired.
func (c *Credential) Expired(now time.Time) bool {
	return !c.Expires.IsZero() && !now.Before(c.Expires)
}

// Identity returns the holder of the credential.
func (c *Credential) Identity() gavel.Identity {
	id := gavel.Identity{Name: c.ID(), Person: c.Person}
	if c.Certificate != "" {
		id.Issue = c.issue()
	}
	switch c.Scope {
	case gavel.ScopeDecide, gavel.ScopeRun:
		id.Speaks = &gavel.CallerFacts{Kind: gavel.CallerAgent, Name: id.Name, Agents: c.Agents, Sessions: c.Sessions, Claims: c.Claims}
	case gavel.ScopeGateway:
		id.Speaks = &gavel.CallerFacts{Kind: gavel.CallerGateway, Name: id.Name, Agents: c.Agents, Sessions: c.Sessions, Claims: c.Claims}
	}
	return id
}

// check returns an error if the credential is invalid.
func (c *Credential) check() error {
	switch {
	case !ValidName(c.Name):
		return fmt.Errorf("%q is not a name: use lower-case letters, digits, - and _, 64 at most, beginning with a letter", c.Name)
	case c.Person != "" && !ValidPerson(c.Person):
		return fmt.Errorf("%q is not a person's name: use lower-case letters, digits and . _ - + @, beginning with a letter or digit", c.Person)
	case c.Certificate == "" && c.Digest == "":
		return errors.New("it has neither a token nor a certificate")
	case c.Certificate != "" && c.Digest != "":
		return errors.New("it has both a token and a certificate; create two credentials")
	case c.Certificate != strings.TrimSpace(c.Certificate) || len(c.Certificate) > gavel.MaxName:
		return errors.New("the certificate's name has surrounding spaces, or is too long")
	}
	if raw, err := hex.DecodeString(c.Digest); err != nil || c.Digest != "" && len(raw) != sha256.Size {
		return errors.New("sha256 is not a SHA-256 in hexadecimal")
	}
	switch c.Scope {
	case gavel.ScopeDecide, gavel.ScopeRun, gavel.ScopeGateway:
		return c.checkBounds()
	case gavel.ScopeApprove:
		if c.Person == "" {
			return errors.New("a credential of scope approve belongs to a person: name the person")
		}
	case gavel.ScopeAdmin:
	default:
		return fmt.Errorf("no such scope %q; use %s", c.Scope, gavel.OneOf(gavel.TokenScopes(0)))
	}
	if len(c.Agents)+len(c.Sessions)+len(c.Claims) > 0 {
		return fmt.Errorf("agents, sessions and claims limit only the scopes decide, run and gateway, not %s", c.Scope)
	}
	return nil
}

func (c *Credential) checkBounds() error {
	if len(c.Agents) == 0 {
		return errors.New("it names no agent")
	}
	if len(c.Agents) > maxBound || len(c.Sessions) > maxBound {
		return fmt.Errorf("more than %d agents or sessions", maxBound)
	}
	for _, agent := range c.Agents {
		if !regexp.MustCompile(`^[a-z0-9*][a-z0-9_*-]{0,63}$`).MatchString(agent) {
			return fmt.Errorf("%q is not an agent: use an id in lower case; * matches any characters", agent)
		}
		if c.Scope != gavel.ScopeGateway && strings.Trim(agent, "*") == "" {
			return errors.New("a token of the scope decide or run speaks for named agents: use the scope gateway for one that speaks for all")
		}
	}
	for _, session := range c.Sessions {
		if session == "" || session != gavel.Fold(session) || len(session) > gavel.MaxName {
			return fmt.Errorf("%q is not a prefix of a session key: use lower case, without surrounding spaces", session)
		}
	}
	for _, claim := range c.Claims {
		if !slices.Contains(gavel.AllClaims(), claim) {
			return fmt.Errorf("no such claim %q; use %s", claim, strings.Join(gavel.AllClaims(), ", "))
		}
	}
	return nil
}

// ValidName reports whether a credential may have this name.
func ValidName(name string) bool {
	return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`).MatchString(name)
}

// ValidPerson reports whether a person may have this name.
func ValidPerson(name string) bool {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9._+@-]{0,127}$`).MatchString(name)
}

// digest returns the SHA-256 of a token in hexadecimal, which is stored in its place.
func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}
