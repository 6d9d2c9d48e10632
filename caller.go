package gavel

// Caller is who makes a request, and what their credential permits. The zero value
// may do nothing.
type Caller struct {
	// Credential names what was shown, without the connection it came over. Who asks
	// for an approval is known by it, and cannot answer.
	Credential string
	// Person is the name of the person that the credential belongs to; "" for one that
	// several may hold. Where several people must agree, only names count.
	Person    string
	From      string // where from, for logs
	Decide    bool   // ask for decisions
	Claim     bool   // say who sent the message, and where the call would run
	Approve   bool   // see questions and answer them
	Allowlist bool   // read and write the allowlist file
}
