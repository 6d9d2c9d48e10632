package approvals_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// recorder is a decision log that remembers events, and may be full.
type recorder struct {
	mu     sync.Mutex
	events []gavel.AuditEvent
	full   bool
}

func (r *recorder) Audit(_ context.Context, event gavel.AuditEvent) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.full {
		return errors.New("no space left on device")
	}
	r.events = append(r.events, event)
	return nil
}

func (r *recorder) kinds() (kinds []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, event := range r.events {
		kinds = append(kinds, event.Kind)
	}
	return kinds
}

func TestRT14EachEventOfAnApprovalIsRecorded(t *testing.T) {
	log := &recorder{}
	d := newDesk(t, func(c *approvals.Config) { c.Audit = log })
	a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 2 }))
	for _, by := range []string{"approve:alice", "approve:bob"} {
		_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "allow-always", By: by, From: "127.0.0.1:1", Comment: "ticket-4711"})
		require.NoError(t, err)
	}
	_, _, err := d.Consume(t.Context(), a.ID, a.Binding, nil)
	require.NoError(t, err)
	d.opened(t, question(other(1)))
	d.clock.step(3 * time.Minute)
	require.NoError(t, d.Sweep(t.Context()))
	assert.Equal(t, []string{gavel.AuditApprovalRequested, gavel.AuditApprovalVoted, gavel.AuditApprovalResolved, gavel.AuditAllowlistEdited,
		gavel.AuditApprovalConsumed, gavel.AuditApprovalRequested, gavel.AuditApprovalExpired}, log.kinds())
	resolved := log.events[2]
	assert.Equal(t, "approve:bob", resolved.By)
	assert.Equal(t, "127.0.0.1:1", resolved.From)
	assert.Equal(t, "ticket-4711", resolved.Detail["comment"])
}

func TestRT14AnUnrecordedEventPermitsNothing(t *testing.T) {
	log := &recorder{}
	d := newDesk(t, func(c *approvals.Config) { c.Audit = log })
	a, b := d.opened(t, question()), question(other(1))
	b.ID = "to-be-used"
	d.opened(t, b)
	used := d.answered(t, b.ID, "approve")
	log.full = true
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err))
	still, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalPending, still.State)
	_, _, err = d.Consume(t.Context(), used.ID, used.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err))
	denied, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "deny", By: "approve"})
	require.NoError(t, err, "what permits nothing needs no record")
	assert.Equal(t, gavel.DenyAnswer, denied.Answer)
}
