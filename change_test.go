package gavel_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// advising is a policy that always has an edit to offer.
type advising struct {
	gavel.Snapshot
	decision gavel.Decision
}

func (advising) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (advising) Revision() string                          { return "r" }

func (a advising) Decide(context.Context, gavel.Facts, bool) gavel.Decision { return a.decision }

func (advising) Change(context.Context, gavel.Facts) gavel.Change {
	return gavel.Change{Patch: "+ allow everything"}
}

func TestAnEditIsOfferedOnlyForWhatTheConfigurationRefuses(t *testing.T) {
	for about, c := range map[string]struct {
		decision gavel.Decision
		patch    string
		none     string
	}{
		"a rule denied": {gavel.Decision{Reasons: []gavel.Reason{{Layer: "exec", Message: "m"}}}, "+ allow everything", ""},
		"Gavel denied":  {gavel.Decision{Reasons: []gavel.Reason{{Layer: "gavel", Message: "m"}}}, "", "Gavel itself denied the call, not a rule of the policy: m"},
		"a verifier denied": {gavel.Decision{Reasons: []gavel.Reason{{Layer: "verifier", Message: "m", Fix: "f"}}}, "",
			"m; no edit of the configuration is offered for that: f"},
		"verifiers were not asked": {gavel.Decision{Asks: &gavel.Asks{}, Reasons: []gavel.Reason{{Layer: "verifier", Message: "m"}}}, "+ allow everything", ""},
	} {
		pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{advising{decision: c.decision}}, NewID: func() string { return "id" }, Now: time.Now}
		change := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{Change: true}).Change
		if assert.NotNil(t, change, about) {
			assert.Equal(t, c.patch, change.Patch, about)
			assert.Equal(t, c.none, change.None, about)
		}
	}
}
