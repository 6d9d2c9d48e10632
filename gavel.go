// Package gavel is the vocabulary of a policy decision point for AI agents.
//
// Before an agent's tool call runs, something that can stop it (a policy
// enforcement point, PEP) describes the call to Gavel. Gavel answers allow, ask
// or deny, and says why. Four steps lead there, and [PDP.Decide] is all of them:
//
//	Call  ── Analyzer ──▶  Facts  ── Snapshot (Rego) ──▶  Decision ──▶ DecisionLog
//
// This package holds the nouns and the interfaces between the parts, and
// imports the standard library only. The parts live in folders of their own,
// never import one another, and are wired in cmd/gavel.
//
// Deciding is total: there is no error to forget. Whatever fails on the way is
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
