package gavel

import (
	"context"
	"errors"
	"syscall"
	"time"
)

// ApprovalState is where an approval stands. There is one way through:
//
//	pending ──▶ resolved ──▶ consumed
//	   └──────▶ expired
//
// A resolved approval that permits is consumed by the one call that runs because
// of it; one that denies stays resolved. No state is ever left backwards.
type ApprovalState string

// The states of an approval.
const (
	ApprovalPending  ApprovalState = "pending"  // nobody has answered yet
	ApprovalResolved ApprovalState = "resolved" // a person has answered
	ApprovalExpired  ApprovalState = "expired"  // nobody answered in time, or could have
	ApprovalConsumed ApprovalState = "consumed" // a call has run because of it
)

// Answer is what a person says. The zero value is not an answer.
type Answer string

// The answers (APPROVALS-1). "approve" is allow-once in another word.
const (
	AllowOnce   Answer = "allow-once"   // this call, once
	AllowAlways Answer = "allow-always" // this call, and what the offer names from now on
	DenyAnswer  Answer = "deny"
)

// Why an approval expired.
const (
	ExpiredTimeout = "timeout"
	ExpiredNoRoute = "no-approval-route" // nobody could have answered (R18)
	// ExpiredRevoked is a question that was withdrawn: the credential that asked was revoked.
	ExpiredRevoked = "credential-revoked"
)

// Approval is one question to a person, and the answer. Times are wall-clock and
// UTC. Of variables that hold secrets it has the names only.
type Approval struct {
	ID string `json:"id"`
	// Version counts changes from 1; a store compares it when it swaps.
	Version uint64 `json:"version"`
	// Binding is the hash of everything that the answer covers (R29), and Parts
	// the hash of each field by itself, so that a mismatch can be named.
	Binding string            `json:"binding"`
	Parts   map[string]string `json:"parts,omitempty"`
	State   ApprovalState     `json:"state"`
	Answer  Answer            `json:"decision,omitempty"`
	// Command is the hash by which the history knows the command: the binding
	// without the session.
	Command string          `json:"command,omitempty"`
	Terms   Terms           `json:"terms"`
	Request ApprovalRequest `json:"request"`
	// Fallback is what holds for the waiting call when nobody answers in time.
	Fallback Outcome `json:"fallback"`
	// Requesters is the credential that asked, the first one; those after it joined a
	// question of an older version. None of them may answer (R33), and the first alone
	// may use the answer.
	Requesters []string `json:"requesters"`
	// Issue tells the credential that asked from another of the same name, which may not use
	// the answer; "" where there is only ever one.
	Issue string `json:"issue,omitempty"`
	// Askers are the people among them, by name; none of them may answer either.
	Askers []string `json:"askers,omitempty"`
	// Applied says that what a permanent answer adds was added, so that it is not
	// added again when Gavel starts.
	Applied bool `json:"applied,omitempty"`
	// Edit is the edit of an allowlist that is asked about; nil where it is a call.
	Edit *ListEdit `json:"edit,omitempty"`
	// Votes are the answers so far, where more than one person must agree.
	Votes []Vote `json:"votes,omitempty"`
	// Forward lists where the question is sent, besides to those who watch.
	Forward    []Delivery `json:"forward,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	ResolvedAt time.Time  `json:"resolvedAt,omitzero"` // or when it expired
	ConsumedAt time.Time  `json:"consumedAt,omitzero"`
	ResolvedBy string     `json:"resolvedBy,omitempty"`
	Comment    string     `json:"comment,omitempty"`
	Expired    string     `json:"expired,omitempty"` // why: timeout, no-approval-route, credential-revoked
}

// ListEdit is an edit of the allowlist file that waits for people to agree.
type ListEdit struct {
	Node     string `json:"node,omitempty"` // whose file it is; "" for this server's own
	Document []byte `json:"document"`       // the file as it would be, without its socket
	BaseHash string `json:"baseHash"`       // of the file that was edited; another one is not replaced
	// Agents are those that it says something else about; * stands for everybody.
	Agents []string `json:"agents"`
}

// Vote is one person's answer.
type Vote struct {
	By      string    `json:"by"`
	Person  string    `json:"person,omitempty"` // their name; "" for a shared credential
	Answer  Answer    `json:"decision"`
	Comment string    `json:"comment,omitempty"`
	At      time.Time `json:"at"`
}

// Terms say how a person may answer an ask. The policy sets them; what it leaves
// out reads as the strictest.
type Terms struct {
	Answers []Answer `json:"decisions"` // what may be answered
	// Offer lists the patterns that allow-always would add to the allowlist.
	Offer []string `json:"offer"`
	// Args lists, by pattern, the argument hazards that its entry would accept.
	Args map[string][]string `json:"args,omitempty"`
	// Entries are those of Offer with what limits them.
	Entries []OfferedPattern `json:"entries,omitempty"`
	// Exact is true when allow-always would hold for exactly this command, with its
	// directory and with what its files hold.
	Exact bool `json:"exact,omitempty"`
	// Once says, in words, what runs and cannot be known again: while there is any, an
	// answer holds for one execution.
	Once      []string `json:"once,omitempty"`
	TimeoutMs int64    `json:"timeoutMs"`
	Quorum    int      `json:"quorum"`              // how many people must permit
	Approvers []string `json:"approvers,omitempty"` // who may answer; empty means every operator
	// Forward lists where the question is sent, besides to those who watch.
	Forward []Target `json:"-"`
	// Connected demands that somebody listens when the question is put (R18).
	Connected bool `json:"-"`
}

// Nobody is the one approver where there are lists of approvers, and nobody is on all of
// them. It is not a name that a person may have.
const Nobody = "(nobody)"

// Target is a place to send questions to.
type Target struct {
	Channel string `json:"channel"` // slack, discord, telegram, webhook
	To      string `json:"to"`
}

// Delivery is a question on its way to a target.
type Delivery struct {
	Target
	// Told says that the target has taken the question: it is not sent there again.
	Told bool `json:"told,omitempty"`
}

// Outcome is a verdict with its reasons, and the policy that gave it.
type Outcome struct {
	Effect   Effect   `json:"effect"`
	Reasons  []Reason `json:"reasons,omitempty"`
	Revision string   `json:"revision,omitempty"`
}

// ApprovalRequest is what a person is asked about. Unless Harmless says otherwise its
// texts are raw: show them only through something that makes them harmless.
type ApprovalRequest struct {
	// Harmless says that the texts below that are only shown were made harmless and
	// cut; Notes say what was done to them. Tool, Agent, Session, Host and Node are raw
	// in every case.
	Harmless bool     `json:"harmless,omitempty"`
	Notes    []string `json:"notes,omitempty"`

	Tool     string            `json:"tool"`
	Agent    string            `json:"agent"`
	Session  string            `json:"session,omitempty"`
	Host     string            `json:"host,omitempty"`
	Node     string            `json:"node,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Command  string            `json:"command,omitempty"` // as it would run
	Given    string            `json:"given,omitempty"`   // as the agent wrote it
	Segments []ApprovalSegment `json:"segments,omitempty"`
	// Files are the files of code that the answer covers, with what they hold now.
	Files []ApprovalFile `json:"files,omitempty"`
	Env   []string       `json:"env,omitempty"` // names of variables, sorted
	// Variables are the same with their values, NAME=value; those of secrets are masked.
	Variables []string `json:"variables,omitempty"`
	Params    string   `json:"params,omitempty"` // of another tool, as JSON, shortened
	Reasons   []Reason `json:"reasons"`          // why somebody is asked
	Revision  string   `json:"revision"`
}

// ApprovalSegment is one simple command of the request. One that was made harmless has
// the first five texts, and one that is raw the others.
type ApprovalSegment struct {
	Program  string   `json:"program,omitempty"`  // what would run
	Command  string   `json:"command,omitempty"`  // with its words
	Through  []string `json:"through,omitempty"`  // wrappers, outermost first
	Marks    []string `json:"marks,omitempty"`    // hazards, in words
	Admitted string   `json:"admitted,omitempty"` // what allow-always would add for it

	Argv     []string   `json:"argv,omitempty"`
	Wrappers [][]string `json:"wrappers,omitempty"`
	Hazards  []Hazard   `json:"hazards,omitempty"`
	// Dynamic lists the positions in Argv of words whose value is made when it runs.
	Dynamic []int `json:"dynamic,omitempty"`
}

// ApprovalFile is a file of code, as it was when the question was put.
type ApprovalFile struct {
	Role   string `json:"role"` // as in Script; program for the program itself
	Path   string `json:"path"` // real
	SHA256 string `json:"sha256"`
	// Changeable is true when users other than root can change it.
	Changeable bool `json:"changeable,omitempty"`
}

// Grant is what a PEP elsewhere shows that a call was approved.
type Grant struct {
	Token     string    `json:"token"` // a compact JWS
	ExpiresAt time.Time `json:"expiresAt"`
}

// Question is a call that the policy asks about.
type Question struct {
	Facts    *Facts
	Decision *Decision // with effect ask
	Caller   string    // who asks, by credential
	Issue    string    // which credential of that name it is
	Person   string    // who asks, by name; "" for a shared credential
	From     string    // where the question came from, for the log
	ID       string    // the id that a new approval gets; "" takes a fresh one
	// Timeout shortens how long a person has; 0 leaves it to the terms.
	Timeout time.Duration
	// Fallback tells what would hold if nobody answered. It is called once at most.
	Fallback func() Outcome
}

// Approvals keeps questions and answers. Implementations are safe for concurrent
// use. Errors are *ApprovalError; the decision point denies on each.
type Approvals interface {
	// Look says what is known about a question: the answer to it, when there is
	// one that may still be used, and whether it was approved before.
	Look(ctx context.Context, q Question) (ApprovalFacts, error)
	// Open returns the pending approval with the question's binding and caller, and
	// makes one when there is none. One that nobody could answer comes back expired.
	Open(ctx context.Context, q Question) (Approval, error)
	// Consume uses an answer up, for the one call with its binding. Whoever comes
	// second gets CodeApprovalConsumed. The grant may be nil.
	Consume(ctx context.Context, id, binding string) (Approval, *Grant, error)
}

// ApprovalsFile is the allowlist that grows by answers (APPROVALS-5).
// Implementations are safe for concurrent use.
type ApprovalsFile interface {
	// Observe adds to facts what the file says: its settings for the agent, and
	// which of its entries the programs satisfy.
	Observe(facts *Facts)
	// Used records that a call was allowed whose programs satisfy entries.
	Used(facts *Facts)
	// Locate finds the line of one of the file's settings or entries, by path.
	Locate(path string) (file string, line int, ok bool)
}

// Codes of approvals. They are part of the API.
const (
	CodeApprovalNotFound     = "approval_not_found"
	CodeApprovalIDTooShort   = "approval_id_too_short"
	CodeApprovalAmbiguous    = "approval_ambiguous"
	CodeApprovalExpired      = "approval_expired"  // the answer comes too late
	CodeApprovalResolved     = "approval_resolved" // somebody has answered already
	CodeApprovalVoted        = "approval_voted"    // this person has
	CodeApprovalConsumed     = "approval_consumed"
	CodeApprovalExists       = "approval_exists" // the id belongs to another question
	CodeApprovalConflict     = "approval_conflict"
	CodeApprovalUnbound      = "approval_unbound" // what the answer would cover cannot be told
	CodeApprovalsFull        = "approvals_full"
	CodeApprovalsUnavailable = "approvals_unavailable"
	CodeInvalidAnswer        = "invalid_decision"
	CodeAnswerUnavailable    = "decision_unavailable" // such as allow-always where every call is asked about
	CodeSelfApproval         = "self_approval"
	CodeNotApprover          = "not_an_approver"
	CodePersonRequired       = "person_required" // several people must agree, and a shared credential is nobody
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

// NoRoom says that a file could not be written since its disk is full, or this user's part of it;
// nil for any other error.
func NoRoom(err error) *ApprovalError {
	if !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return nil
	}
	return &ApprovalError{Code: CodeApprovalsUnavailable, Message: "there is no room on the disk", Fix: "make room, and try again", Err: err}
}

// ApprovalError says why something about approvals was refused.
type ApprovalError struct {
	Code    string
	Message string
	Fix     string
	// Details are ids that an ambiguous prefix fits, or fields that differ.
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
