package gavel

// VerificationFacts are the answers of verifiers to exactly this call.
type VerificationFacts struct {
	Asked   bool             `json:"asked"` // the verifiers were asked; none is asked twice about one call
	Answers []VerifierAnswer `json:"answers" nil:"empty"`
}

// VerifierAnswer is the result of asking one verifier.
type VerifierAnswer struct {
	Verifier string `json:"verifier"` // webhook or telegram
	// Outcome is one of allowed, denied, remembered (the verifier recently allowed the same question),
	// ended (the answer was no longer needed), and the failures in rego/gavel/catalog/verifier.
	Outcome string `json:"outcome"`
	// Detail is the verifier's own reason, or what was wrong with its answer. It is sanitised.
	Detail string `json:"detail"`
}

// TimeFacts is one moment on the clock of tools.timeZone. The texts of Clock and Date
// compare in the order of time.
type TimeFacts struct {
	At      string `json:"at"`      // RFC 3339 to the second, such as 2026-11-22T09:30:00+01:00
	Date    string `json:"date"`    // such as 2026-11-22
	Weekday string `json:"weekday"` // in lower case, such as sunday
	Clock   string `json:"clock"`   // hour and minute, such as 09:30
	Zone    string `json:"zone"`    // the name of the time zone, such as Europe/Berlin
}

// ApprovalFacts is what is known about a person's answer to exactly this call.
type ApprovalFacts struct {
	Looked bool `json:"looked"` // Gavel looked for an answer
	// Bound is the binding of this call, or "" when it cannot be computed.
	Bound string `json:"bound"`
	Found bool   `json:"found"` // there is an approval that may still be used
	ID    string `json:"id"`
	// State, Decision and Binding are those of the approval.
	State    string `json:"state"`
	Decision string `json:"decision"`
	Binding  string `json:"binding"`
	Expired  string `json:"expired"` // why it expired: timeout, no-approval-route
	// Seen is the most permanent answer that permitted the same command of the same agent
	// before, in any session: allow-always, allow-once or "".
	Seen string `json:"seen"`
	// Trusted is the entry of the allowlist file for exactly this command, with everything
	// that it covers; "" for none.
	Trusted string `json:"trusted"`
}

// ApprovalsFileFacts is the allowlist file's content for this agent (APPROVALS-5). State is
// "" without a file, read, or refused for an unusable one. Settings come most specific first:
// the agent's, those of *, the defaults.
type ApprovalsFileFacts struct {
	State    string                 `json:"state"`
	Settings []ApprovalsFileSetting `json:"settings" nil:"empty"`
}

// ApprovalsFileSetting is one section of the file; "" means not set.
type ApprovalsFileSetting struct {
	Path        string `json:"path"`
	Security    string `json:"security"`
	Ask         string `json:"ask"`
	AskFallback string `json:"askFallback"`
	// AutoAllowSkills is the text true or false.
	AutoAllowSkills string `json:"autoAllowSkills"`
}
