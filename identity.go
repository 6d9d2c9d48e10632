package gavel

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
