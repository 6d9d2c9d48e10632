package decisionlog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// typeAudit is the member "type" of a line that is no decision. A decision has no such
// member, and an audit event has no decision_id.
const typeAudit = "audit"

// audited is a line about something that is not a decision.
type audited struct {
	Type      string            `json:"type"`
	Kind      string            `json:"kind"`
	Labels    map[string]string `json:"labels"`
	Timestamp string            `json:"timestamp"`
	By        string            `json:"by,omitempty"`
	From      string            `json:"from,omitempty"`
	Agent     string            `json:"agent,omitempty"`
	Approval  string            `json:"approval,omitempty"`
	Detail    any               `json:"detail,omitempty"`
	Masked    []string          `json:"masked,omitempty"`
	Truncated []any             `json:"truncated,omitempty"`
	Error     any               `json:"error,omitempty"`
}

// Audit records something that is not a decision, as a line of its own among the
// decisions and by the same rules as [Log.Record]. The event is written out before
// Audit returns, so the caller may change it afterwards.
func (l *Log) Audit(ctx context.Context, event gavel.AuditEvent) error {
	line, err := l.auditLine(event)
	if err == nil {
		err = l.enqueue(ctx, item{line: line})
	}
	if err != nil {
		return fmt.Errorf("record the event %q: %w", event.Kind, err)
	}
	return nil
}

func (l *Log) auditLine(event gavel.AuditEvent) ([]byte, error) {
	at := event.Timestamp
	if at.IsZero() {
		at = l.cfg.Now()
	}
	line := audited{Type: typeAudit, Kind: clip(event.Kind), Labels: l.labels, Timestamp: at.UTC().Format(time.RFC3339Nano),
		By: clip(event.By), From: clip(event.From), Agent: clip(event.Agent),
		Approval: clip(event.Approval)}
	err := rescue.Call(func() error { return line.describe(event.Detail) })
	if err != nil {
		l.metrics.maskErrors.Inc()
		l.logger.Error("an audit event is logged without its detail", "kind", event.Kind, "error", err, "stack", rescue.Stack(err))
		line.reduce(codeMaskFailed, messageDetail)
	}
	text, err := encoded(line)
	if err == nil && len(text) > maxLine {
		line.reduce(codeTooLarge, messageTooLargeDetail)
		text, err = encoded(line)
	}
	return text, err
}

// describe puts a copy of detail into the line, with what is secret hidden and what is
// long cut.
func (a *audited) describe(detail map[string]any) error {
	if len(detail) == 0 {
		return nil
	}
	copied, err := parameters(detail)
	if err != nil {
		return fmt.Errorf("encode the detail: %w", err)
	}
	a.Masked = hideContent(copied, "/detail", nil)
	a.Truncated = shorten(copied, "/detail", maxDetail)
	a.Detail = copied
	return nil
}

func (a *audited) reduce(code, message string) {
	a.Detail, a.Masked, a.Truncated = nil, nil, nil
	a.Error = map[string]any{"code": code, "message": message}
}

func encoded(doc any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out) // ends the line, too
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("encode the event: %w", err)
	}
	return out.Bytes(), nil
}

// clip keeps a short text as it is, and the beginning of a long one.
func clip(text string) string {
	if len(text) <= tightString {
		return text
	}
	return prefix(text, tightString) + "…"
}
