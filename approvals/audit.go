package approvals

import (
	"context"

	"gavel"
)

// record writes an event of an approval to the decision log, before or after it happens. If
// it returns an error, the event is not recorded and must permit nothing.
func (m *Manager) record(ctx context.Context, kind string, a *gavel.Approval, r Resolution, detail map[string]any) error {
	if detail == nil {
		detail = map[string]any{}
	}
	detail["binding"], detail["requesters"] = a.Binding, a.Requesters
	if len(a.Askers) > 0 {
		detail["askers"] = a.Askers
	}
	agent := a.Request.Agent
	if a.Edit != nil {
		agent = agentsOf(a.Edit)
	}
	return m.write(ctx, gavel.AuditEvent{Kind: kind, By: r.By, From: r.From, Agent: agent, Approval: a.ID, Detail: detail})
}

func (m *Manager) write(ctx context.Context, event gavel.AuditEvent) error {
	if m.cfg.Audit == nil {
		return nil
	}
	event.Timestamp = m.cfg.Now().UTC()
	if err := m.cfg.Audit.Audit(context.WithoutCancel(ctx), event); err != nil {
		return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the decision log does not accept events of approvals",
			Fix: "see the server's log; is the disk full?", Err: err}
	}
	return nil
}

// recordOrLog records an event that permits nothing, and logs a failure.
func (m *Manager) recordOrLog(ctx context.Context, kind string, a *gavel.Approval, r Resolution, detail map[string]any) {
	if err := m.record(ctx, kind, a, r, detail); err != nil {
		m.log.ErrorContext(ctx, "an approval event is missing from the decision log", "kind", kind, "approval", a.ID, "error", err)
	}
}

// answerDetail returns the answer's part of the record.
func answerDetail(answer gavel.Answer, r Resolution) map[string]any {
	detail := map[string]any{"decision": string(answer)}
	if person := named(r.By, r.Person); person != "" {
		detail["person"] = person
	}
	if r.Comment != "" {
		detail["comment"] = r.Comment
	}
	return detail
}

// questionDetail returns the question's part of the record.
func questionDetail(a *gavel.Approval) map[string]any {
	detail := map[string]any{"tool": a.Request.Tool, "quorum": max(a.Terms.Quorum, 1), "expiresAt": a.ExpiresAt.UTC().Format("2006-01-02T15:04:05Z07:00")}
	for name, text := range map[string]string{"command": a.Request.Command, "params": a.Request.Params, "session": a.Request.Session} {
		if text != "" {
			detail[name] = text
		}
	}
	return detail
}
