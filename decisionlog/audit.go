package decisionlog

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// typeAudit is the member "type" of a line that is not a decision. A decision has no such
// member, and an audit event has no decision_id.
const typeAudit = "audit"

// audited is a line about an event other than a decision.
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

// Audit records an event other than a decision, as its own line among the decisions and by
// the same rules as [Log.Record]. The event is encoded before Audit returns, so the caller
// may modify it afterwards. Refused logins and refused access are limited to 10 a second
// after the first 100; the rest are counted, and the next line says how many.
func (l *Log) Audit(ctx context.Context, event gavel.AuditEvent) error {
	err := l.accepts()
	if err == nil && !l.refusals.admit(&event, time.Now()) {
		l.metrics.suppressed.Inc()
		return nil
	}
	if err == nil {
		owner := event.By
		if owner == "" {
			owner = "audit " + event.Kind // those without a credential share
		}
		s, _ := l.sheets.Get().(*sheet)
		err = l.enqueue(ctx, owner, l.auditLine(s, event))
		l.release(s)
	}
	if err != nil {
		return fmt.Errorf("record the event %q: %w", event.Kind, err)
	}
	return nil
}

// note returns an audit event of the log itself, as a line.
func (l *Log) note(kind string, detail map[string]any) []byte {
	return l.auditLine(&sheet{masker: l.masker}, gavel.AuditEvent{Kind: kind, Timestamp: l.cfg.Now(), Detail: detail})
}

// auditLine encodes the event as one line, using a sheet. It never fails: a part that cannot be
// encoded is left out.
func (l *Log) auditLine(s *sheet, event gavel.AuditEvent) []byte {
	if event.Timestamp.IsZero() {
		event.Timestamp = l.cfg.Now()
	}
	if l.plainAudit(s, &event) {
		return s.line
	}
	return l.auditApart(event)
}

// plainAudit writes an audit event in which there is nothing to hide and nothing to cut, and
// reports whether that is so.
func (l *Log) plainAudit(s *sheet, event *gavel.AuditEvent) bool {
	s.line, s.masked, s.path, s.nodes = append(s.line[:0], `{"type":"`+typeAudit+`"`...), s.masked[:0], s.path[:0], maxNodes
	if !s.named(`,"kind":`, clip(event.Kind)) {
		return false
	}
	s.line = append(append(s.line, `,"labels":`...), l.written...)
	s.line = append(event.Timestamp.UTC().AppendFormat(append(s.line, `,"timestamp":"`...), time.RFC3339Nano), '"')
	for _, member := range [...]struct{ name, text string }{{`,"by":`, event.By}, {`,"from":`, event.From}, {`,"agent":`, event.Agent}, {`,"approval":`, event.Approval}} {
		if member.text != "" && !s.named(member.name, clip(member.text)) {
			return false
		}
	}
	if len(event.Detail) > 0 {
		s.line = append(s.line, `,"detail":`...)
		if !s.object(event.Detail) {
			return false
		}
	}
	s.line = append(s.line, "}\n"...)
	return len(s.masked) == 0 && len(s.line) <= maxLine
}

// auditApart encodes the event with everything that masking and cutting leave.
func (l *Log) auditApart(event gavel.AuditEvent) []byte {
	line := audited{Type: typeAudit, Kind: clip(event.Kind), Labels: l.labels, Timestamp: event.Timestamp.UTC().Format(time.RFC3339Nano),
		By: clip(event.By), From: clip(event.From), Agent: clip(event.Agent),
		Approval: clip(event.Approval)}
	err := rescue.Call(func() error { return l.describe(&line, event.Detail) })
	if err != nil {
		l.metrics.maskErrors.Inc()
		l.logger.Error("an audit event is logged without its detail", "kind", event.Kind, "error", err, "stack", rescue.Stack(err))
		line.reduce(codeMaskFailed, messageDetail)
	}
	var space bytes.Buffer
	text, err := encode(&space, line)
	if err == nil && len(text) > maxLine {
		line.reduce(codeTooLarge, messageTooLargeDetail)
		text, err = encode(&space, line)
	}
	if err != nil { // not reached: texts always encode
		return fmt.Appendf(nil, "{\"type\":%q,\"error\":{\"code\":%q}}\n", typeAudit, codeMaskFailed)
	}
	return text
}

// describe puts a copy of detail into the line, with secrets hidden and long texts cut.
func (l *Log) describe(a *audited, detail map[string]any) error {
	if len(detail) == 0 {
		return nil
	}
	cuts := &cuts{}
	copied, err := parameters(detail, "/detail", cuts)
	if err != nil {
		return fmt.Errorf("encode the detail: %w", err)
	}
	masked := hideContent(copied, "/detail", nil)
	hidden := &hider{masker: l.masker, cuts: cuts, was: map[string]any{}}
	a.Detail = hidden.value(copied, "/detail")
	a.Masked = append(masked, hidden.masked...)
	a.Detail = shorten(a.Detail, "/detail", limits{text: maxText}, cuts)
	cuts.hidden(a.Masked)
	a.Truncated = cuts.document()
	return nil
}

func (a *audited) reduce(code, message string) {
	a.Detail, a.Masked, a.Truncated = nil, nil, nil
	a.Error = map[string]any{"code": code, "message": message}
}

// maxClip limits a text that names a person or a thing, in bytes.
const maxClip = 1 << 10

// clip returns a short text unchanged, and the beginning of a long one.
func clip(text string) string {
	if len(text) <= maxClip {
		return text
	}
	return prefix(text, maxClip) + omitted
}
