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

// auditAll records audit events and returns their lines.
func auditAll(t *testing.T, events ...gavel.AuditEvent) []map[string]any {
	t.Helper()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out, Labels: map[string]string{"id": "gw-1"}})
	for _, event := range events {
		require.NoError(t, log.Audit(context.Background(), event))
	}
	closeLog(t, log)
	return decodeLines(t, out.String())
}

func TestAuditEventIsItsOwnLine(t *testing.T) {
	t.Parallel()
	var audit gavel.Audit // the interface that other packages use
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out, Labels: map[string]string{"id": "gw-1"}})
	audit = log
	require.NoError(t, log.Record(context.Background(), newEvent("d1", nil)))
	require.NoError(t, audit.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditApprovalResolved,
		Timestamp: time.Date(2026, 3, 4, 5, 6, 7, 89, time.FixedZone("east", 3600)), By: "approve:op1", From: "127.0.0.1:4321",
		Agent: "main", Approval: "a1", Detail: map[string]any{"decision": "allow-once", "comment": "ticket-4711"}}))
	closeLog(t, log)
	lines := decodeLines(t, out.String())
	require.Len(t, lines, 2)
	assert.NotContains(t, lines[0], "type", "a decision has no type, as in OPA's log")
	assert.Equal(t, map[string]any{"type": "audit", "kind": "approval.resolved", "labels": map[string]any{"id": "gw-1", "app": "gavel"},
		"timestamp": "2026-03-04T04:06:07.000000089Z", "by": "approve:op1", "from": "127.0.0.1:4321", "agent": "main", "approval": "a1",
		"detail": map[string]any{"decision": "allow-once", "comment": "ticket-4711"}}, lines[1])
}

func TestAuditEventIsRedactedAndCut(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		detail map[string]any
		check  func(t *testing.T, line map[string]any)
	}{
		"content and variables are redacted": {map[string]any{"body": "s3cret", "env": map[string]any{"A": "s3cret"}}, func(t *testing.T, line map[string]any) {
			assert.Equal(t, []any{"/detail/body", "/detail/env/A"}, line["masked"])
		}},
		"a long text is cut": {map[string]any{"why": strings.Repeat("x", maxText+1) + "s3cret"}, func(t *testing.T, line map[string]any) {
			assert.NotEmpty(t, line["truncated"])
		}},
		"a value that is not JSON": {map[string]any{"f": func() {}, "g": "s3cret"}, func(t *testing.T, line map[string]any) {
			assert.Equal(t, codeMaskFailed, dig(t, line, "error", "code"))
		}},
		"a detail that does not fit in a line": {oversizedDetail(), func(t *testing.T, line map[string]any) {
			assert.Equal(t, codeTooLarge, dig(t, line, "error", "code"))
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := auditAll(t, gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited, By: "approve:op1", Detail: test.detail})[0]
			assert.Equal(t, "approve:op1", line["by"], "the line still says who it was")
			text, err := json.Marshal(line)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "s3cret")
			test.check(t, line)
		})
	}
}

// oversizedDetail returns a detail that does not fit in a line even if its texts are cut.
func oversizedDetail() map[string]any {
	out := map[string]any{}
	for i := range maxNodes {
		out[strings.Repeat("k", 100)+strconv.Itoa(i)] = "s3cret"
	}
	return out
}

func TestAuditEventIsRefusedLikeADecision(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	out.fail(errors.New("no space left"), 0)
	log := openLog(t, Config{Writer: out, Retry: time.Millisecond})
	require.NoError(t, log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditLoginRefused}))
	require.Eventually(t, func() bool { return log.health.Load().err != nil }, testTimeout, time.Millisecond)
	err := log.Audit(context.Background(), gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited})
	require.ErrorIs(t, err, ErrBroken)
	require.ErrorContains(t, err, `record the event "allowlist.edited"`)
	out.fail(nil, 0)
	closeLog(t, log)
	require.ErrorIs(t, log.Audit(context.Background(), gavel.AuditEvent{}), ErrClosed)
}

func TestRT14FloodOfRefusedLoginsIsCounted(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out})
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
	require.True(t, ok, "the next line says how many were not written")
	assert.Equal(t, "/v1/status", at.Detail["path"])
	closeLog(t, log)
	kinds := map[any]int{}
	for _, line := range decodeLines(t, out.String()) {
		kinds[line["kind"]]++
		if detail, ok := line["detail"].(map[string]any); ok {
			more, _ := detail["suppressed"].(float64)
			suppressed += more
		}
	}
	assert.GreaterOrEqual(t, kinds[gavel.AuditLoginRefused], refusalBurst)
	assert.Less(t, kinds[gavel.AuditLoginRefused], flood/2)
	assert.InDelta(t, flood-kinds[gavel.AuditLoginRefused], suppressed, 0, "every one is counted")
	assert.Equal(t, 1, kinds[gavel.AuditAccessRefused])
	assert.Equal(t, 200, kinds[gavel.AuditApprovalResolved])
}
