package gavel

import (
	"context"
	"time"
)

// ApprovalState is the state of an approval. It only moves forward:
//
//	pending ──▶ resolved ──▶ consumed
//	   └──────▶ expired
//
// An approval that permits is consumed by the one call that runs because of it; one that denies
// stays resolved.
type ApprovalState string

// The states of an approval.
const (
	ApprovalPending  ApprovalState = "pending"  // not answered yet
	ApprovalResolved ApprovalState = "resolved" // a person has answered
	ApprovalExpired  ApprovalState = "expired"  // not answered in time, or nobody could answer
	ApprovalConsumed ApprovalState = "consumed" // a call has run because of it
)

// Answer is a person's answer to a question. The zero value is not an answer.
type Answer string

// The answers (APPROVALS-1). "approve" is a synonym of allow-once.
const (
	AllowOnce   Answer = "allow-once"   // this call, once
	AllowAlways Answer = "allow-always" // this call, and from now on what the offer lists
	DenyAnswer  Answer = "deny"
)

// Why an approval expired.
const (
	ExpiredTimeout = "timeout"
	ExpiredNoRoute = "no-approval-route" // no person could be reached (R18)
	// ExpiredRevoked marks a question that was withdrawn because the credential that asked
	// was revoked.
	ExpiredRevoked = "credential-revoked"
	// ExpiredPaused marks a question that was withdrawn because the agent was paused.
	ExpiredPaused = "agent-paused"
)

// Approval is one question to a person, and its answer. Times are wall-clock and UTC. For
// variables that hold secrets it has only the names.
type Approval struct {
	ID string `json:"id"`
	// Version counts changes from 1; a store compares it on each swap.
	Version uint64 `json:"version"`
	// Binding is the hash of everything that the answer covers (R29). Parts are the hashes of
	// the individual fields, so that a mismatch can be named.
	Binding string            `json:"binding"`
	Parts   map[string]string `json:"parts,omitempty"`
	State   ApprovalState     `json:"state"`
	Answer  Answer            `json:"decision,omitempty"`
	// Command is the hash that identifies the command in the history: the binding without the
	// session.
	Command string          `json:"command,omitempty"`
	Terms   Terms           `json:"terms"`
	Request ApprovalRequest `json:"request"`
	// Fallback is the outcome for the waiting call if nobody answers in time.
	Fallback Outcome `json:"fallback"`
	// Requesters are the credentials that asked: first the one that opened the question, then those
	// that joined it. None of them may answer (R33), and only the first may use the answer.
	Requesters []string `json:"requesters"`
	// Issue distinguishes the credential that asked from a later one of the same name, which
	// may not use the answer; "" where names are never reused.
	Issue string `json:"issue,omitempty"`
	// Askers are the named people among them; none of them may answer either.
	Askers []string `json:"askers,omitempty"`
	// Parents are the agents that spawned the one that asks, nearest first.
	Parents []string `json:"parents,omitempty"`
	// Applied says that the entries of a permanent answer were added, so that they are not
	// added again when Gavel starts.
	Applied bool `json:"applied,omitempty"`
	// Edit is the allowlist edit that is asked about; nil for a call.
	Edit *AllowlistEdit `json:"edit,omitempty"`
	// Votes are the answers so far, if more than one person must agree.
	Votes []Vote `json:"votes,omitempty"`
	// Forward lists where the question is sent, in addition to those who watch.
	Forward    []Delivery `json:"forward,omitempty"`
	CreatedAt  time.Time  `json:"createdAt"`
	ExpiresAt  time.Time  `json:"expiresAt"`
	ResolvedAt time.Time  `json:"resolvedAt,omitzero"` // or when it expired
	ConsumedAt time.Time  `json:"consumedAt,omitzero"`
	ResolvedBy string     `json:"resolvedBy,omitempty"`
	Comment    string     `json:"comment,omitempty"`
	Expired    string     `json:"expired,omitempty"` // why: timeout, no-approval-route, credential-revoked, agent-paused
}

// AllowlistEdit is an edit of the allowlist file that waits for people to agree.
type AllowlistEdit struct {
	Node     string `json:"node,omitempty"` // whose file it is; "" for this server's own
	Document []byte `json:"document"`       // the file as it would be, without its socket
	BaseHash string `json:"baseHash"`       // of the file that was edited; a file with another hash is not replaced
	// Agents are those that the edit affects; * means all agents.
	Agents []string `json:"agents"`
	// Admits are the patterns that it adds, and Settings says that a setting becomes looser.
	Admits   []string `json:"admits,omitempty"`
	Settings bool     `json:"settings,omitempty"`
}

// Vote is one person's answer.
type Vote struct {
	By      string    `json:"by"`
	Person  string    `json:"person,omitempty"` // their name; "" for a shared credential
	Issue   string    `json:"issue,omitempty"`  // distinguishes credentials of the name By
	Answer  Answer    `json:"decision"`
	Comment string    `json:"comment,omitempty"`
	At      time.Time `json:"at"`
}

// Terms define how a person may answer a question. The policy sets them; anything missing has
// its strictest value.
type Terms struct {
	Answers []Answer `json:"decisions"` // the possible answers
	// Offer lists the patterns that allow-always would add to the allowlist.
	Offer []string `json:"offer"`
	// Args lists, by pattern, the argument hazards that its entry would accept.
	Args map[string][]string `json:"args,omitempty"`
	// Entries are the entries of Offer with their limits.
	Entries []OfferedPattern `json:"entries,omitempty"`
	// Exact is true if allow-always would cover exactly this command, with its directory and
	// the contents of its files.
	Exact bool `json:"exact,omitempty"`
	// Once lists, in words, the code that cannot be identified. If there is any, an answer
	// covers one execution only.
	Once      []string `json:"once,omitempty"`
	TimeoutMs int64    `json:"timeoutMs"`
	Quorum    int      `json:"quorum"`              // how many people must approve
	Approvers []string `json:"approvers,omitempty"` // who may answer; empty means every operator
	// Forward lists where the question is sent, in addition to those who watch.
	Forward []Target `json:"-"`
	// Connected requires that someone is listening when the question is opened (R18).
	Connected bool `json:"-"`
	// Secrets says that people are shown what looks like a secret.
	Secrets bool `json:"-"`
}

// Nobody is the only approver when there are several lists of approvers and nobody is on all
// of them. No person may have this name.
const Nobody = "(nobody)"

// Target is a chat or webhook that questions are sent to.
type Target struct {
	Channel string `json:"channel"` // slack, discord, telegram, webhook
	To      string `json:"to"`
}

// Delivery is a question on its way to a target.
type Delivery struct {
	Target
	// Delivered reports that the target has accepted the question, so it is not sent there again.
	Delivered bool `json:"told,omitempty"`
}

// Outcome is a verdict with its reasons, and the revision of the policy that gave it.
type Outcome struct {
	Effect   Effect   `json:"effect"`
	Reasons  []Reason `json:"reasons,omitempty"`
	Revision string   `json:"revision,omitempty"`
}

// ApprovalRequest is what a person is asked about. Unless Sanitised is set, its texts are raw:
// sanitise them before you show them.
type ApprovalRequest struct {
	// Sanitised reports that the display texts below were sanitised and cut; Notes describe the
	// changes. Tool, Agent, Session, Host and Node are always raw.
	Sanitised bool     `json:"harmless,omitempty"`
	Notes     []string `json:"notes,omitempty"`

	Tool     string            `json:"tool"`
	Agent    string            `json:"agent"`
	Session  string            `json:"session,omitempty"`
	Host     string            `json:"host,omitempty"`
	Node     string            `json:"node,omitempty"`
	Cwd      string            `json:"cwd,omitempty"`
	Command  string            `json:"command,omitempty"` // as it would run
	Given    string            `json:"given,omitempty"`   // as the agent wrote it
	Segments []ApprovalSegment `json:"segments,omitempty"`
	// Files are the code files that the answer covers, with their current contents.
	Files []ApprovalFile `json:"files,omitempty"`
	Env   []string       `json:"env,omitempty"` // names of variables, sorted
	// Variables are the same with their values, NAME=value; values of secrets are masked.
	Variables []string `json:"variables,omitempty"`
	Params    string   `json:"params,omitempty"` // of another tool, as JSON, shortened
	Reasons   []Reason `json:"reasons"`          // why somebody is asked
	Revision  string   `json:"revision"`
}

// ApprovalSegment is one segment of the request. A sanitised segment has the first six
// members, a raw one the others.
type ApprovalSegment struct {
	Program  string   `json:"program,omitempty"`  // what would run
	Command  string   `json:"command,omitempty"`  // with its words
	Through  []string `json:"through,omitempty"`  // wrappers, outermost first
	Marks    []string `json:"marks,omitempty"`    // hazards, in words
	Admitted string   `json:"admitted,omitempty"` // what allow-always would add for it
	Patterns []string `json:"patterns,omitempty"` // which files its patterns fit, in words

	Argv     []string   `json:"argv,omitempty"`
	Wrappers [][]string `json:"wrappers,omitempty"`
	Hazards  []Hazard   `json:"hazards,omitempty"`
	// Dynamic lists the indexes in Argv of words that are produced at run time.
	Dynamic []int     `json:"dynamic,omitempty"`
	Fits    []Fitting `json:"fits,omitempty"`
}

// ApprovalFile is a code file, as it was when the question was opened.
type ApprovalFile struct {
	Role   string `json:"role"` // as in Script; program for the program itself
	Path   string `json:"path"` // real
	SHA256 string `json:"sha256"`
	// Changeable is true when users other than root can change it.
	Changeable bool `json:"changeable,omitempty"`
}

// Grant proves to an enforcement point elsewhere that a call was approved.
type Grant struct {
	Token     string    `json:"token"` // a compact JWS
	ExpiresAt time.Time `json:"expiresAt"`
}

// Question is a call that the policy asks about.
type Question struct {
	Facts    *Facts
	Decision *Decision // with effect ask
	Caller   string    // who asks, by credential
	Issue    string    // distinguishes credentials of that name
	Person   string    // who asks, by name; "" for a shared credential
	From     string    // where the question came from, for the log
	ID       string    // the id that a new approval gets; "" takes a fresh one
	// Timeout shortens how long a person has; 0 leaves it to the terms.
	Timeout time.Duration
	// Fallback returns the outcome if nobody answered. It is called at most once.
	Fallback func() Outcome
	// Call is the call, so that it can be decided again after the answer.
	Call *Call
}

// Approvals keeps questions and answers. Implementations are safe for concurrent use. Errors
// are *ApprovalError; the decision point denies on any of them.
type Approvals interface {
	// Look returns what is known about a question: a usable answer if there is one, and
	// whether the command was approved before.
	Look(ctx context.Context, q Question) (ApprovalFacts, error)
	// Open returns the pending approval with the question's binding and caller, or creates
	// one. A question that nobody could answer is returned as expired.
	Open(ctx context.Context, q Question) (Approval, error)
	// Consume uses up an answer for the one call with its binding, which was decided so: exec is
	// what to run, or nil. The second caller gets CodeApprovalConsumed. The grant may be nil.
	Consume(ctx context.Context, id, binding string, exec *Exec) (Approval, *Grant, error)
}

// Commenter is implemented by Approvals that keep people's comments.
type Commenter interface {
	// Answered returns an answered approval with its comments, if q comes from its asker; otherwise
	// false.
	Answered(ctx context.Context, id string, q Question) (Pending, bool)
}

// ApprovalsFile is the allowlist that answers extend (APPROVALS-5). Implementations are safe
// for concurrent use.
type ApprovalsFile interface {
	// Observe adds the file's content to facts: its settings for the agent, and the entries
	// that the programs match.
	Observe(facts *Facts)
	// Used records that a call was allowed whose programs match entries.
	Used(facts *Facts)
	// Locate finds the line of one of the file's settings or entries, by path.
	Locate(path string) (file string, line int, ok bool)
}
