package gavel_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
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

func (deaf) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (deaf) Overrides() []string                       { return nil }

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

func (s staring) Analyze(context.Context, gavel.Call, *gavel.AnalyzerSettings) gavel.Facts {
	<-s.released
	return gavel.Facts{}
}

// kept is a decision log that keeps what it is given.
type kept struct{ events []gavel.Event }

func (k *kept) Record(_ context.Context, event gavel.Event) error {
	k.events = append(k.events, event)
	return nil
}

func TestRT19TheCallerGetsAnAnswerInTimeWhileTheEvaluationStillRuns(t *testing.T) {
	released := make(chan struct{})
	var told []int
	log := &kept{}
	for about, pdp := range map[string]*gavel.PDP{
		"the policy does not stop":   {Analyzer: nothing{}, Policy: only{deaf{released: released}}},
		"the analyzer does not stop": {Analyzer: staring{released}, Policy: only{deaf{released: released}}},
	} {
		t.Run(about, func(t *testing.T) {
			pdp.NewID, pdp.Now, pdp.Log = func() string { return "id" }, time.Now, log
			pdp.OnOverdue = func(stuck int) { told = append(told, stuck) }
			call := gavel.Call{ID: "7", Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec"}}
			d := decideUntilStuck(t, pdp, call)
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
			for range 8 { // fewer are enough
				d = decideUntilStuck(t, pdp, call)
			}
			assert.Equal(t, gavel.CodeOverloaded, d.Reasons[0].Code, "so many run on that no further one begins")
			assert.Equal(t, 8, pdp.Stuck())
		})
	}
	assert.Contains(t, told, 1)
	close(released)
}

// decideUntilStuck decides a call until one more evaluation is stuck, or none begins any more. On a busy
// machine the time limit may be over before an evaluation begins.
func decideUntilStuck(t *testing.T, pdp *gavel.PDP, call gavel.Call) (d gavel.Decision) {
	t.Helper()
	before := pdp.Stuck()
	for pdp.Timeout = 10 * time.Millisecond; pdp.Timeout < time.Minute; pdp.Timeout *= 2 {
		d = pdp.Decide(t.Context(), call, gavel.Options{})
		if pdp.Stuck() > before || d.Reasons[0].Code == gavel.CodeOverloaded {
			return d
		}
	}
	require.Fail(t, "no evaluation is stuck")
	return d
}

func TestAStuckEvaluationThatEndsFreesItsSlot(t *testing.T) {
	released := make(chan struct{})
	pdp := &gavel.PDP{Analyzer: nothing{}, Policy: only{deaf{released: released}}, NewID: func() string { return "id" }, Now: time.Now}
	decideUntilStuck(t, pdp, gavel.Call{})
	require.Equal(t, 1, pdp.Stuck())
	close(released)
	require.Eventually(t, func() bool { return pdp.Stuck() == 0 }, time.Minute, time.Millisecond)
	pdp.Timeout = time.Minute
	assert.Equal(t, gavel.Allow, pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{}).Effect)
}

// doing decides by what it is told to do.
type doing struct {
	gavel.Snapshot
	do func(facts gavel.Facts) gavel.Decision
}

func (doing) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (doing) Overrides() []string                       { return nil }

func (doing) Revision() string { return "doing" }

func (d doing) Decide(_ context.Context, facts gavel.Facts, _ bool) gavel.Decision {
	return d.do(facts)
}

// naming is an analyzer that observes the agent.
type naming struct{}

func (naming) Analyze(_ context.Context, call gavel.Call, _ *gavel.AnalyzerSettings) gavel.Facts {
	return gavel.Facts{Agent: gavel.AgentFacts{ID: call.Agent.ID}}
}

func TestRT19ALateResultIsDiscarded(t *testing.T) {
	released, ended := make(chan struct{}), make(chan struct{})
	pdp := &gavel.PDP{Analyzer: naming{}, NewID: func() string { return "id" }, Now: time.Now, Timeout: time.Minute}
	pdp.Policy = only{doing{do: func(facts gavel.Facts) gavel.Decision {
		if facts.Agent.ID == "slow" {
			<-released
			defer close(ended)
			return gavel.Decision{Effect: gavel.Allow, Reasons: []gavel.Reason{{Code: "of slow"}}}
		}
		return gavel.Decision{Effect: gavel.Ask, Reasons: []gavel.Reason{{Code: "of " + facts.Agent.ID}}}
	}}}
	ask := func(agent string) gavel.Decision {
		return pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: agent}}, gavel.Options{})
	}
	require.Equal(t, "of warm", ask("warm").Reasons[0].Code, "there is somebody to work again")
	late := decideUntilStuck(t, pdp, gavel.Call{Agent: gavel.Agent{ID: "slow"}})
	require.Equal(t, gavel.CodeEvaluationTimeout, late.Reasons[0].Code)
	pdp.Timeout = time.Minute
	for _, agent := range []string{"a", "b"} {
		assert.Equal(t, "of "+agent, ask(agent).Reasons[0].Code, "while the slow one runs")
	}
	close(released)
	<-ended
	for _, agent := range []string{"c", "d"} {
		assert.Equal(t, "of "+agent, ask(agent).Reasons[0].Code, "after the slow one has ended")
	}
	require.Eventually(t, func() bool { return pdp.Stuck() == 0 }, time.Minute, time.Millisecond)
}

func TestRT19AHangingEvaluationDeniesAndDoesNotAffectOthers(t *testing.T) {
	pdp := &gavel.PDP{Analyzer: naming{}, NewID: func() string { return "id" }, Now: time.Now, Timeout: time.Minute}
	pdp.Policy = only{doing{do: func(facts gavel.Facts) gavel.Decision {
		switch facts.Agent.ID {
		case "panics":
			panic("no policy does that")
		case "ends its goroutine":
			runtime.Goexit()
		}
		return gavel.Decision{Effect: gavel.Allow}
	}}}
	var told []any
	pdp.OnPanic = func(v any) { told = append(told, v) }
	for range 3 {
		for _, agent := range []string{"panics", "ends its goroutine"} {
			d := pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: agent}}, gavel.Options{})
			assert.Equal(t, gavel.Deny, d.Effect, agent)
			assert.Equal(t, gavel.CodeInternal, d.Reasons[0].Code, agent)
			assert.NotEmpty(t, told, agent)
			told = nil
			d = pdp.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "good"}}, gavel.Options{})
			assert.Equal(t, gavel.Allow, d.Effect, "after one that "+agent)
		}
	}
}

func TestIdleWorkersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pdp := &gavel.PDP{Analyzer: naming{}, NewID: func() string { return "id" }, Now: time.Now, Timeout: time.Minute}
		var all, here sync.WaitGroup
		here.Add(100) // which are asked at the same time
		pdp.Policy = only{doing{do: func(gavel.Facts) gavel.Decision {
			here.Done()
			here.Wait()
			return gavel.Decision{Effect: gavel.Allow}
		}}}
		for range 100 {
			all.Go(func() {
				assert.Equal(t, gavel.Allow, pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{}).Effect)
			})
		}
		all.Wait()
		time.Sleep(time.Minute) // a goroutine that did not end in the meantime fails the test
	})
}

// noting is a policy that notes that it was evaluated.
type noting struct {
	saying
	evaluated *bool
}

func (n noting) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	*n.evaluated = true
	return n.saying.Decide(ctx, facts, explain)
}

func TestNothingIsEvaluatedAfterTheTimeLimit(t *testing.T) {
	evaluated := false
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{noting{evaluated: &evaluated}}, NewID: func() string { return "id" }, Now: time.Now}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	d := pdp.Decide(ctx, gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.CodeEvaluationTimeout, d.Reasons[0].Code)
	assert.Zero(t, pdp.Stuck())
	assert.False(t, evaluated)
}
