package gavel

import (
	"context"
	"time"
)

// Kinds of audit events. They are part of the decision log's format.
const (
	AuditApprovalRequested = "approval.requested" // people were asked
	AuditApprovalVoted     = "approval.voted"     // one of several people answered
	AuditApprovalResolved  = "approval.resolved"  // the question is answered
	AuditApprovalConsumed  = "approval.consumed"  // a call used the answer
	AuditApprovalExpired   = "approval.expired"   // nobody answered in time
	AuditGrantRedeemed     = "grant.redeemed"     // an enforcement point used a grant
	AuditAllowlistEdited   = "allowlist.edited"   // the allowlist was edited, with before and after
	AuditLoginRefused      = "login.refused"      // the credential is missing or unknown
	AuditAccessRefused     = "access.refused"     // a known credential without the right
	AuditTapRefused        = "tap.refused"        // a tap on a button in a chat, which does not count
	AuditElevationRefused  = "elevation.refused"  // somebody asked to leave the sandbox, and must not
	AuditDirectiveSet      = "directive.set"      // a directive sets values, for a session or a message
	AuditDirectiveShown    = "directive.shown"    // a directive shows the current values
	AuditDirectiveAnswered = "directive.answered" // a directive answers a question; its answer is an event of its own
	AuditDirectiveRefused  = "directive.refused"  // a directive is refused
	AuditTokenCreated      = "token.created"
	AuditTokenRevoked      = "token.revoked"
	AuditAgentPaused       = "agent.paused"
	AuditAgentResumed      = "agent.resumed"
	AuditRunStarted        = "run.started"       // an enforcement point starts a command that was allowed
	AuditRunRefused        = "run.refused"       // it did not, because something differs from what was judged, for example
	AuditRunEnded          = "run.ended"         // the command has ended
	AuditVerifierAsked     = "verifier.asked"    // an outside authority is asked about a call
	AuditVerifierAnswered  = "verifier.answered" // the result of asking it
)

// AuditEvent is an event other than a decision that belongs in the decision log: who answered
// a question, who edited the allowlist, whose login was refused. It never holds a secret.
type AuditEvent struct {
	Kind      string    // one of the Audit constants
	Timestamp time.Time // wall clock, UTC
	By        string    // the credential behind it; "" when there is none
	From      string    // the address of the request; "" for Gavel itself
	Agent     string    // the agent that it is about; "" for none
	Approval  string    // the id of the approval that it is about; "" for none
	// Detail holds further details, in JSON types.
	Detail map[string]any
}

// Audit records audit events. Implementations are safe for concurrent use. If Record returns
// an error, the event is not recorded, and the caller must not act on it.
type Audit interface {
	Audit(ctx context.Context, event AuditEvent) error
}
