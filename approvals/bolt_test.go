package approvals_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// stores are every implementation of Store.
func stores(t *testing.T) map[string]approvals.Store {
	return map[string]approvals.Store{"in memory": approvals.NewInMemory(), "on disk": onDisk(t, filepath.Join(t.TempDir(), "approvals.db"))}
}

func record(id, binding string) gavel.Approval {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	return gavel.Approval{ID: id, Binding: binding, State: gavel.ApprovalPending, Requesters: []string{"gateway"}, CreatedAt: now, ExpiresAt: now.Add(time.Minute)}
}

func TestStoresAgreeOnEveryStep(t *testing.T) {
	for name, s := range stores(t) {
		t.Run(name, func(t *testing.T) {
			ctx := t.Context()
			a, created, err := s.Create(ctx, record("a", "x"))
			require.NoError(t, err)
			assert.True(t, created)
			assert.EqualValues(t, 1, a.Version)
			same, created, err := s.Create(ctx, record("b", "x"))
			require.NoError(t, err)
			assert.False(t, created, "one question is pending for a binding")
			assert.Equal(t, "a", same.ID)
			_, _, err = s.Create(ctx, record("a", "y"))
			assert.Equal(t, gavel.CodeApprovalExists, code(err))

			a.State = gavel.ApprovalResolved
			stored, err := s.Swap(ctx, a, &approvals.Memory{Command: "c", Answer: gavel.AllowAlways, By: "approve", At: a.CreatedAt})
			require.NoError(t, err)
			assert.EqualValues(t, 2, stored.Version)
			_, err = s.Swap(ctx, a, nil)
			assert.Equal(t, gavel.CodeApprovalConflict, code(err))
			_, err = s.Swap(ctx, record("nobody", "x"), nil)
			assert.Equal(t, gavel.CodeApprovalNotFound, code(err))
			history, err := s.Recall(ctx, "c")
			require.NoError(t, err)
			assert.Equal(t, approvals.History{Always: 1, First: a.CreatedAt, Last: a.CreatedAt, LastBy: "approve"}, history)

			_, created, err = s.Create(ctx, record("b", "x"))
			require.NoError(t, err)
			assert.True(t, created, "an answered one makes room for the next")
			bound, err := s.Bound(ctx, "x")
			require.NoError(t, err)
			assert.Equal(t, []string{"b", "a"}, []string{bound[0].ID, bound[1].ID}, "newest first")
			n, err := s.Pending(ctx)
			require.NoError(t, err)
			assert.Equal(t, 1, n)

			require.NoError(t, s.Forget(ctx, "a", 1), "another version is left alone")
			_, err = s.Get(ctx, "a")
			require.NoError(t, err)
			require.NoError(t, s.Forget(ctx, "a", 2))
			_, err = s.Get(ctx, "a")
			assert.Equal(t, gavel.CodeApprovalNotFound, code(err))

			require.NoError(t, s.Redeem(ctx, "grant", a.CreatedAt, a.ExpiresAt))
			assert.Equal(t, gavel.CodeGrantUsed, code(s.Redeem(ctx, "grant", a.CreatedAt, a.ExpiresAt)))
			require.NoError(t, s.Redeem(ctx, "another", a.ExpiresAt.Add(time.Second), a.ExpiresAt.Add(time.Hour)))
		})
	}
}

func TestRecordsSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	s := onDisk(t, path)
	clock := newClock()
	open := func(s approvals.Store) *desk {
		return newDesk(t, func(c *approvals.Config) { c.Store, c.Now = s, clock.Now })
	}
	d := open(s)
	answered := d.opened(t, question())
	d.answered(t, answered.ID, "approve")
	q := question(other(1))
	q.ID = "used-up"
	used := d.opened(t, q)
	d.answered(t, used.ID, "allow-always")
	_, _, err := d.Consume(t.Context(), used.ID, used.Binding, nil)
	require.NoError(t, err)
	q = question(other(2))
	q.ID = "still-open"
	d.opened(t, q)
	d.Close()
	require.NoError(t, s.Close())

	d = open(onDisk(t, path))
	assert.Empty(t, d.patterns.added, "RT-25: what an answer added is not added again")
	_, _, err = d.Consume(t.Context(), used.ID, used.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalConsumed, code(err), "a used one does not come back")
	_, _, err = d.Consume(t.Context(), answered.ID, answered.Binding, nil)
	require.NoError(t, err, "an answer is not lost")
	list, err := d.List(t.Context())
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "still-open", list[0].ID)
	assert.Equal(t, "allow-always", look(t, d, question(other(1))).Seen)
}

// R34: a damaged file is refused and left unchanged.
func TestAFileThatIsNotADatabaseIsRefusedAndNotChanged(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"damaged": func(t *testing.T, path string) {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			require.NoError(t, err)
			_, err = f.WriteAt(make([]byte, 8192), 0)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		},
		"something else": func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("hello, world"), 0o600)) },
		"open to others": func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o644)) },
		"a symbolic link": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "approvals.db")
			s := onDisk(t, path)
			_, _, err := s.Create(t.Context(), record("a", "x"))
			require.NoError(t, err)
			require.NoError(t, s.Close())
			spoil(t, path)
			before, err := os.ReadFile(path)
			require.NoError(t, err)
			_, err = approvals.OpenOnDisk(path)
			assert.Equal(t, gavel.CodeApprovalsUnavailable, code(err))
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, before, after)
		})
	}
}

func TestOnlyOneProcessCanOpenTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	onDisk(t, path)
	_, err := approvals.OpenOnDisk(path)
	assert.ErrorContains(t, err, "another process has it open")
}

// 64 goroutines try to use each of 1,000 answers: each is used exactly once.
func TestEachOfAThousandAnswersIsUsedOnceBy64Goroutines(t *testing.T) {
	const answers, users = 1000, 64
	d := newDesk(t, func(c *approvals.Config) {
		var n atomic.Int64
		c.NewID = func() string { return "answer-" + time.Unix(n.Add(1), 0).UTC().Format("150405.000") }
	})
	list := make([]gavel.Approval, answers)
	for i := range list {
		list[i] = d.opened(t, question(other(i)))
		d.answered(t, list[i].ID, "approve")
	}
	used := make([]atomic.Int64, answers)
	var using sync.WaitGroup
	for range users {
		using.Go(func() {
			for i := range list {
				_, _, err := d.Consume(t.Context(), list[i].ID, list[i].Binding, nil)
				switch code(err) {
				case "<nil>":
					used[i].Add(1)
				case gavel.CodeApprovalConsumed:
				default:
					assert.NoError(t, err)
				}
			}
		})
	}
	using.Wait()
	for i := range used {
		require.EqualValues(t, 1, used[i].Load(), i)
	}
}

func TestOnDiskAnswersAreUsedOnceToo(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.Store = onDisk(t, filepath.Join(t.TempDir(), "approvals.db")) })
	for i := range 20 {
		a := d.opened(t, question(other(i)))
		d.answered(t, a.ID, "approve")
		var used atomic.Int64
		var using sync.WaitGroup
		for range 64 {
			using.Go(func() {
				if _, _, err := d.Consume(t.Context(), a.ID, a.Binding, nil); err == nil {
					used.Add(1)
				}
			})
		}
		using.Wait()
		require.EqualValues(t, 1, used.Load())
	}
}
