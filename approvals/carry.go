package approvals

import (
	"context"

	"gavel"
)

// recover finishes the work of a killed process: it adds the entries of stored answers that
// were not added. It also learns which ids are taken and which questions are open; those are
// listed to watchers, but not announced.
func (m *Manager) recover(ctx context.Context) error {
	if err := m.cfg.Store.Begin(ctx, m.cfg.Now()); err != nil {
		return err
	}
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	for _, a := range list {
		_, _ = m.prefixes.reserve(a.ID, false, m.cfg.Now()) // the id is not being chosen now, so it is not refused
		if a.State == gavel.ApprovalPending {
			m.hub.markAnnounced(a.ID)
		}
		if _, err := m.apply(ctx, clone(a), Resolution{By: a.ResolvedBy}); err != nil {
			m.log.Error("the effect of an answer was not applied", "approval", a.ID, "error", err)
		}
	}
	return m.Sweep(ctx)
}

// apply carries out an answer's lasting effect unless that was done: it adds the patterns of
// a permanent answer, or makes the agreed edit. It then marks the approval, so that nothing
// is done twice.
func (m *Manager) apply(ctx context.Context, a gavel.Approval, r Resolution) (gavel.Approval, error) {
	used := a.State == gavel.ApprovalConsumed && (a.Answer == gavel.AllowOnce || a.Answer == gavel.AllowAlways)
	if a.Applied || !permits(&a) && !used {
		return a, nil
	}
	switch {
	case a.Edit != nil:
		if err := m.makeEdit(ctx, &a, r); err != nil {
			return a, err
		}
	case a.Answer != gavel.AllowAlways || len(a.Terms.Offer) == 0 || m.cfg.Allowlist == nil:
		return a, nil
	default:
		if err := m.addOffer(ctx, &a, r); err != nil {
			return a, err
		}
	}
	return m.applied(ctx, a)
}

// addOffer adds what allow-always offered to the allowlist.
func (m *Manager) addOffer(ctx context.Context, a *gavel.Approval, r Resolution) error {
	entries := entriesOf(&a.Terms)
	before := m.allowlistSections(ctx, a.Request.Agent)
	if err := m.cfg.Allowlist.Allow(ctx, a.Request.Agent, entries); err != nil {
		return err
	}
	detail := map[string]any{"added": a.Terms.Offer, "before": before, "after": m.allowlistSections(ctx, a.Request.Agent)}
	if err := m.record(ctx, gavel.AuditAllowlistEdited, a, r, detail); err != nil {
		m.log.ErrorContext(ctx, "an entry that an answer added is missing from the decision log", "approval", a.ID, "error", err)
	}
	return nil
}

// applied marks an approval whose answer was carried out.
func (m *Manager) applied(ctx context.Context, a gavel.Approval) (gavel.Approval, error) {
	for range retries {
		a.Applied = true
		if a.Edit != nil {
			a.State, a.ConsumedAt = gavel.ApprovalConsumed, m.cfg.Now().UTC()
		}
		stored, err := m.cfg.Store.Swap(ctx, a, nil)
		if !isConflict(err) {
			return stored, err
		}
		if a, err = m.cfg.Store.Get(ctx, a.ID); err != nil {
			return a, err // already done
		}
	}
	return a, errBusy()
}
