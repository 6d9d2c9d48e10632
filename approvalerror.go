package gavel

import (
	"errors"
	"syscall"
)

// Codes of approvals. They are part of the API.
const (
	CodeApprovalNotFound     = "approval_not_found"
	CodeApprovalIDTooShort   = "approval_id_too_short"
	CodeApprovalAmbiguous    = "approval_ambiguous"
	CodeApprovalExpired      = "approval_expired"  // the answer came too late
	CodeApprovalResolved     = "approval_resolved" // already answered
	CodeApprovalVoted        = "approval_voted"    // already answered by this person
	CodeApprovalConsumed     = "approval_consumed"
	CodeApprovalExists       = "approval_exists" // the id belongs to another question
	CodeApprovalConflict     = "approval_conflict"
	CodeApprovalUnbound      = "approval_unbound" // it is unclear what the answer would cover
	CodeApprovalsFull        = "approvals_full"
	CodeApprovalsUnavailable = "approvals_unavailable"
	CodeInvalidAnswer        = "invalid_decision"
	CodeAnswerUnavailable    = "decision_unavailable" // such as allow-always with ask always
	CodeSelfApproval         = "self_approval"
	CodeNotApprover          = "not_an_approver"
	CodePersonRequired       = "person_required" // several people must agree, and a shared credential does not count
	CodeApprovalTooLarge     = "approval_too_large"
	CodeCommentTooLong       = "comment_too_long"
	CodeAllowlistCorrupt     = "allowlist_corrupt"
	CodeAllowlistUnsafe      = "allowlist_unsafe"
	CodeAllowlistInvalid     = "allowlist_invalid"
	CodeBaseHashRequired     = "base_hash_required"
	CodeBaseHashStale        = "base_hash_stale"
	CodeGrantInvalid         = "grant_invalid"
	CodeGrantExpired         = "grant_expired"
	CodeGrantMismatch        = "grant_mismatch"
	CodeGrantUsed            = "grant_used"
)

// DiskFullError returns an ApprovalError if err says that the disk is full, or that the user's quota
// is used up. It returns nil for any other error.
func DiskFullError(err error) *ApprovalError {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	return &ApprovalError{Code: CodeApprovalsUnavailable, Message: "there is no room on the disk", Fix: "make room, and try again", Err: err}
}

// ApprovalError is a refusal by approvals.
type ApprovalError struct {
	Code    string
	Message string
	Fix     string
	// Details are the ids that match an ambiguous prefix, or the fields that differ.
	Details []string
	Err     error // the cause, for the log
}

// Error returns the message.
func (e *ApprovalError) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause.
func (e *ApprovalError) Unwrap() error { return e.Err }
