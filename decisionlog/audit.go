package decisionlog

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// typeAudit is the member "type" of an audit event. Decisions have no such member, and audit
// events have no decision_id.
const typeAudit = "audit"

// auditEntry is the line of an audit event.
type auditEntry struct {
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

// Audit records an event other than a decision as a line of its own, with the guarantees of
// [Log.Record]. The event is encoded before Audit returns, so the caller may modify it afterwards.
// Refused logins and refused requests are limited to 10 per second after the first 100. The rest
// are counted, and the next line says how many there were.
func (l *Log) Audit(ctx context.Context, event gavel.AuditEvent) error {
	err := l.checkWritable()
	if err == nil && !l.refusals.admit(&event, time.Now()) {
		l.metrics.suppressed.Inc()
		return nil
	}
	if err == nil {
		owner := event.By
		if owner == "" {
			owner = "audit " + event.Kind // all events of this kind without a credential share an owner
		}
		s, _ := l.states.Get().(*encodeState)
		err = l.enqueue(ctx, owner, l.auditLine(s, event))
		l.release(s)
	}
	if err != nil {
		return fmt.Errorf("record the event %q: %w", event.Kind, err)
	}
	return nil
}

// ownAuditLine encodes an audit event about the log itself.
func (l *Log) ownAuditLine(kind string, detail map[string]any) []byte {
	return l.auditLine(&encodeState{masker: l.masker}, gavel.AuditEvent{Kind: kind, Timestamp: l.cfg.Now(), Detail: detail})
}

// auditLine encodes the event as one line. It never fails: a detail that cannot be encoded is left
// out. The result is valid until s is used again.
func (l *Log) auditLine(s *encodeState, event gavel.AuditEvent) []byte {
	if event.Timestamp.IsZero() {
		event.Timestamp = l.cfg.Now()
	}
	if l.encodeAuditFast(s, &event) {
		return s.line
	}
	return l.encodeAuditSlow(event)
}

// encodeAuditFast writes an audit event to s.line. It returns false if something has to be
// redacted or cut.
func (l *Log) encodeAuditFast(s *encodeState, event *gavel.AuditEvent) bool {
	s.line, s.masked, s.path, s.nodesLeft = append(s.line[:0], `{"type":"`+typeAudit+`"`...), s.masked[:0], s.path[:0], maxNodes
	if !s.member(`,"kind":`, clip(event.Kind)) {
		return false
	}
	s.line = append(append(s.line, `,"labels":`...), l.labelsJSON...)
	s.line = append(event.Timestamp.UTC().AppendFormat(append(s.line, `,"timestamp":"`...), time.RFC3339Nano), '"')
	for _, member := range [...]struct{ name, text string }{{`,"by":`, event.By}, {`,"from":`, event.From}, {`,"agent":`, event.Agent}, {`,"approval":`, event.Approval}} {
		if member.text != "" && !s.member(member.name, clip(member.text)) {
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

// encodeAuditSlow encodes the event, redacted and cut.
func (l *Log) encodeAuditSlow(event gavel.AuditEvent) []byte {
	entry := auditEntry{Type: typeAudit, Kind: clip(event.Kind), Labels: l.labels, Timestamp: event.Timestamp.UTC().Format(time.RFC3339Nano),
		By: clip(event.By), From: clip(event.From), Agent: clip(event.Agent),
		Approval: clip(event.Approval)}
	err := rescue.Call(func() error { return l.addDetail(&entry, event.Detail) })
	if err != nil {
		l.metrics.maskErrors.Inc()
		l.logger.Error("an audit event is logged without its detail", "kind", event.Kind, "error", err, "stack", rescue.Stack(err))
		entry.replaceDetail(codeMaskFailed, messageMaskFailedDetail)
	}
	var space bytes.Buffer
	text, err := encodeJSON(&space, entry)
	if err == nil && len(text) > maxLine {
		entry.replaceDetail(codeTooLarge, messageTooLargeDetail)
		text, err = encodeJSON(&space, entry)
	}
	if err != nil { // not reached: strings always encode
		return fmt.Appendf(nil, "{\"type\":%q,\"error\":{\"code\":%q}}\n", typeAudit, codeMaskFailed)
	}
	return text
}

// addDetail adds a copy of detail, with secrets redacted and long texts cut.
func (l *Log) addDetail(entry *auditEntry, detail map[string]any) error {
	if len(detail) == 0 {
		return nil
	}
	truncations := &truncations{}
	copied, err := copyParams(detail, "/detail", truncations)
	if err != nil {
		return fmt.Errorf("encode the detail: %w", err)
	}
	masked := redactContent(copied, "/detail", nil)
	redactor := &secretRedactor{masker: l.masker, truncations: truncations, originals: map[string]any{}}
	entry.Detail = redactor.value(copied, "/detail")
	entry.Masked = append(masked, redactor.masked...)
	entry.Detail = shorten(entry.Detail, "/detail", limits{textBytes: maxText}, truncations)
	truncations.dropRedacted(entry.Masked)
	entry.Truncated = truncations.toJSON()
	return nil
}

func (entry *auditEntry) replaceDetail(code, message string) {
	entry.Detail, entry.Masked, entry.Truncated = nil, nil, nil
	entry.Error = map[string]any{"code": code, "message": message}
}

// maxClip limits ids and other short texts, in bytes.
const maxClip = 1 << 10

// clip shortens a text that is longer than maxClip.
func clip(text string) string {
	if len(text) <= maxClip {
		return text
	}
	return prefix(text, maxClip) + omitted
}
