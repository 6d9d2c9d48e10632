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

// Whoever asks may choose an id. A person was shown a harmless question and names it
// by how its id begins, when it has expired and another one is open.
func TestAChosenIDCannotRedirectAnAnswer(t *testing.T) {
	d := newDesk(t, nil)
	harmless := question(other(1))
	harmless.ID = "abcdef12-aaaa-4000-8000-000000000001"
	harmless.Timeout = time.Second
	d.opened(t, harmless)
	own := d.opened(t, question(other(2))) // by an id of Gavel's own

	later := func(step time.Duration) {
		d.clock.step(step)
		require.NoError(t, d.Sweep(t.Context()))
	}
	for _, step := range []time.Duration{0, 2 * time.Second, time.Minute, time.Hour} { // open, expired, forgotten, long forgotten
		later(step)
		for _, id := range []string{harmless.ID, "abcdef12", "abcdef12-bbbb-4000-8000-000000000002", "ABCDEF12-cccc", own.ID, own.ID[:8], own.ID[:12]} {
			q := question(other(3))
			q.ID = id
			_, err := d.Open(t.Context(), q)
			assert.Equal(t, gavel.CodeApprovalExists, code(err), "%s after %s", id, step)
		}
	}
	later(24 * time.Hour)
	assert.Equal(t, harmless.ID, d.opened(t, harmless).ID, "not forever")
}

func TestAskingAgainUsesUpNoID(t *testing.T) {
	d := newDesk(t, nil)
	first, second, fresh := question(), question(), question(other(1))
	first.ID, second.ID, fresh.ID = "first-first", "second-second", "second-second"
	d.opened(t, first)
	assert.Equal(t, first.ID, d.opened(t, second).ID)
	assert.Equal(t, fresh.ID, d.opened(t, fresh).ID)
}

func TestIDsAreKnownAfterARestart(t *testing.T) {
	store := approvals.NewInMemory()
	keep := func(c *approvals.Config) { c.Store = store }
	d := newDesk(t, keep)
	d.opened(t, question())
	d.Close()
	d = newDesk(t, keep)
	q := question(other(1))
	q.ID = "00000000-bbbb"
	_, err := d.Open(t.Context(), q)
	assert.Equal(t, gavel.CodeApprovalExists, code(err))
}

// meanwhile is a store in which something happens before the first change.
type meanwhile struct {
	approvals.Store
	happens func()
}

func (m *meanwhile) Swap(ctx context.Context, a gavel.Approval, remember *approvals.Memory) (gavel.Approval, error) {
	if happens := m.happens; happens != nil {
		m.happens = nil
		happens()
	}
	return m.Store.Swap(ctx, a, remember)
}

func TestALateAnswerIsNotAppliedToAnotherQuestion(t *testing.T) {
	store := &meanwhile{Store: approvals.NewInMemory()}
	d := newDesk(t, func(c *approvals.Config) { c.Store = store })
	shown := d.opened(t, question(other(1)))
	store.happens = func() {
		_, err := d.Resolve(t.Context(), approvals.Resolution{ID: shown.ID, Answer: "deny", By: "approve:bob"})
		require.NoError(t, err)
		another := d.opened(t, question(other(2)))
		require.Equal(t, shown.ID[:8], another.ID[:8])
	}
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: shown.ID[:8], Answer: "approve", By: "approve:alice"})
	assert.Equal(t, gavel.CodeApprovalResolved, code(err))
	list, err := d.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, list, 1, "the other question is still open")
}

// R33: who asks for the same after having answered has no part in it any longer.
func TestALaterAskersAnswerDoesNotCount(t *testing.T) {
	d := newDesk(t, nil)
	q := question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 2 })
	a := d.opened(t, q)
	permit := func(by string) gavel.Approval {
		t.Helper()
		a, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: by})
		require.NoError(t, err)
		return a
	}
	assert.Equal(t, gavel.ApprovalPending, permit("approve:alice").State)
	q.Caller = "approve:alice"
	require.NotEqual(t, a.ID, d.opened(t, q).ID)
	assert.Equal(t, gavel.ApprovalPending, permit("approve:bob").State, "alice is one of those who ask")
	assert.Equal(t, gavel.ApprovalResolved, permit("approve:carol").State)
}
