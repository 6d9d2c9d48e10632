package gavel

import (
	"context"
	"slices"
)

// LayerElevated is the layer that says who may let commands leave the sandbox.
const LayerElevated = "elevated"

// RefusesElevation reports whether the decision denies, among other things, that a command
// leaves the sandbox.
func (d *Decision) RefusesElevation() bool {
	return d.Effect == Deny && slices.ContainsFunc(d.Reasons, func(r Reason) bool { return r.Layer == LayerElevated })
}

// noteElevation records a refused request to leave the sandbox as an audit event, in addition to the
// decision. An error means that it is not recorded.
func (p *PDP) noteElevation(ctx context.Context, event *Event) error {
	if p.Audit == nil || !event.Decision.RefusesElevation() {
		return nil
	}
	sender := &event.Facts.Sender
	detail := map[string]any{"decision": event.Decision.ID, "tool": event.Facts.Tool.Name}
	gates := []any{}
	for _, r := range event.Decision.Reasons {
		if r.Layer == LayerElevated {
			gates = append(gates, map[string]any{"code": r.Code, "path": r.Source.Path})
		}
	}
	detail["gates"] = gates
	for name, text := range map[string]string{"session": event.Facts.Session.Key, "channel": sender.Channel, "sender": sender.ID} {
		if text != "" {
			detail[name] = text
		}
	}
	return p.Audit.Audit(ctx, AuditEvent{Kind: AuditElevationRefused, Timestamp: event.Timestamp.UTC(), By: event.Caller, From: event.RequestedBy,
		Agent: event.Facts.Agent.ID, Detail: detail})
}
