package approvals

import (
	"context"
	"iter"
	"time"

	"gavel"
)

// Store keeps approvals and the history of approved commands. Its operations are ones that a
// replicated store also has: compare-and-set, watch, and keys that expire. Implementations
// are safe for concurrent use. A change is durable when the method returns. Errors are
// *gavel.ApprovalError where a code is named.
type Store interface {
	// Create stores a new record as version 1. If a record with the same binding and asker is
	// pending, it returns that one and false; for an edit, the asker does not matter.
	// CodeApprovalExists: the id is taken.
	Create(ctx context.Context, a gavel.Approval) (stored gavel.Approval, created bool, err error)
	// Swap replaces a record if its version is still a.Version, and returns it with the next
	// version. If remember is not nil, it is stored in the same step.
	// CodeApprovalConflict: the version changed. CodeApprovalNotFound: the record is gone.
	Swap(ctx context.Context, a gavel.Approval, remember *Memory) (gavel.Approval, error)
	// Forget removes a record if its version is still this one.
	Forget(ctx context.Context, id string, version uint64) error
	// Get returns a record, or CodeApprovalNotFound.
	Get(ctx context.Context, id string) (gavel.Approval, error)
	// Bound returns the records with a binding, newest first.
	Bound(ctx context.Context, binding string) ([]gavel.Approval, error)
	// List returns every record, oldest first.
	List(ctx context.Context) ([]gavel.Approval, error)
	// Pending counts the records that are pending.
	Pending(ctx context.Context) (int, error)
	// Load returns the size of the pending records, and the counts for the asker of one.
	Load(ctx context.Context, of *gavel.Approval) (Load, error)
	// Watch yields every record that changes from now on, until ctx ends. Several changes to
	// one record may be merged into the last.
	Watch(ctx context.Context) iter.Seq[gavel.Approval]
	// Recall returns the history of a command; the zero History if there is none.
	Recall(ctx context.Context, command string) (History, error)
	// Begin marks the store as used from now on. A new store does not know earlier keys, so
	// it accepts none that could have been used.
	Begin(ctx context.Context, now time.Time) error
	// Redeem uses up a key until a time, after which it may be forgotten. Of all callers one
	// gets nil and the others CodeGrantUsed. The clock may be set back: once a key was
	// forgotten, no key is accepted that would have been forgotten with it.
	Redeem(ctx context.Context, key string, now, until time.Time) error
	Close() error
}

// Memory is one answer to store in the history of a command.
type Memory struct {
	Command string
	Answer  gavel.Answer
	By      string
	At      time.Time
}

// History counts how often a command was approved, and how.
type History struct {
	Once   uint64    `json:"once,omitempty"`   // answers allow-once
	Always uint64    `json:"always,omitempty"` // answers allow-always
	First  time.Time `json:"first"`
	Last   time.Time `json:"last"`
	LastBy string    `json:"lastBy,omitempty"`
}

// add counts one more answer.
func (h History) add(m *Memory) History {
	if h.First.IsZero() {
		h.First = m.At
	}
	h.Last, h.LastBy = m.At, m.By
	switch m.Answer {
	case gavel.AllowAlways:
		h.Always++
	case gavel.AllowOnce:
		h.Once++
	}
	return h
}

// mostPermanent returns the most permanent answer, or "".
func (h History) mostPermanent() string {
	switch {
	case h.Always > 0:
		return string(gavel.AllowAlways)
	case h.Once > 0:
		return string(gavel.AllowOnce)
	}
	return ""
}
