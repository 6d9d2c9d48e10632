package gavel

import (
	"context"
	"time"
)

// States of SessionValuesFacts.
const (
	SessionsRead    = "read"
	SessionsUnknown = "unknown"
)

// CodeSessionsUnusable says that values of sessions cannot be stored. It is part of the API.
const CodeSessionsUnusable = "sessions_unusable"

// StoredSession has the values that directives have set for one session.
type StoredSession struct {
	Key   string `json:"key"`
	Agent string `json:"agent"`
	StoredValues
	By        string    `json:"by"` // who set the last value: channel and id of the sender
	ExpiresAt time.Time `json:"expiresAt"`
}

// Sessions knows what directives have set. Implementations are safe for concurrent use.
type Sessions interface {
	// Observe returns the values for the session of a call. It never fails: if that is
	// unknown, the state is SessionsUnknown.
	Observe(call *Call) SessionValuesFacts
}

// SessionKeeper stores what directives set.
type SessionKeeper interface {
	Sessions
	// Set stores the values that are not empty, in addition to those that the session already has,
	// and returns all of them. All expire together.
	Set(ctx context.Context, set StoredSession) (StoredSession, error)
}

// Actions of a DirectiveVerdict. Any other action refuses.
const (
	DirectiveStore  = "store"  // store values for the session
	DirectiveInline = "inline" // use values for the calls of this message only
	DirectiveShow   = "show"   // show the current values
	DirectiveAnswer = "answer" // answer a question
	DirectiveRefuse = "refuse"
)

// DirectiveVerdict is the policy's verdict on one directive. The zero value refuses.
type DirectiveVerdict struct {
	Action     string
	Reasons    []Reason           // of a refusal
	Values     StoredValues       // to store or to use
	TimeoutMs  int64              // how long stored values last
	ID, Answer string             // of an answer
	Person     string             // who answers; "" for a shared credential
	Current    []DirectiveSetting // to show
}

// DirectiveSetting is one value that a directive shows, with where it comes from.
type DirectiveSetting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source Source `json:"source"` // from is session for a value that the session has set
}

// DirectiveJudge is implemented by snapshots of policies that judge directives.
type DirectiveJudge interface {
	// Directives returns a verdict for each directive of the message among the facts, in order.
	Directives(ctx context.Context, facts Facts) ([]DirectiveVerdict, error)
}

// IncomingMessage is a message as a gateway received it. Call says who wrote it, to which agent and in
// which session; it names no tool.
type IncomingMessage struct {
	Text      string `json:"text"`
	Mentioned bool   `json:"mentioned,omitempty"`
	Call      Call   `json:"call"`
}

// DirectivesAnswer is the body of a 200 from POST /v1/directives.
type DirectivesAnswer struct {
	Text       string             `json:"text"` // the message without directives, for the agent
	Directives []DirectiveOutcome `json:"directives"`
	// Reply is what to tell the sender; "" if there is no directive.
	Reply string `json:"reply,omitempty"`
	// Message must become the member message of the calls that the agent makes for this message.
	Message  *Message `json:"message,omitempty"`
	Revision string   `json:"revision"`
}

// DirectiveOutcome is the result of one directive.
type DirectiveOutcome struct {
	Name   string   `json:"directive"` // exec, elevated or approve
	Action string   `json:"action"`
	Reply  string   `json:"reply"`
	Reason []Reason `json:"reasons,omitempty"`
	// Session is what is now stored; Settings are the current values.
	Session  *StoredSession     `json:"session,omitempty"`
	Settings []DirectiveSetting `json:"settings,omitempty"`
	Approval string             `json:"approval,omitempty"` // the id of the question that was answered
	State    string             `json:"state,omitempty"`    // of that question
}

// RefusesElevation reports whether the directive is a refused /elevated.
func (o *DirectiveOutcome) RefusesElevation() bool {
	return o.Name == LayerElevated && o.Action == DirectiveRefuse
}

// AnswerFunc answers a question, as every way of answering does. It returns the question's id and its
// state; the error is an *ApprovalError.
type AnswerFunc func(ctx context.Context, answer AnswerRequest) (id, state string, err error)

// AnswerRequest is one answer to a question.
type AnswerRequest struct {
	ID, Answer string
	By, From   string // the credential, and where the answer came from
	Issue      string // distinguishes credentials of the name By
	Person     string // who answers; "" for nobody in particular
	Comment    string
}
