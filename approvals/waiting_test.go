package approvals_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func TestWaitingEndsWithTheAnswerEvenAfterReconnecting(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	got := make(chan gavel.Approval)
	gone, leave := context.WithCancel(t.Context())
	go func() { a, _ := d.Wait(gone, a.ID); got <- a }()
	leave()
	assert.Equal(t, gavel.ApprovalPending, (<-got).State, "who leaves gets no answer")
	go func() { a, _ := d.Wait(t.Context(), a.ID); got <- a }()
	d.answered(t, a.ID, "approve")
	assert.Equal(t, gavel.AllowOnce, (<-got).Answer)
	after, err := d.Wait(t.Context(), a.ID)
	require.NoError(t, err, "within the grace the answer is still there")
	assert.Equal(t, gavel.AllowOnce, after.Answer)
	_, err = d.Wait(t.Context(), "nobody-asked-this")
	assert.Equal(t, gavel.CodeApprovalNotFound, code(err))
}

func TestExpiryReleasesWaitersWithTheFallback(t *testing.T) {
	d := newDesk(t, nil)
	q := question()
	q.Fallback = func() gavel.Outcome { return gavel.Outcome{Effect: gavel.Allow, Revision: "r1"} }
	a := d.opened(t, q)
	got := make(chan gavel.Approval)
	go func() { a, _ := d.Wait(t.Context(), a.ID); got <- a }()
	d.clock.step(2 * time.Minute)
	require.NoError(t, d.Sweep(t.Context()))
	expired := <-got
	assert.Equal(t, gavel.ApprovalExpired, expired.State)
	assert.Equal(t, gavel.Allow, expired.Fallback.Effect)
}

func TestTheFallbackOfAnOlderPolicyDenies(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.Revision = func() string { return "r2" } })
	q := question()
	q.Fallback = func() gavel.Outcome { return gavel.Outcome{Effect: gavel.Allow, Revision: "r1"} }
	a := d.opened(t, q)
	d.clock.step(2 * time.Minute)
	expired, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.Deny, expired.Fallback.Effect)
}
