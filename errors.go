package gavel

import "fmt"

// Codes of decisions that Gavel itself makes when no rule could. All deny.
const (
	CodePolicyError       = "gavel.policy_error"       // the policy failed to evaluate
	CodeEvaluationTimeout = "gavel.evaluation_timeout" // the deadline passed first
	CodeEvaluatorsDiffer  = "gavel.evaluators_differ"  // --evaluator both: the two evaluators have different results
	CodeInternal          = "gavel.internal"           // a bug in Gavel; the log has the details
	CodeNoPolicy          = "gavel.no_policy"          // no snapshot was ever loaded
	CodeLogUnavailable    = "gavel.log_unavailable"    // the decision log refused the event
	CodeOverloaded        = "gavel.overloaded"         // too many evaluations are running
	CodeUnverified        = "gavel.unverified"         // the call needs a verifier, and whoever asks cannot wait for it
	CodeNoApprovals       = "gavel.no_approvals"       // the call needs an answer, and there is none: the store failed, or the answer no longer counts
)

// InputError says that a call is malformed, so there is nothing to decide. Path is the
// location in the document, such as /agent/id.
type InputError struct {
	Path    string
	Message string
	Fix     string
}

// Error returns the message with its location.
func (e *InputError) Error() string {
	if e.Path == "" {
		return e.Message
	}
	return fmt.Sprintf("%s: %s", e.Path, e.Message)
}

// BodyError says that the body of a request could not be read: it is too large, came
// too slowly, or ended early. Err says which.
type BodyError struct{ Err error }

// Error returns the cause.
func (e *BodyError) Error() string { return "read the body: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *BodyError) Unwrap() error { return e.Err }

// Problem is one thing wrong with a policy: what, where, and what to do.
type Problem struct {
	Path    string `json:"path,omitempty"` // configuration path
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"` // from 1; 0 when unknown
	Column  int    `json:"column,omitempty"`
	Message string `json:"message"`
	Nearest string `json:"nearest,omitempty"` // the valid name that comes nearest
	Fix     string `json:"fix,omitempty"`
}

// String formats a problem the way compilers do, location first.
func (p Problem) String() string {
	place := p.File
	if p.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
	}
	text := p.Message
	if p.Path != "" {
		text = p.Path + ": " + text
	}
	if p.Nearest != "" {
		text += fmt.Sprintf(" (did you mean %q?)", p.Nearest)
	}
	if place == "" {
		return text
	}
	return place + ": " + text
}

// PolicyError says that a policy cannot be used. It carries every problem.
type PolicyError struct {
	Problems []Problem
}

// Error returns the first problem and how many more there are.
func (e *PolicyError) Error() string {
	switch n := len(e.Problems); n {
	case 0:
		return "invalid policy"
	case 1:
		return e.Problems[0].String()
	default:
		return fmt.Sprintf("%s (and %d more)", e.Problems[0], n-1)
	}
}
