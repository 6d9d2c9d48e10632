package approvals_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// about gives a question its call, with a text of some length.
func about(q gavel.Question, size int) gavel.Question {
	q.Call = &gavel.Call{Agent: gavel.Agent{ID: q.Facts.Agent.ID}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": strings.Repeat("x", size)}}}
	return q
}

func TestTheCallOfAQuestionIsKnownUntilItIsForgotten(t *testing.T) {
	d := newDesk(t, nil)
	q := about(question(), 10)
	a := d.opened(t, q)
	call, known := d.CallOf(a.ID)
	require.True(t, known)
	assert.Equal(t, *q.Call, call)
	d.answered(t, a.ID, "approve")
	_, known = d.CallOf(a.ID)
	assert.True(t, known, "it is decided again after the answer")
	d.clock.step(approvals.Grace)
	require.NoError(t, d.Sweep(t.Context()))
	_, known = d.CallOf(a.ID)
	assert.False(t, known)
}

func TestTheCallsOfQuestionsAreBoundedInBytes(t *testing.T) {
	d := newDesk(t, nil)
	large := d.opened(t, about(question(other(0)), 64<<10))
	_, known := d.CallOf(large.ID)
	assert.False(t, known, "one call")
	kept, asked := 0, 0
	for n := range 200 {
		a := d.opened(t, about(question(other(n+1)), 30<<10))
		if _, known := d.CallOf(a.ID); known {
			kept++
		}
		asked++
	}
	assert.Equal(t, 200, asked)
	assert.Equal(t, (4<<20)/(30<<10), kept, "those of one credential")
	for n := range 16 {
		q := about(question(other(n+1)), 30<<10)
		q.Caller = fmt.Sprintf("decide:a%d", n)
		_, known := d.CallOf(d.opened(t, q).ID)
		assert.True(t, known, "others have a share of their own")
	}
}
