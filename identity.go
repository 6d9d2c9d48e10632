package gavel

import (
	"crypto/sha256"
	"encoding/hex"
)

// Identity is who shows a credential. The zero value may do nothing.
type Identity struct {
	// Name is the credential's in logs and in approvals. It is a scope, or a scope and a
	// name: decide, decide:coder, gateway:slack, approve:alice, admin.
	Name string
	// Person is whose credential it is; "" for one that nobody in particular holds.
	Person string
	// Speaks says for whom the credential may ask for decisions; nil for nobody. Several
	// requests may have the same: nobody changes it.
	Speaks *CallerFacts
}

// Identities tells who shows a credential. Implementations are safe for concurrent use,
// never wait for a network, and know at once when a credential was revoked.
type Identities interface {
	// Token returns who shows a bearer token. The time that it takes does not depend on
	// how much of a token is right.
	Token(token string) (Identity, bool)
	// Certificate returns who shows a verified client certificate with these names.
	Certificate(names []string) (Identity, bool)
}

// Provider is what Identities implement whose tokens somebody else issues, a new one at each
// login.
type Provider interface {
	// Provider names who issues them.
	Provider() string
}

// Issues of credentials that are renewed without being others: the names of a client certificate
// say whose it is, and the provider says it of its tokens.
const (
	IssueOfCertificate = "certificate"
	IssueOfProvider    = "provider"
)

// issueLength is how much of a token's digest tells it from others, in hexadecimal digits.
const issueLength = 16

// IssueOf tells tokens of one name apart. It does not reveal the token.
func IssueOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:issueLength/2])
}

// IssueOfDigest is the same, of the SHA-256 of a token in hexadecimal.
func IssueOfDigest(digest string) string { return digest[:min(len(digest), issueLength)] }
