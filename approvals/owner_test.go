package approvals_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// by is the same question, asked by another credential.
func by(q gavel.Question, credential string) gavel.Question {
	q.Caller = credential
	return q
}

func TestRT08AnotherAskerGetsTheirOwnQuestion(t *testing.T) {
	d := newDesk(t, nil)
	first := d.opened(t, by(question(), "gateway"))
	second := d.opened(t, by(question(), "decide:thief"))
	require.NotEqual(t, first.ID, second.ID)
	assert.Equal(t, first.ID, d.opened(t, by(question(), "gateway")).ID, "who asks again has one question")
	assert.Equal(t, second.ID, d.opened(t, by(question(), "decide:thief")).ID)

	d.answered(t, first.ID, "approve")
	stolen := look(t, d, by(question(), "decide:thief"))
	assert.Equal(t, second.ID, stolen.ID)
	assert.Equal(t, string(gavel.ApprovalPending), stolen.State, "the answer to one is not an answer to the other")
	used := look(t, d, by(question(), "gateway"))
	assert.Equal(t, first.ID, used.ID)
	assert.Equal(t, "allow-once", used.Decision)
}

func TestRT08TheFirstAskerUsesTheAnswerToAnOldSharedQuestion(t *testing.T) {
	store := approvals.NewInMemory()
	d := newDesk(t, func(c *approvals.Config) { c.Store = store })
	a := d.opened(t, question())
	a.Requesters = append(a.Requesters, "decide:thief") // as older versions kept who joined
	_, err := store.Swap(t.Context(), a, nil)
	require.NoError(t, err)
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "decide:thief"})
	assert.Equal(t, gavel.CodeSelfApproval, code(err))
	d.answered(t, a.ID, "approve")
	assert.False(t, look(t, d, by(question(), "decide:thief")).Found)
	assert.True(t, look(t, d, question()).Found)
}

func TestRT08SeparateQuestionsSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "approvals.db")
	s, clock := onDisk(t, path), newClock()
	d := newDesk(t, func(c *approvals.Config) { c.Store, c.Now = s, clock.Now })
	first := d.opened(t, by(question(), "gateway"))
	second := d.opened(t, by(question(), "decide:coder"))
	d.Close()
	require.NoError(t, s.Close())
	s = onDisk(t, path)
	d = newDesk(t, func(c *approvals.Config) { c.Store, c.Now = s, clock.Now })
	assert.Equal(t, second.ID, d.opened(t, by(question(), "decide:coder")).ID)
	assert.Equal(t, first.ID, d.opened(t, by(question(), "gateway")).ID)
}

func TestRT08AnAskerCannotAnswerTheSameQuestionOfAnotherAsker(t *testing.T) {
	d := newDesk(t, nil)
	first := d.opened(t, by(question(), "gateway"))
	second := by(question(), "approve:alice")
	second.Person = "alice"
	d.opened(t, second)
	for _, r := range []approvals.Resolution{{By: "approve:alice"}, {By: "approvals.sock", Person: "alice"}} {
		r.ID, r.Answer = first.ID, "approve"
		_, err := d.Resolve(t.Context(), r)
		assert.Equal(t, gavel.CodeSelfApproval, code(err), r.By)
	}
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: first.ID, Answer: "approve", By: "approve:bob"})
	require.NoError(t, err)
}

func TestASharedCredentialCannotPermitWhatAPersonAskedFor(t *testing.T) {
	d := newDesk(t, nil)
	q := by(question(), "approve:alice")
	q.Person = "alice"
	asked := d.opened(t, q)
	for _, shared := range []string{"approve", "approvals.sock"} {
		_, err := d.Resolve(t.Context(), approvals.Resolution{ID: asked.ID, Answer: "approve", By: shared})
		assert.Equal(t, gavel.CodePersonRequired, code(err), "alice may hold it")
	}
	_, err := d.Resolve(t.Context(), approvals.Resolution{ID: asked.ID, Answer: "approve", By: "approve:bob"})
	require.NoError(t, err)
}

func TestRT08ADenialAppliesToOtherAskersButDoesNotHideTheirOwnAnswers(t *testing.T) {
	d := newDesk(t, nil)
	first := d.opened(t, by(question(), "gateway"))
	second := d.opened(t, by(question(), "decide:coder"))
	d.answered(t, second.ID, "deny")
	assert.Equal(t, string(gavel.ApprovalPending), look(t, d, by(question(), "gateway")).State)
	assert.Equal(t, "deny", look(t, d, by(question(), "decide:third")).Decision, "the same call was denied just now")
	d.answered(t, first.ID, "approve")
	assert.Equal(t, "allow-once", look(t, d, by(question(), "gateway")).Decision)
}

func TestRT08TheSameEditIsProposedOnce(t *testing.T) {
	for name, s := range stores(t) {
		edit := record("a", "edit")
		edit.Edit = &gavel.AllowlistEdit{}
		_, created, err := s.Create(t.Context(), edit)
		require.NoError(t, err, name)
		require.True(t, created, name)
		edit.ID, edit.Requesters = "b", []string{"approve:bob"}
		known, created, err := s.Create(t.Context(), edit)
		require.NoError(t, err, name)
		assert.False(t, created, name)
		assert.Equal(t, "a", known.ID, "%s: an edit is nobody's to use", name)
	}
}
