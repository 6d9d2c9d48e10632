package gavel

// Caller is who makes a request, and what their credential permits. The zero value
// may do nothing.
type Caller struct {
	// Credential names what was shown, without the connection it came over. Who asks
	// for an approval is known by it, and cannot answer.
	Credential string
	From       string // where from, for logs
	Decide     bool   // ask for decisions
	Claim      bool   // say who sent the message, and where the call would run
	Approve    bool   // see questions and answer them
	Allowlist  bool   // read and write the allowlist file
}
