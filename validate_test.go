package gavel_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

func TestInvalidCallsNameTheLocation(t *testing.T) {
	long := strings.Repeat("x", gavel.MaxName+1)
	negative, none := -1, 0
	good := func(change func(*gavel.Call)) gavel.Call {
		call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "read"}}
		change(&call)
		return call
	}
	cases := map[string]struct {
		call gavel.Call
		path string
	}{
		"nothing wrong":            {good(func(*gavel.Call) {}), ""},
		"a blank agent":            {good(func(c *gavel.Call) { c.Agent.ID = " \t" }), "/agent/id"},
		"a blank tool":             {good(func(c *gavel.Call) { c.Tool.Name = " " }), "/tool/name"},
		"a blank parent":           {good(func(c *gavel.Call) { c.Agent.Parents = []gavel.Parent{{ID: "a"}, {}} }), "/agent/parents/1/id"},
		"a negative depth":         {good(func(c *gavel.Call) { c.Agent.Depth = &negative }), "/agent/depth"},
		"a largest depth of none":  {good(func(c *gavel.Call) { c.Agent.MaxDepth = &none }), "/agent/maxDepth"},
		"an endless agent":         {good(func(c *gavel.Call) { c.Agent.ID = long }), "/agent/id"},
		"an endless tool":          {good(func(c *gavel.Call) { c.Tool.Name = long }), "/tool/name"},
		"an endless model":         {good(func(c *gavel.Call) { c.Model.ID = long }), "/model/id"},
		"an endless session":       {good(func(c *gavel.Call) { c.Session.Key = long }), "/session/key"},
		"an endless sender":        {good(func(c *gavel.Call) { c.Sender = &gavel.Sender{Name: long} }), "/sender"},
		"an endless parent":        {good(func(c *gavel.Call) { c.Agent.Parents = []gavel.Parent{{ID: long}} }), "/agent/parents/0/id"},
		"parents without end":      {good(func(c *gavel.Call) { c.Agent.Parents = make17() }), "/agent/parents"},
		"plugins without end":      {good(func(c *gavel.Call) { c.Environment = plugins(gavel.MaxPlugins+1, 1) }), "/environment/plugins"},
		"tools without end":        {good(func(c *gavel.Call) { c.Environment = plugins(1, gavel.MaxTools+1) }), "/environment/plugins"},
		"as many as are permitted": {good(func(c *gavel.Call) { c.Environment = plugins(gavel.MaxPlugins, gavel.MaxTools/gavel.MaxPlugins) }), ""},
	}
	for about, c := range cases {
		t.Run(about, func(t *testing.T) {
			err := c.call.Validate(true)
			if c.path == "" {
				require.NoError(t, err)
				return
			}
			var wrong *gavel.InputError
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, c.path, wrong.Path)
			assert.NotEmpty(t, wrong.Fix)
		})
	}
	call := good(func(c *gavel.Call) { c.Tool.Name = "" })
	assert.NoError(t, call.Validate(false), "a question about every tool names none")
}

func make17() []gavel.Parent {
	list := make([]gavel.Parent, gavel.MaxParents+1)
	for i := range list {
		list[i].ID = "a"
	}
	return list
}

func plugins(n, tools int) *gavel.Environment {
	e := &gavel.Environment{Plugins: map[string][]string{}}
	for i := range n {
		for range tools {
			id := "p" + strings.Repeat("i", i)
			e.Plugins[id] = append(e.Plugins[id], "t")
		}
	}
	return e
}

// slow is a policy whose every decision takes until the time is over.
type slow struct{ gavel.Snapshot }

func (slow) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (slow) Overrides() []string                       { return nil }

func (slow) Revision() string { return "slow" }

func (slow) Decide(ctx context.Context, _ gavel.Facts, _ bool) gavel.Decision {
	<-ctx.Done()
	return gavel.Decision{Effect: gavel.Allow, Revision: "slow", Reasons: []gavel.Reason{{Code: "late"}}}
}

type nothing struct{}

func (nothing) Analyze(context.Context, gavel.Call, *gavel.AnalyzerSettings) gavel.Facts {
	return gavel.Facts{}
}

type only struct{ gavel.Snapshot }

func (p only) Current() gavel.Snapshot { return p.Snapshot }

func TestABatchHasASingleTimeLimit(t *testing.T) {
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{slow{}}, NewID: func() string { return "id" }, Now: time.Now, Timeout: time.Millisecond}
	decisions := pdp.DecideAll(t.Context(), make([]gavel.Call, 50), gavel.Options{})
	require.Len(t, decisions, 50)
	for _, d := range decisions {
		assert.Equal(t, gavel.Deny, d.Effect)
		assert.Equal(t, gavel.CodeEvaluationTimeout, d.Reasons[0].Code)
	}
}

func TestEveryFailureIsADeny(t *testing.T) {
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{}, NewID: func() string { return "id" }, Now: time.Now}
	assert.Equal(t, gavel.CodeNoPolicy, pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{}).Reasons[0].Code)
	assert.Equal(t, gavel.Deny, gavel.Decision{}.Effect)

	var told any
	pdp.Policy, pdp.OnPanic = only{panics{}}, func(v any) { told = v }
	d := pdp.Decide(t.Context(), gavel.Call{ID: "7"}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, gavel.CodeInternal, d.Reasons[0].Code)
	assert.Equal(t, "7", d.Call)
	assert.Equal(t, "bug", told)

	pdp.Policy, pdp.Log = only{permits{}}, full{}
	d = pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect, "an allow that cannot be recorded is none")
	assert.Equal(t, gavel.CodeLogUnavailable, d.Reasons[0].Code)
}

type panics struct{ gavel.Snapshot }

func (panics) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (panics) Overrides() []string                       { return nil }

func (panics) Revision() string                                         { return "panics" }
func (panics) Decide(context.Context, gavel.Facts, bool) gavel.Decision { panic("bug") }

type permits struct{ gavel.Snapshot }

func (permits) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (permits) Overrides() []string                       { return nil }

func (permits) Revision() string { return "permits" }
func (permits) Decide(context.Context, gavel.Facts, bool) gavel.Decision {
	return gavel.Decision{Effect: gavel.Allow}
}

type full struct{}

func (full) Record(context.Context, gavel.Event) error { return context.DeadlineExceeded }

func TestWithoutAPolicyNoToolIsVisible(t *testing.T) {
	pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{}, NewID: func() string { return "id" }, Now: time.Now}
	report := pdp.Tools(t.Context(), gavel.Call{})
	assert.Empty(t, report.Tools)
	assert.Equal(t, gavel.CodeNoPolicy, report.Reasons[0].Code)
}

func TestAnApprovalErrorNamesItsCause(t *testing.T) {
	cause := errors.New("disk")
	err := &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "no room", Err: cause}
	assert.EqualError(t, err, "no room: disk")
	assert.ErrorIs(t, err, cause)
	assert.EqualError(t, &gavel.ApprovalError{Message: "no room"}, "no room")
}
