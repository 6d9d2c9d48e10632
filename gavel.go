// Package gavel is the vocabulary of a policy decision point for AI agents.
//
// Before an agent's tool call runs, the program that can stop it (a policy
// enforcement point, PEP) describes the call to Gavel. Gavel answers allow, ask
// or deny, and says why. [PDP.Decide] takes a call through these steps, each in
// a file of this package and in the package that does the work:
//
//	Call          call.go          what the agent wants; server and cmd/gavel read and [Call.Validate] it
//	→ Facts       facts.go         analyzer: parsed commands, real paths, URLs, identities; no verdict
//	              judge.go         the steps from here on, with a time limit (watchdog.go)
//	→ Decision    policy.go        bundles: evaluates the rules in rego/gavel for the facts
//	→ answer      askpeople.go     approvals: only if the policy asks; then it is evaluated again
//	→ agreement   askverifiers.go  verifiers: only if everything else permits; then again
//	→ log         pdp.go           decisionlog: a decision that cannot be recorded is a deny
//
// Other files with the names of nouns have the vocabulary of these steps. This
// package imports the standard library only. The packages that do the work do
// not import each other; cmd/gavel connects them (deps_rules_test.go).
//
// Decide returns no error that a caller could forget: any failure on the way is
// a [Deny] with a code such as [CodePolicyError], and the zero Decision denies.
package gavel

import (
	"fmt"
)

// Effect is the verdict on a call. Effects are ordered by what they let
// through, Deny < Ask < Allow, and the zero value denies.
type Effect uint8

// The three effects.
const (
	Deny  Effect = iota // the call must not run
	Ask                 // a person must be asked first
	Allow               // the call may run
)

// String returns "deny", "ask" or "allow"; anything else reads as "deny".
func (e Effect) String() string {
	switch e {
	case Allow:
		return "allow"
	case Ask:
		return "ask"
	default:
		return "deny"
	}
}

// MarshalText writes the effect as its lower-case name.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads "deny", "ask" or "allow", and refuses everything else:
// a client that misspells an effect has a bug that must not pass for a deny.
func (e *Effect) UnmarshalText(text []byte) error {
	switch string(text) {
	case "deny":
		*e = Deny
	case "ask":
		*e = Ask
	case "allow":
		*e = Allow
	default:
		return fmt.Errorf("unknown effect %q: want allow, ask or deny", text)
	}
	return nil
}
