package approvals_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func look(t *testing.T, d *desk, q gavel.Question) gavel.ApprovalFacts {
	t.Helper()
	facts, err := d.Look(t.Context(), q)
	require.NoError(t, err)
	return facts
}

func TestACallThatNobodyWasAskedAboutHasNoApproval(t *testing.T) {
	facts := look(t, newDesk(t, nil), question())
	assert.True(t, facts.Looked)
	assert.False(t, facts.Found)
	assert.Len(t, facts.Bound, 64)
	assert.Empty(t, facts.Seen)
}

func TestOpeningMakesAPendingApprovalWithTheTermsOfTheDecision(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	assert.Equal(t, gavel.ApprovalPending, a.State)
	assert.Equal(t, d.clock.Now().Add(2*time.Minute), a.ExpiresAt)
	assert.Equal(t, []string{"gateway"}, a.Requesters)
	assert.Equal(t, "rg TODO", a.Request.Given)
	assert.Equal(t, "/usr/bin/rg TODO", a.Request.Segments[0].Command)
}

func TestAskingAgainWhilePendingReturnsTheSameApproval(t *testing.T) {
	d := newDesk(t, nil)
	first := d.opened(t, question())
	assert.Equal(t, first.ID, d.opened(t, question()).ID)
	list, err := d.List(t.Context())
	require.NoError(t, err)
	assert.Len(t, list, 1)
}

func TestEachCommandNeedsItsOwnApproval(t *testing.T) {
	d := newDesk(t, nil)
	assert.NotEqual(t, d.opened(t, question()).ID, d.opened(t, question(other(1))).ID)
}

func TestAnAnswerIsConsumedOnceAndThenANewApprovalIsOpened(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.answered(t, a.ID, "approve")
	facts := look(t, d, question())
	assert.Equal(t, [3]string{"resolved", "allow-once", a.Binding}, [3]string{facts.State, facts.Decision, facts.Binding})

	used, _, err := d.Consume(t.Context(), a.ID, a.Binding, nil)
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalConsumed, used.State)
	_, _, err = d.Consume(t.Context(), a.ID, a.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalConsumed, code(err))
	assert.False(t, look(t, d, question()).Found)
	assert.NotEqual(t, a.ID, d.opened(t, question()).ID)
}

func TestAnExpiredApprovalIsFollowedByANewOne(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.clock.step(2 * time.Minute)
	assert.False(t, look(t, d, question()).Found)
	assert.NotEqual(t, a.ID, d.opened(t, question()).ID)
	old, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalExpired, old.State)
	assert.Equal(t, gavel.ExpiredTimeout, old.Expired)
}

func TestADenialIsAFactDuringTheGracePeriodAndThenForgotten(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.answered(t, a.ID, "deny")
	assert.Equal(t, "deny", look(t, d, question()).Decision)
	_, _, err := d.Consume(t.Context(), a.ID, a.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalExpired, code(err), "a denial is nothing to use")
	d.clock.step(approvals.Grace)
	assert.False(t, look(t, d, question()).Found)
	require.NoError(t, d.Sweep(t.Context()))
	_, err = d.Snapshot(t.Context(), a.ID)
	assert.Equal(t, gavel.CodeApprovalNotFound, code(err))
}

func TestAnUnusedAnswerLapsesAfterTheGracePeriod(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.answered(t, a.ID, "allow-once")
	d.clock.step(approvals.Grace)
	_, _, err := d.Consume(t.Context(), a.ID, a.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalExpired, code(err))
}

func TestAllowAlwaysAddsTheOfferAndIsRemembered(t *testing.T) {
	d := newDesk(t, nil)
	d.answered(t, d.opened(t, question()).ID, "allow-always")
	assert.Equal(t, map[string][]string{"main": {"/usr/bin/rg"}}, d.patterns.added)
	elsewhere := question(func(f *gavel.Facts, _ *gavel.Decision) { f.Session.Key = "agent:main:other" })
	facts := look(t, d, elsewhere)
	assert.Equal(t, "allow-always", facts.Seen, "the history knows no sessions")
	assert.False(t, facts.Found, "the answer itself is for one session")
}

func TestAllowOnceAddsNothingAndIsRememberedAsOnce(t *testing.T) {
	d := newDesk(t, nil)
	d.answered(t, d.opened(t, question()).ID, "allow-once")
	assert.Empty(t, d.patterns.added)
	assert.Equal(t, "allow-once", look(t, d, question()).Seen)
}

func TestAQuestionThatReachesNobodyExpiresAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	connected := question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Connected = true })
	a := d.opened(t, connected)
	assert.Equal(t, gavel.ApprovalExpired, a.State)
	assert.Equal(t, "no-approval-route", a.Expired)
	list, err := d.List(t.Context())
	require.NoError(t, err)
	assert.Empty(t, list, "it was never queued")

	s := d.Subscribe()
	defer s.Cancel()
	assert.Equal(t, gavel.ApprovalPending, d.opened(t, connected).State)
}

func TestNoQuestionIsOpenedForAnUnboundCall(t *testing.T) {
	lost := question(func(f *gavel.Facts, _ *gavel.Decision) { f.Exec.Segments[0].Executable.Found = false })
	d := newDesk(t, nil)
	assert.Empty(t, look(t, d, lost).Bound)
	_, err := d.Open(t.Context(), lost)
	assert.Equal(t, gavel.CodeApprovalUnbound, code(err))
}

func TestBadAnswersHaveTheirOwnCodes(t *testing.T) {
	d := newDesk(t, nil)
	pending := d.opened(t, question(other(1)))
	d.opened(t, question(other(2))) // its id begins alike
	done := d.opened(t, question(other(3)))
	d.answered(t, done.ID, "deny")
	used := d.opened(t, question(other(4)))
	d.answered(t, used.ID, "approve")
	_, _, err := d.Consume(t.Context(), used.ID, used.Binding, nil)
	require.NoError(t, err)
	never := d.opened(t, question(other(5), func(_ *gavel.Facts, dec *gavel.Decision) {
		dec.Terms.Answers = []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}
	}))
	alices := d.opened(t, question(other(6), func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Approvers = []string{"alice"} }))
	for name, c := range map[string]struct {
		id, answer, by, comment string
		want                    string
	}{
		"an unknown id":                    {"ffffffff-0000", "deny", "approve", "", gavel.CodeApprovalNotFound},
		"a prefix of 7 characters":         {pending.ID[:7], "deny", "approve", "", gavel.CodeApprovalIDTooShort},
		"no id at all":                     {" ", "deny", "approve", "", gavel.CodeApprovalIDTooShort},
		"a prefix of two":                  {pending.ID[:8], "deny", "approve", "", gavel.CodeApprovalAmbiguous},
		"a second answer":                  {done.ID, "approve", "approve", "", gavel.CodeApprovalResolved},
		"an answer after use":              {used.ID, "approve", "approve", "", gavel.CodeApprovalConsumed},
		"a word that is not an answer":     {pending.ID, "yes", "approve", "", gavel.CodeInvalidAnswer},
		"an answer in capitals":            {pending.ID, "ALLOW-ONCE", "approve", "", gavel.CodeInvalidAnswer},
		"an answer that is not on offer":   {never.ID, "allow-always", "approve", "", gavel.CodeAnswerUnavailable},
		"the requester":                    {pending.ID, "approve", "gateway", "", gavel.CodeSelfApproval},
		"somebody who is not an approver":  {alices.ID, "approve", "approve:bob", "", gavel.CodeNotApprover},
		"a novel":                          {pending.ID, "deny", "approve", string(make([]byte, 2001)), gavel.CodeCommentTooLong},
		"the requester, of a finished one": {done.ID, "approve", "gateway", "", gavel.CodeSelfApproval},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := d.Resolve(t.Context(), approvals.Resolution{ID: c.id, Answer: c.answer, By: c.by, Comment: c.comment})
			assert.Equal(t, c.want, code(err))
			assert.NotEmpty(t, err.Error())
		})
	}
	a, err := d.Resolve(t.Context(), approvals.Resolution{ID: alices.ID, Answer: "deny", By: "approve:alice"})
	require.NoError(t, err)
	assert.Equal(t, "approve:alice", a.ResolvedBy)
	d.clock.step(2 * time.Minute)
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: pending.ID, Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeApprovalExpired, code(err), "a late answer")
}

func TestAPrefixOfEightCharactersInAnyCaseIdentifiesAnApproval(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.NewID = func() string { return "abcdef12-aaaa-4000-8000-000000000001" } })
	a := d.opened(t, question())
	got, err := d.Find(t.Context(), "ABCDEF12")
	require.NoError(t, err)
	assert.Equal(t, a.ID, got.ID)
	d.answered(t, "abcdef12", "deny")
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: "abcdef12", Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeApprovalResolved, code(err), "a second answer by the prefix is told that it is one")
}

func TestSomeoneWhoJoinsAQuestionCannotAnswerIt(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	q := question()
	q.Caller = "approve"
	d.opened(t, q)
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve"})
	assert.Equal(t, gavel.CodeSelfApproval, code(err))
}

func TestAQuorumNeedsSeveralPeopleAndOneDenialEndsIt(t *testing.T) {
	d := newDesk(t, nil)
	two := func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 2 }
	resolve := func(id, answer, by string) (gavel.Approval, error) {
		return d.Resolve(t.Context(), approvals.Resolution{ID: id, Answer: answer, By: by})
	}
	a := d.opened(t, question(two))
	first, err := resolve(a.ID, "allow-once", "approve:alice")
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalPending, first.State)
	_, err = resolve(a.ID, "allow-once", "approve:alice")
	assert.Equal(t, gavel.CodeApprovalVoted, code(err))
	second, err := resolve(a.ID, "allow-always", "approve:bob")
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalResolved, second.State)
	assert.Equal(t, gavel.AllowOnce, second.Answer, "the least lasting of the two")
	assert.Empty(t, d.patterns.added)

	b := d.opened(t, question(two, other(1)))
	_, err = resolve(b.ID, "allow-once", "approve:alice")
	require.NoError(t, err)
	denied, err := resolve(b.ID, "deny", "approve:bob")
	require.NoError(t, err)
	assert.Equal(t, gavel.DenyAnswer, denied.Answer)
}

func TestClockChangesNeverMakeAnAnswerLastLonger(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question(other(1)))
	d.clock.step(-time.Hour)
	back, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalExpired, back.State, "nobody can tell how long ago it was opened")
	d.clock.step(time.Hour)

	b := d.opened(t, question(other(2)))
	d.answered(t, b.ID, "approve")
	d.clock.step(-time.Minute)
	_, _, err = d.Consume(t.Context(), b.ID, b.Binding, nil)
	assert.Equal(t, gavel.CodeApprovalExpired, code(err))

	c := d.opened(t, question(other(3)))
	d.clock.step(24 * time.Hour)
	assert.Equal(t, gavel.ApprovalExpired, func() gavel.ApprovalState { a, _ := d.Snapshot(t.Context(), c.ID); return a.State }())
}

func TestOpenQuestionsAreBounded(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.MaxPending = 2 })
	d.opened(t, question(other(1)))
	d.opened(t, question(other(2)))
	_, err := d.Open(t.Context(), question(other(3)))
	assert.Equal(t, gavel.CodeApprovalsFull, code(err))
}

func TestAnIDIsUsedForOneQuestionOnly(t *testing.T) {
	d := newDesk(t, nil)
	q := question()
	q.ID = "my-own-id"
	assert.Equal(t, "my-own-id", d.opened(t, q).ID)
	assert.Equal(t, "my-own-id", d.opened(t, q).ID, "registering is idempotent")
	taken := question(other(1))
	taken.ID = "my-own-id"
	_, err := d.Open(t.Context(), taken)
	assert.Equal(t, gavel.CodeApprovalExists, code(err))
}
