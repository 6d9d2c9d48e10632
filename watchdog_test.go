package gavel_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// deaf does not hear that its time is over; it ends when released is closed.
type deaf struct {
	gavel.Snapshot
	released chan struct{}
}

func (deaf) Revision() string { return "deaf" }

func (d deaf) Decide(context.Context, gavel.Facts, bool) gavel.Decision {
	<-d.released
	return gavel.Decision{Effect: gavel.Allow, Revision: "deaf", Reasons: []gavel.Reason{{Code: "late"}}}
}

func (d deaf) Tools(context.Context, gavel.Facts) gavel.ToolReport {
	<-d.released
	return gavel.ToolReport{}
}

// staring is an analyzer that does not hear it either.
type staring struct{ released chan struct{} }

func (s staring) Analyze(context.Context, gavel.Call, gavel.SearchFirst) gavel.Facts {
	<-s.released
	return gavel.Facts{}
}

// kept is a decision log that keeps what it is given.
type kept struct{ events []gavel.Event }

func (k *kept) Record(_ context.Context, event gavel.Event) error {
	k.events = append(k.events, event)
	return nil
}

func TestRT19WhoeverAsksHasAnAnswerWhenTheTimeIsOverAlthoughTheEvaluationRuns(t *testing.T) {
	released := make(chan struct{})
	var told []int
	log := &kept{}
	for about, pdp := range map[string]*gavel.PDP{
		"the policy does not stop":   {Analyzer: nothing{}, Policy: only{deaf{released: released}}},
		"the analyzer does not stop": {Analyzer: staring{released}, Policy: only{deaf{released: released}}},
	} {
		t.Run(about, func(t *testing.T) {
			pdp.NewID, pdp.Now, pdp.Timeout, pdp.Log = func() string { return "id" }, time.Now, 10*time.Millisecond, log
			pdp.Overdue = func(stuck int) { told = append(told, stuck) }
			call := gavel.Call{ID: "7", Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec"}}
			d := pdp.Decide(t.Context(), call, gavel.Options{})
			assert.Equal(t, gavel.Deny, d.Effect)
			assert.Equal(t, gavel.CodeEvaluationTimeout, d.Reasons[0].Code)
			assert.Equal(t, "7", d.Call)
			assert.Equal(t, 1, pdp.Stuck())
			last := log.events[len(log.events)-1]
			assert.Equal(t, "main", last.Facts.Agent.ID, "the log says whose call it was")
			assert.Equal(t, "exec", last.Facts.Tool.Name)

			report := pdp.Tools(t.Context(), call)
			assert.Equal(t, gavel.CodeEvaluationTimeout, report.Reasons[0].Code)
			_, err := pdp.Observe(t.Context(), call)
			if about == "the analyzer does not stop" {
				require.Error(t, err)
			}
			for range 20 {
				d = pdp.Decide(t.Context(), call, gavel.Options{})
			}
			assert.Equal(t, gavel.CodeOverloaded, d.Reasons[0].Code, "so many run on that no further one begins")
			assert.Equal(t, 8, pdp.Stuck())
		})
	}
	assert.Contains(t, told, 1)
	close(released)
}

func TestWhatWasStuckAndEndsMakesRoom(t *testing.T) {
	released := make(chan struct{})
	pdp := &gavel.PDP{Analyzer: nothing{}, Policy: only{deaf{released: released}}, NewID: func() string { return "id" }, Now: time.Now, Timeout: time.Millisecond}
	pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	require.Equal(t, 1, pdp.Stuck())
	close(released)
	require.Eventually(t, func() bool { return pdp.Stuck() == 0 }, 10*time.Second, time.Millisecond)
	pdp.Timeout = time.Minute
	assert.Equal(t, gavel.Allow, pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{}).Effect)
}
