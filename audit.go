package gavel

import (
	"context"
	"time"
)

// Kinds of audit events. They are part of the decision log's format.
const (
	AuditApprovalRequested = "approval.requested" // a question was put to people
	AuditApprovalVoted     = "approval.voted"     // one of several people answered
	AuditApprovalResolved  = "approval.resolved"  // the question is answered
	AuditApprovalConsumed  = "approval.consumed"  // a call used the answer
	AuditApprovalExpired   = "approval.expired"   // nobody answered in time
	AuditGrantRedeemed     = "grant.redeemed"     // an enforcement point used a grant
	AuditAllowlistEdited   = "allowlist.edited"   // with before and after
	AuditLoginRefused      = "login.refused"      // no credential, or none that is known
	AuditAccessRefused     = "access.refused"     // a known credential without the right
	AuditTokenCreated      = "token.created"
	AuditTokenRevoked      = "token.revoked"
	AuditAgentPaused       = "agent.paused"
	AuditAgentResumed      = "agent.resumed"
)

// AuditEvent is something that is not a decision and that a reader of the decision
// log must know: who answered a question, who edited the allowlist, whose login was
// refused. It never holds a secret.
type AuditEvent struct {
	Kind      string    // one of the Audit constants
	Timestamp time.Time // wall clock, UTC
	By        string    // the credential behind it; "" when there is none
	From      string    // where the request came from; "" when it is Gavel's own doing
	Agent     string    // the agent that it is about; "" for none
	Approval  string    // the id of the approval that it is about; "" for none
	// Detail holds what else there is to say, in JSON types.
	Detail map[string]any
}

// Audit records audit events. Implementations are safe for concurrent use. An error
// means that the event is not recorded; whoever was about to act on it must not.
type Audit interface {
	Audit(ctx context.Context, event AuditEvent) error
}
