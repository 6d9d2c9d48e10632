package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func TestTheAnswersOfSeveralPeopleAreShownWithTheirNames(t *testing.T) {
	d := newDesk(t, nil)
	a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Quorum = 3 }))
	for _, vote := range [][2]string{{"alice", "staging only"}, {"bob", " "}, {"carol", "and not today"}} {
		_, err := d.Resolve(t.Context(), approvals.Resolution{ID: a.ID, Answer: "approve", By: "approve:" + vote[0], Person: vote[0], Comment: vote[1]})
		require.NoError(t, err)
	}
	said, ok := d.Answered(t.Context(), a.ID, question())
	require.True(t, ok)
	assert.Equal(t, "alice: staging only; carol: and not today", said.Comment)
	_, ok = d.Answered(t.Context(), a.ID, by(question(), "decide:thief"))
	assert.False(t, ok)
	_, ok = d.Answered(t.Context(), a.ID, issued(question(), "another"))
	assert.False(t, ok)
}
