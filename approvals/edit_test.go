package approvals_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// editDesk returns a desk whose allowlist is edited under these terms, and a counter of the edits that
// one person made alone.
func editDesk(t *testing.T, terms gavel.Terms) (d *desk, made *int) {
	t.Helper()
	d = newDesk(t, func(c *approvals.Config) {
		c.Standing = func(context.Context, string) (gavel.Terms, bool, error) { return terms, true, nil }
		c.Editor = editor{}
	})
	return d, new(int)
}

// editor is an allowlist that never changes.
type editor struct{}

func (editor) Base(context.Context, string) (string, error)          { return "base", nil }
func (editor) Replace(context.Context, string, []byte, string) error { return nil }
func (editor) Section(string) string                                 { return "" }

// loosening is an edit that lets the agent main run rg.
func loosening(by gavel.Caller, made *int) approvals.Edit {
	return approvals.Edit{Base: "base", Agents: []string{"main"}, Loosens: true, Admits: []string{"/usr/bin/rg"}, Summary: "{}", By: by,
		Apply: func(context.Context) error { *made++; return nil }}
}

func TestAnAskerCannotPutTheProgramOnTheAllowlist(t *testing.T) {
	alice := gavel.Caller{Credential: "approve:alice", Person: "alice"}
	for name, answer := range map[string]string{"while the question is open": "", "after it was denied": "deny"} {
		t.Run(name, func(t *testing.T) {
			d, made := editDesk(t, gavel.Terms{Quorum: 1})
			q := by(question(), alice.Credential)
			q.Person = alice.Person
			asked := d.opened(t, q)
			if answer != "" {
				_, err := d.Resolve(t.Context(), approvals.Resolution{ID: asked.ID, Answer: answer, By: "approve:bob"})
				require.NoError(t, err)
			}
			for _, same := range []gavel.Caller{alice, {Credential: "admin", Person: "alice"}} {
				_, err := d.EditList(t.Context(), loosening(same, made))
				assert.Equal(t, gavel.CodeSelfApproval, code(err), same.Credential)
			}
			_, err := d.EditList(t.Context(), loosening(gavel.Caller{Credential: "admin"}, made))
			assert.Equal(t, gavel.CodePersonRequired, code(err), "alice may hold it")
			assert.Zero(t, *made)
			_, err = d.EditList(t.Context(), loosening(gavel.Caller{Credential: "approve:bob"}, made))
			require.NoError(t, err)
			assert.Equal(t, 1, *made, "someone else may")
		})
	}
}

func TestAnAskerWithAnOpenQuestionCannotPutAnotherProgramOnTheAllowlist(t *testing.T) {
	d, made := editDesk(t, gavel.Terms{Quorum: 1})
	q := by(question(), "approve:alice")
	q.Person = "alice"
	d.opened(t, q)
	edit := loosening(gavel.Caller{Credential: "approve:alice"}, made)
	edit.Admits = []string{"/usr/bin/other"}
	_, err := d.EditList(t.Context(), edit)
	assert.Equal(t, gavel.CodeSelfApproval, code(err))
	edit.By = gavel.Caller{Credential: "admin"}
	_, err = d.EditList(t.Context(), edit)
	assert.Equal(t, gavel.CodePersonRequired, code(err), "alice may hold it")
	assert.Zero(t, *made)
}

func TestAnAskerCannotAgreeToAnEditThatPermitsTheProgram(t *testing.T) {
	d, made := editDesk(t, gavel.Terms{Quorum: 2})
	d.opened(t, by(question(), "approve:alice"))
	proposed, err := d.EditList(t.Context(), loosening(gavel.Caller{Credential: "approve:bob"}, made))
	require.NoError(t, err)
	require.NotNil(t, proposed, "two people must agree")
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: proposed.ID, Answer: "approve", By: "approve:alice"})
	assert.Equal(t, gavel.CodeSelfApproval, code(err))
	_, err = d.Resolve(t.Context(), approvals.Resolution{ID: proposed.ID, Answer: "approve", By: "approve:bob"})
	assert.Equal(t, gavel.CodeSelfApproval, code(err), "the proposer counts already")
	agreed, err := d.Resolve(t.Context(), approvals.Resolution{ID: proposed.ID, Answer: "approve", By: "approve:carol"})
	require.NoError(t, err)
	assert.Equal(t, gavel.ApprovalConsumed, agreed.State, "the edit was made")
}

func TestAnEditThatLoosensNeedsAsManyPeopleAsAPermanentAnswer(t *testing.T) {
	d, made := editDesk(t, gavel.Terms{Quorum: 2})
	proposed, err := d.EditList(t.Context(), loosening(gavel.Caller{Credential: "approve:bob"}, made))
	require.NoError(t, err)
	require.NotNil(t, proposed)
	assert.Zero(t, *made, "one is not enough")
	tightening := loosening(gavel.Caller{Credential: "approve:bob"}, made)
	tightening.Loosens = false
	proposed, err = d.EditList(t.Context(), tightening)
	require.NoError(t, err)
	assert.Nil(t, proposed)
	assert.Equal(t, 1, *made, "anyone who may edit the list may tighten it")
}

func TestOnlyAnApproverEditsTheAllowlist(t *testing.T) {
	d, made := editDesk(t, gavel.Terms{Quorum: 1, Approvers: []string{"carol"}})
	_, err := d.EditList(t.Context(), loosening(gavel.Caller{Credential: "approve:bob"}, made))
	assert.Equal(t, gavel.CodeNotApprover, code(err))
	assert.Zero(t, *made)
	_, err = d.EditList(t.Context(), loosening(gavel.Caller{Credential: "approve:carol"}, made))
	require.NoError(t, err)
	assert.Equal(t, 1, *made)
}

func TestAListIsNotLoosenedWhenThePolicyDoesNotSayWhoMay(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) {
		c.Standing = func(context.Context, string) (gavel.Terms, bool, error) { return gavel.Terms{}, false, nil }
		c.Editor = editor{}
	})
	made := new(int)
	edit := loosening(gavel.Caller{Credential: "approve:bob"}, made)
	_, err := d.EditList(t.Context(), edit)
	assert.Equal(t, gavel.CodeNotApprover, code(err))
	assert.Zero(t, *made)
	edit.Loosens = false
	_, err = d.EditList(t.Context(), edit)
	require.NoError(t, err)
	assert.Equal(t, 1, *made, "it may be tightened")
}

// fullLog records nothing.
type fullLog struct{}

func (fullLog) Audit(context.Context, gavel.AuditEvent) error { return assert.AnError }

func TestAnEditThatCannotBeRecordedOnlyTightens(t *testing.T) {
	d := newDesk(t, func(c *approvals.Config) { c.Editor, c.Audit = editor{}, fullLog{} })
	made := new(int)
	edit := loosening(gavel.Caller{Credential: "approve:bob"}, made)
	_, err := d.EditList(t.Context(), edit)
	require.ErrorIs(t, err, assert.AnError)
	assert.Zero(t, *made)
	edit.Loosens = false
	_, err = d.EditList(t.Context(), edit)
	require.NoError(t, err)
	assert.Equal(t, 1, *made)
}

func TestAnAnswerToAnotherCallCannotBeUsed(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question())
	d.answered(t, a.ID, "approve")
	_, _, err := d.Consume(t.Context(), a.ID, d.opened(t, question(other(1))).Binding, nil)
	assert.Equal(t, gavel.CodeGrantMismatch, code(err))
	_, _, err = d.Consume(t.Context(), a.ID, "", nil)
	assert.Equal(t, gavel.CodeGrantMismatch, code(err))
	_, _, err = d.Consume(t.Context(), a.ID, a.Binding, nil)
	require.NoError(t, err, "it is still there for its own call")
}
