package approvals_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// issues are the credentials that are valid, by name; each has one issue.
type issues struct {
	mu    sync.Mutex
	valid map[string]string
}

func (i *issues) holds(credential, issue string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.valid[credential] == issue
}

// issue makes a new credential with a name, which revokes the previous one; "" makes none.
func (i *issues) issue(credential, issue string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.valid[credential] = issue; issue == "" {
		delete(i.valid, credential)
	}
}

// issued is a question of one of several credentials of the same name.
func issued(q gavel.Question, issue string) gavel.Question {
	q.Issue = issue
	return q
}

func TestRT12ANewCredentialOfTheSameNameCountsAsAnotherAsker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	s, clock := onDisk(t, path), newClock()
	d := newDesk(t, func(c *approvals.Config) { c.Store, c.Now = s, clock.Now })
	open := d.opened(t, issued(question(), "first"))
	assert.False(t, look(t, d, issued(question(), "second")).Found, "it has not asked")
	own := d.opened(t, issued(question(), "second"))
	assert.NotEqual(t, open.ID, own.ID, "and gets a question of its own")
	d.answered(t, open.ID, "approve")
	d.Close()
	require.NoError(t, s.Close())

	s = onDisk(t, path)
	d = newDesk(t, func(c *approvals.Config) { c.Store, c.Now = s, clock.Now })
	assert.Equal(t, open.ID, look(t, d, issued(question(), "first")).ID, "who asked is known after a restart")
	for _, issue := range []string{"second", "third", ""} {
		found := look(t, d, issued(question(), issue))
		assert.NotEqual(t, string(gavel.ApprovalResolved), found.State, "%q uses no answer to another", issue)
	}
	assert.True(t, approvals.AskedBy(&open, gavel.Caller{Credential: "gateway", Issue: "first"}))
	assert.False(t, approvals.AskedBy(&open, gavel.Caller{Credential: "gateway", Issue: "second"}), "nor does it learn of the question")
}

func TestRT12QuestionsOfARevokedCredentialAreWithdrawn(t *testing.T) {
	for name, next := range map[string]string{"a token that is deleted": "", "a token that is replaced": "second"} {
		t.Run(name, func(t *testing.T) {
			log, known := &recorder{}, &issues{valid: map[string]string{"gateway": "first", "decide:coder": "only"}}
			d := newDesk(t, func(c *approvals.Config) { c.Audit, c.CredentialValid = log, known.holds })
			asked := func(q gavel.Question) gavel.Approval {
				q.Fallback = func() gavel.Outcome { return gavel.Outcome{Effect: gavel.Allow} }
				return d.opened(t, q)
			}
			theirs := asked(issued(question(), "first"))
			others := asked(issued(by(question(), "decide:coder"), "only"))
			require.NoError(t, d.Sweep(t.Context()))
			require.Equal(t, gavel.ApprovalPending, stored(t, d, theirs.ID).State)

			known.issue("gateway", next)
			_, err := d.Resolve(t.Context(), approvals.Resolution{ID: theirs.ID, Answer: "allow-always", By: "approve"})
			assert.Equal(t, gavel.CodeApprovalExpired, code(err), "nobody answers it any longer")
			assert.Empty(t, d.patterns.added)
			require.NoError(t, d.Sweep(t.Context()))
			gone := stored(t, d, theirs.ID)
			assert.Equal(t, gavel.ApprovalExpired, gone.State)
			assert.Equal(t, gavel.ExpiredRevoked, gone.Expired)
			assert.Equal(t, gavel.Deny, gone.Fallback.Effect, "whoever waits gets no fallback that allows")
			assert.Equal(t, gavel.ApprovalPending, stored(t, d, others.ID).State, "what others have asked stays open")
			why := log.events[len(log.events)-1]
			assert.Equal(t, gavel.AuditApprovalExpired, why.Kind)
			assert.Equal(t, gavel.ExpiredRevoked, why.Detail["why"])
			assert.Equal(t, theirs.ID, why.Approval)
		})
	}
}

// Whoever steals a person's token can vote with it until it is revoked, and no longer.
func TestAnAnswerOfARevokedCredentialDoesNotCount(t *testing.T) {
	const alice, bob = "approve:alice", "approve:bob"
	for name, c := range map[string]struct{ revokedBetween, revokedAfter bool }{
		"it is revoked before the others have answered": {revokedBetween: true},
		"it is revoked before the answer is used":       {revokedAfter: true},
	} {
		t.Run(name, func(t *testing.T) {
			known := &issues{valid: map[string]string{"gateway": "g", alice: "stolen", bob: "b"}}
			d := newDesk(t, func(c *approvals.Config) { c.CredentialValid = known.holds })
			q := issued(question(func(_ *gavel.Facts, d *gavel.Decision) { d.Terms.Quorum = 2 }), "g")
			votes := func(who, issue string) gavel.Approval {
				a, err := d.Resolve(t.Context(), approvals.Resolution{ID: d.opened(t, q).ID, Answer: "approve", By: who, Issue: issue})
				require.NoError(t, err)
				return a
			}
			votes(alice, "stolen")
			if c.revokedBetween {
				known.issue(alice, "new")
				assert.Equal(t, gavel.ApprovalPending, votes(bob, "b").State, "one of two has answered")
				assert.Equal(t, gavel.ApprovalResolved, votes(alice, "new").State, "and the person may answer with the new one")
				return
			}
			assert.Equal(t, gavel.ApprovalResolved, votes(bob, "b").State)
			require.Equal(t, string(gavel.ApprovalResolved), look(t, d, q).State)
			known.issue(alice, "new")
			assert.NotEqual(t, string(gavel.ApprovalResolved), look(t, d, q).State)
		})
	}
}

func stored(t *testing.T, d *desk, id string) gavel.Approval {
	t.Helper()
	a, err := d.Snapshot(t.Context(), id)
	require.NoError(t, err)
	return a
}
