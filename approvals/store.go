package approvals

import (
	"context"
	"iter"
	"time"

	"gavel"
)

// Store keeps approvals, and what was approved before. It is built of steps that a
// replicated store has too: compare-and-set, watch, and keys that expire.
// Implementations are safe for concurrent use. A change is durable when the method
// returns. Errors are *gavel.ApprovalError where a code is named.
type Store interface {
	// Create stores a new record as version 1. While a record with its binding and its
	// asker is pending it returns that one instead, and false; for an edit, whoever asks. CodeApprovalExists: the id is
	// taken.
	Create(ctx context.Context, a gavel.Approval) (stored gavel.Approval, created bool, err error)
	// Swap replaces a record if its version still is a.Version, and returns it with
	// the next one. Remember is stored with it, or neither is; nil remembers nothing.
	// CodeApprovalConflict: somebody was faster. CodeApprovalNotFound: it is gone.
	Swap(ctx context.Context, a gavel.Approval, remember *Memory) (gavel.Approval, error)
	// Forget removes a record if its version still is this one; otherwise nothing.
	Forget(ctx context.Context, id string, version uint64) error
	// Get returns a record, or CodeApprovalNotFound.
	Get(ctx context.Context, id string) (gavel.Approval, error)
	// Bound returns the records with a binding, newest first.
	Bound(ctx context.Context, binding string) ([]gavel.Approval, error)
	// List returns every record, oldest first.
	List(ctx context.Context) ([]gavel.Approval, error)
	// Pending counts the records that are pending.
	Pending(ctx context.Context) (int, error)
	// Load is what the pending records take, and how many the asker of one has.
	Load(ctx context.Context, of *gavel.Approval) (Load, error)
	// Watch yields every record that changes from now on, as it then is, until ctx
	// ends. Several changes to one may come as the last of them.
	Watch(ctx context.Context) iter.Seq[gavel.Approval]
	// Recall returns what is remembered of a command; the zero History for nothing.
	Recall(ctx context.Context, command string) (History, error)
	// Begin says that the store is used from now on. A new one knows of no key that was
	// used before, and takes none that somebody could have used.
	Begin(ctx context.Context, now time.Time) error
	// Redeem uses a key up until a time, after which it may be forgotten: of all who try,
	// one gets nil and the others CodeGrantUsed. The clock may be set back: once a key
	// was forgotten, none is taken that would have been forgotten with it.
	Redeem(ctx context.Context, key string, now, until time.Time) error
	Close() error
}

// Memory is one answer to remember of a command.
type Memory struct {
	Command string
	Answer  gavel.Answer
	By      string
	At      time.Time
}

// History is what is remembered of a command: how often it was approved, and how.
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

// seen is the most lasting answer.
func (h History) seen() string {
	switch {
	case h.Always > 0:
		return string(gavel.AllowAlways)
	case h.Once > 0:
		return string(gavel.AllowOnce)
	}
	return ""
}
