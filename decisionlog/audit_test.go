package decisionlog

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// auditing records audit events and returns the lines.
func auditing(t *testing.T, events ...gavel.AuditEvent) []map[string]any {
	t.Helper()
	out := &memory{}
	log := open(t, Config{Writer: out, Labels: map[string]string{"id": "gw-1"}})
	for _, event := range events {
		require.NoError(t, log.Audit(context.Background(), event))
	}
	shut(t, log)
	return decoded(t, out.String())
}

func TestAnAuditEventIsALineOfItsOwn(t *testing.T) {
	t.Parallel()
	var audit gavel.Audit // what other parts know the log as
	out := &memory{}
	log := open(t, Config{Writer: out, Labels: map[string]string{"id": "gw-1"}})
	audit = log
	require.NoError(t, log.Record(context.Background(), eventOf("d1", nil)))
	require.NoError(t, audit.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditApprovalResolved,
		Timestamp: time.Date(2026, 3, 4, 5, 6, 7, 89, time.FixedZone("east", 3600)), By: "approve:op1", From: "127.0.0.1:4321",
		Agent: "main", Approval: "a1", Detail: map[string]any{"decision": "allow-once", "comment": "ticket-4711"}}))
	shut(t, log)
	lines := decoded(t, out.String())
	require.Len(t, lines, 2)
	assert.NotContains(t, lines[0], "type", "a decision stays as OPA writes it")
	assert.Equal(t, map[string]any{"type": "audit", "kind": "approval.resolved", "labels": map[string]any{"id": "gw-1", "app": "gavel"},
		"timestamp": "2026-03-04T04:06:07.000000089Z", "by": "approve:op1", "from": "127.0.0.1:4321", "agent": "main", "approval": "a1",
		"detail": map[string]any{"decision": "allow-once", "comment": "ticket-4711"}}, lines[1])
}

func TestForbiddenPartsOfAnAuditEventAreLeftOut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		detail map[string]any
		check  func(t *testing.T, line map[string]any)
	}{
		"content and variables are hidden": {map[string]any{"body": "s3cret", "env": map[string]any{"A": "s3cret"}}, func(t *testing.T, line map[string]any) {
			assert.Equal(t, []any{"/detail/body", "/detail/env/A"}, line["masked"])
		}},
		"a long text is cut": {map[string]any{"why": strings.Repeat("x", maxText+1) + "s3cret"}, func(t *testing.T, line map[string]any) {
			assert.NotEmpty(t, line["truncated"])
		}},
		"what is not JSON": {map[string]any{"f": func() {}, "g": "s3cret"}, func(t *testing.T, line map[string]any) {
			assert.Equal(t, codeMaskFailed, dig(t, line, "error", "code"))
		}},
		"more than a line holds": {tooMany(), func(t *testing.T, line map[string]any) {
			assert.Equal(t, codeTooLarge, dig(t, line, "error", "code"))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := auditing(t, gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited, By: "approve:op1", Detail: test.detail})[0]
			assert.Equal(t, "approve:op1", line["by"], "who it was stays")
			text, err := json.Marshal(line)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "s3cret")
			test.check(t, line)
		})
	}
}

// tooMany is more than a line holds, however short each text is.
func tooMany() map[string]any {
	out := map[string]any{}
	for i := range maxNodes {
		out[strings.Repeat("k", 100)+strconv.Itoa(i)] = "s3cret"
	}
	return out
}

func TestAnAuditEventIsRefusedAsADecisionIs(t *testing.T) {
	t.Parallel()
	out := &memory{}
	out.set(errors.New("no space left"), 0)
	log := open(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditLoginRefused}))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, patience, time.Millisecond)
	err := log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited})
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, `record the event "allowlist.edited"`)
	out.set(nil, 0)
	shut(t, log)
	require.ErrorIs(t, log.Audit(context.Background(), gavel.AuditEvent{}), ErrClosed)
}

func TestRT14AFloodOfRefusedLoginsIsCounted(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out})
	const flood = 5000
	for range flood {
		require.NoError(t, log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditLoginRefused, From: "127.0.0.1:1"}))
	}
	require.NoError(t, log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditAccessRefused, By: "decide"}), "another kind")
	for range 200 {
		require.NoError(t, log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditApprovalResolved, By: "approve:op1"}), "answers are never suppressed")
	}
	var at gavel.AuditEvent
	at.Kind, at.Detail = gavel.AuditLoginRefused, map[string]any{"path": "/v1/status"}
	require.True(t, log.refusals.admit(&at, time.Now().Add(time.Hour)))
	suppressed, ok := at.Detail["suppressed"].(float64)
	require.True(t, ok, "the next one says how many were not written")
	assert.Equal(t, "/v1/status", at.Detail["path"])
	shut(t, log)
	kinds := map[any]int{}
	for _, line := range decoded(t, out.String()) {
		kinds[line["kind"]]++
		if detail, ok := line["detail"].(map[string]any); ok {
			more, _ := detail["suppressed"].(float64)
			suppressed += more
		}
	}
	assert.GreaterOrEqual(t, kinds[gavel.AuditLoginRefused], refusalsAtOnce)
	assert.Less(t, kinds[gavel.AuditLoginRefused], flood/2)
	assert.InDelta(t, flood-kinds[gavel.AuditLoginRefused], suppressed, 0, "none is forgotten")
	assert.Equal(t, 1, kinds[gavel.AuditAccessRefused])
	assert.Equal(t, 200, kinds[gavel.AuditApprovalResolved])
}
