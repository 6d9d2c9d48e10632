package gavel_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// saying is a policy that denies with some reasons.
type saying struct {
	gavel.Snapshot
	effect  gavel.Effect
	reasons []gavel.Reason
}

func (saying) AnalyzerSettings() *gavel.AnalyzerSettings { return nil }
func (saying) Overrides() []string                       { return nil }

func (saying) Revision() string { return "saying" }

func (s saying) Decide(context.Context, gavel.Facts, bool) gavel.Decision {
	return gavel.Decision{Effect: s.effect, Revision: "saying", Reasons: s.reasons}
}

// written are audit events.
type written struct {
	events []gavel.AuditEvent
	fails  error
}

func (w *written) Audit(_ context.Context, event gavel.AuditEvent) error {
	w.events = append(w.events, event)
	return w.fails
}

// of is an analyzer that repeats who is calling.
type of struct{ facts gavel.Facts }

func (o of) Analyze(context.Context, gavel.Call, *gavel.AnalyzerSettings) gavel.Facts { return o.facts }

func TestARefusedElevationIsASecurityEvent(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	facts := gavel.Facts{Agent: gavel.AgentFacts{ID: "main"}, Session: gavel.SessionFacts{Key: "agent:main:x"}, Tool: gavel.ToolFacts{Name: "exec"},
		Sender: gavel.SenderFacts{Channel: "discord", ID: "9"}}
	reasons := []gavel.Reason{{Layer: "tools", Code: "tools.denied"}, {Layer: "elevated", Code: "elevated.sender", Source: gavel.Source{Path: "tools.elevated.allowFrom"}},
		{Layer: "elevated", Code: "elevated.off", Source: gavel.Source{Path: "agents.main.tools.elevated.enabled"}}}
	audit := &written{}
	pdp := gavel.PDP{Analyzer: of{facts}, Policy: only{saying{effect: gavel.Deny, reasons: reasons}}, NewID: func() string { return "id" },
		Now: func() time.Time { return at }, Audit: audit}
	d := pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{Caller: "gateway", RequestedBy: "gateway@x"})
	assert.Equal(t, reasons, d.Reasons)
	assert.Equal(t, []gavel.AuditEvent{{Kind: "elevation.refused", Timestamp: at, By: "gateway", From: "gateway@x", Agent: "main", Detail: map[string]any{
		"decision": "id", "tool": "exec", "session": "agent:main:x", "channel": "discord", "sender": "9", "gates": []any{
			map[string]any{"code": "elevated.sender", "path": "tools.elevated.allowFrom"},
			map[string]any{"code": "elevated.off", "path": "agents.main.tools.elevated.enabled"}}}}}, audit.events)

	audit.fails = errors.New("full")
	d = pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
	assert.Equal(t, gavel.Deny, d.Effect)
	assert.Equal(t, gavel.CodeLogUnavailable, d.Reasons[0].Code)
}

func TestOtherDecisionsAreNotSecurityEvents(t *testing.T) {
	for about, said := range map[string]saying{
		"another layer denies":      {effect: gavel.Deny, reasons: []gavel.Reason{{Layer: "exec"}}},
		"an authorised sender asks": {effect: gavel.Ask, reasons: []gavel.Reason{{Layer: "exec"}}},
		"it may leave":              {effect: gavel.Allow, reasons: []gavel.Reason{{Layer: "elevated", Code: "elevated.active"}}},
	} {
		audit := &written{}
		pdp := gavel.PDP{Analyzer: nothing{}, Policy: only{said}, NewID: func() string { return "id" }, Now: time.Now, Audit: audit}
		pdp.Decide(t.Context(), gavel.Call{}, gavel.Options{})
		assert.Empty(t, audit.events, about)
	}
}
