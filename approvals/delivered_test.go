package approvals_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

func TestAQuestionRecordsItsDeliveriesWhileItIsOpen(t *testing.T) {
	d := newDesk(t, nil)
	ops, night := gavel.Target{Channel: "slack", To: "ops"}, gavel.Target{Channel: "webhook", To: "night"}
	a := d.opened(t, question(func(_ *gavel.Facts, dec *gavel.Decision) { dec.Terms.Forward = []gavel.Target{ops, night, ops} }))
	assert.Equal(t, []gavel.Delivery{{Target: ops}, {Target: night}}, a.Forward, "each target once")
	events := d.Subscribe()
	defer events.Cancel()
	require.NoError(t, d.MarkDelivered(t.Context(), a.ID, ops))
	require.NoError(t, d.MarkDelivered(t.Context(), a.ID, ops))
	told, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, []gavel.Delivery{{Target: ops, Delivered: true}, {Target: night}}, told.Forward)
	assert.Equal(t, a.Version+1, told.Version, "what is known already is not written again")
	answered := d.answered(t, a.ID, "approve")
	require.NoError(t, d.MarkDelivered(t.Context(), a.ID, night))
	require.NoError(t, d.MarkDelivered(t.Context(), "nobody-asked-this", night))
	now, err := d.Snapshot(t.Context(), a.ID)
	require.NoError(t, err)
	assert.Equal(t, answered.Version, now.Version, "an answered one is changed by its use alone")
	name := (<-events.C).Name
	if name == approvals.EventRequested { // the subscription may be faster than the question
		name = (<-events.C).Name
	}
	assert.Equal(t, approvals.EventResolved, name, "that somebody was told is not news")
}
