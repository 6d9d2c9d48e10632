package gavel

import (
	"crypto/sha256"
	"encoding/hex"
)

// Identity is the holder of a credential. The zero value may do nothing.
type Identity struct {
	// Name is the credential's name in logs and approvals. It is a scope, or a scope and a
	// name: decide, decide:coder, gateway:slack, approve:alice, admin.
	Name string
	// Person is the person that the credential belongs to; "" for a shared one.
	Person string
	// Speaks defines the agents that the credential may ask for; nil for none. Several
	// requests may share it, so it must not be modified.
	Speaks *CallerFacts
	// Issue distinguishes a client certificate's credential from another one of the same name;
	// "" for tokens, which differ themselves.
	Issue string
}

// Identities identifies the holders of credentials. Implementations are safe for concurrent
// use, never wait for a network, and notice at once when a credential was revoked.
type Identities interface {
	// Token returns the holder of a bearer token. The time it takes does not depend on how
	// much of a token is right.
	Token(token string) (Identity, bool)
	// Certificate returns the holder of a verified client certificate with these names.
	Certificate(names []string) (Identity, bool)
}

// Provider is implemented by Identities whose tokens someone else issues, a new one at each
// login.
type Provider interface {
	// Provider names who issues them.
	Provider() string
}

// IssueOfProvider is the issue of all tokens of a provider, who identifies their holder.
const IssueOfProvider = "provider"

// issueLength is how much of a token's digest tells it from others, in hexadecimal digits.
const issueLength = 16

// IssueOf distinguishes tokens with the same name. It does not reveal the token.
func IssueOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:issueLength/2])
}

// IssueOfDigest is the same, of the SHA-256 of a token in hexadecimal.
func IssueOfDigest(digest string) string { return digest[:min(len(digest), issueLength)] }
