package approvals_test

import (
	"context"
	"iter"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// buggy is a store that panics where it is told to, as a bug might.
type buggy struct {
	approvals.Store
	watched atomic.Bool  // the first watch has panicked
	poison  atomic.Value // the id that cannot be changed
}

func (b *buggy) Watch(ctx context.Context) iter.Seq[gavel.Approval] {
	changes := b.Store.Watch(ctx)
	return func(yield func(gavel.Approval) bool) {
		for a := range changes {
			if b.watched.CompareAndSwap(false, true) {
				panic("a bug while changes are told")
			}
			if !yield(a) {
				return
			}
		}
	}
}

func (b *buggy) Swap(ctx context.Context, a gavel.Approval, remember *approvals.Memory) (gavel.Approval, error) {
	if a.ID == b.poison.Load() {
		panic("a bug while one is changed")
	}
	return b.Store.Swap(ctx, a, remember)
}

func TestAPanicWhileAnnouncingChangesLosesNoQuestionAndNoAnswer(t *testing.T) {
	store := &buggy{Store: approvals.NewInMemory()}
	d := newDesk(t, func(c *approvals.Config) { c.Store = store })
	missed := d.Subscribe()
	defer missed.Cancel()
	a := d.opened(t, question())
	got := make(chan gavel.Approval)
	go func() { a, _ := d.Wait(t.Context(), a.ID); got <- a }()
	_, told := <-missed.C
	assert.False(t, told, "who may have missed something is told to look again")
	next := d.Subscribe()
	defer next.Cancel()
	open, err := d.List(t.Context())
	require.NoError(t, err)
	require.Len(t, open, 1)
	d.answered(t, a.ID, "approve")
	assert.Equal(t, gavel.AllowOnce, (<-got).Answer)
	assert.Equal(t, approvals.EventResolved, (<-next.C).Name)
}

func TestAFailureToExpireOneApprovalDoesNotAffectOthers(t *testing.T) {
	store := &buggy{Store: approvals.NewInMemory()}
	store.watched.Store(true)
	d := newDesk(t, func(c *approvals.Config) { c.Store = store })
	store.poison.Store(d.opened(t, question(other(1))).ID)
	d.clock.step(time.Millisecond)
	b := d.opened(t, question(other(2)))
	got := make(chan gavel.Approval)
	go func() { a, _ := d.Wait(t.Context(), b.ID); got <- a }()
	require.Eventually(t, func() bool { return d.Waiting() == 1 }, time.Minute, time.Millisecond)
	d.clock.step(time.Hour)
	assert.Equal(t, gavel.ApprovalExpired, (<-got).State, "by the manager's own clock, in a goroutine of its own")
	require.ErrorContains(t, d.Sweep(t.Context()), "panic: a bug while one is changed")
	first, err := d.Snapshot(t.Context(), store.poison.Load().(string))
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalExpired, first.State, "nobody can answer it anyway")
}
