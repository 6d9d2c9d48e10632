package approvals

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gavel"
	"gavel/internal/rescue"
)

// Find returns the approval with this id, or the one whose id begins with it: at least 8
// characters, in any case; pending approvals first. CodeApprovalAmbiguous lists the matching
// ids.
func (m *Manager) Find(ctx context.Context, id string) (gavel.Approval, error) {
	id = strings.TrimSpace(id)
	a, err := m.cfg.Store.Get(ctx, id)
	if err == nil || codeOf(err) != gavel.CodeApprovalNotFound {
		return m.current(a), err
	}
	if len(id) < minPrefix {
		return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeApprovalIDTooShort,
			Message: fmt.Sprintf("%d characters are too few to identify an approval", len(id)), Fix: fmt.Sprintf("give %d or more", minPrefix)}
	}
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return gavel.Approval{}, err
	}
	found, ids := withPrefix(list, id, true)
	if len(found) == 0 {
		found, ids = withPrefix(list, id, false) // so that the error says it was already answered
	}
	switch len(found) {
	case 0:
		return gavel.Approval{}, NotFound()
	case 1:
		return m.current(clone(found[0])), nil
	}
	return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeApprovalAmbiguous,
		Message: "several ids begin with this: " + strings.Join(ids, ", "), Fix: "use the full id", Details: ids}
}

// withPrefix returns the approvals whose ids begin with id, ignoring case, and those ids. It
// considers either the pending approvals or all others.
func withPrefix(list []gavel.Approval, id string, pending bool) (found []gavel.Approval, ids []string) {
	for _, a := range list {
		if (a.State == gavel.ApprovalPending) == pending && len(a.ID) >= len(id) && strings.EqualFold(a.ID[:len(id)], id) {
			found, ids = append(found, a), append(ids, a.ID)
		}
	}
	return found, ids
}

// Snapshot returns the approval with exactly this id, or CodeApprovalNotFound. Answered and
// expired approvals are kept for the grace period.
func (m *Manager) Snapshot(ctx context.Context, id string) (gavel.Approval, error) {
	a, err := m.cfg.Store.Get(ctx, id)
	return m.current(a), err
}

// List returns the approvals that are open, oldest first.
func (m *Manager) List(ctx context.Context) ([]gavel.Approval, error) {
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return nil, err
	}
	open := []gavel.Approval{}
	for _, a := range list {
		if a = m.current(a); a.State == gavel.ApprovalPending {
			open = append(open, a)
		}
	}
	return open, nil
}

// current returns the state of an approval now. An overdue one is returned as expired, even if
// the store does not say so yet.
func (m *Manager) current(a gavel.Approval) gavel.Approval {
	if a.State == gavel.ApprovalPending && past(m.cfg.Now(), a.CreatedAt, a.ExpiresAt) {
		a = m.asExpired(a, gavel.ExpiredTimeout)
	}
	return a
}

// asExpired returns a copy of an unanswered approval in the state expired. If its policy is no
// longer in force, its fallback denies.
func (m *Manager) asExpired(a gavel.Approval, why string) gavel.Approval {
	a.State, a.Expired, a.ResolvedAt = gavel.ApprovalExpired, why, m.cfg.Now().UTC()
	if why == gavel.ExpiredRevoked {
		a.Fallback = gavel.Outcome{Effect: gavel.Deny, Reasons: []gavel.Reason{{Layer: "gavel", Code: gavel.CodeNoApprovals,
			Message: "the credential that asked was revoked", Fix: "ask with a credential that is valid"}}}
	}
	if p := m.paused(&a); p.State != "" && (a.Fallback.Effect == gavel.Allow || why == gavel.ExpiredPaused) {
		a.Fallback = gavel.Outcome{Effect: gavel.Deny, Reasons: []gavel.Reason{{Layer: "gavel", Code: gavel.CodeNoApprovals,
			Message: describePause(p), Fix: "ask again when it is resumed"}}}
	}
	if m.cfg.Revision != nil && m.cfg.Revision() != a.Fallback.Revision && a.Fallback.Effect == gavel.Allow {
		a.Fallback.Effect, a.Fallback.Reasons = gavel.Deny, []gavel.Reason{{Layer: "gavel", Code: gavel.CodeNoApprovals,
			Message: "nobody answered, and the policy has changed in the meantime", Fix: "ask again"}}
	}
	return a
}

// Wait returns the approval with exactly this id once it is no longer pending, or an error
// when ctx ends first. It has no timeout of its own, because the approval has one
// (APPROVALS-4). A caller that lost its connection may wait again.
func (m *Manager) Wait(ctx context.Context, id string) (gavel.Approval, error) {
	for {
		a, err := m.waitOnce(ctx, id)
		if err != nil || a.State != gavel.ApprovalPending {
			return a, err
		}
	}
}

// waitOnce waits until an approval may have changed.
func (m *Manager) waitOnce(ctx context.Context, id string) (gavel.Approval, error) {
	changed, release := m.hub.wait(id) // before looking at it, so that nothing is missed
	defer release()
	a, err := m.Snapshot(ctx, id)
	if err != nil || a.State != gavel.ApprovalPending {
		return a, err
	}
	select {
	case <-ctx.Done():
		return a, ctx.Err()
	case <-changed:
	}
	if m.hub.isClosed() {
		return a, &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "Gavel is stopping", Fix: "wait again when it is running again"}
	}
	return a, nil
}

// Expire ends a pending approval at once, for example when its asker gave up. Other approvals
// stay unchanged.
func (m *Manager) Expire(ctx context.Context, id, why string) (gavel.Approval, error) {
	for range retries {
		a, err := m.cfg.Store.Get(ctx, id)
		if err != nil || a.State != gavel.ApprovalPending {
			return a, err
		}
		stored, err := m.expire(ctx, a, why)
		if !isConflict(err) {
			return stored, err
		}
	}
	return gavel.Approval{}, errBusy()
}

func (m *Manager) expire(ctx context.Context, a gavel.Approval, why string) (gavel.Approval, error) {
	stored, err := m.cfg.Store.Swap(ctx, m.asExpired(a, why), nil)
	if err == nil {
		m.recordOrLog(ctx, gavel.AuditApprovalExpired, &stored, Resolution{}, map[string]any{"why": why, "fallback": stored.Fallback.Effect.String()})
	}
	return stored, err
}

// Sweep expires overdue approvals, withdraws the questions of revoked credentials and paused
// agents, and forgets approvals after the grace period.
func (m *Manager) Sweep(ctx context.Context) error {
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	var failed []error
	gone := withdrawn{m.revokedCached(), m.pausedCached()}
	for _, a := range list {
		err := rescue.Call(func() error { return m.sweepOne(ctx, a, m.cfg.Now(), gone) }) // a failure does not affect the others
		if err != nil && !isConflict(err) {
			failed = append(failed, fmt.Errorf("approval %s: %w", a.ID, err))
		}
	}
	return errors.Join(failed...)
}

// withdrawn reports whether the credential that asked a question was revoked, or its agent
// paused.
type withdrawn struct{ revoked, paused func(*gavel.Approval) bool }

// sweepOne expires or withdraws a pending approval, and forgets one after the grace period.
func (m *Manager) sweepOne(ctx context.Context, a gavel.Approval, now time.Time, gone withdrawn) error {
	switch {
	case a.State == gavel.ApprovalPending && past(now, a.CreatedAt, a.ExpiresAt):
		_, err := m.expire(ctx, clone(a), gavel.ExpiredTimeout)
		return err
	case a.State == gavel.ApprovalPending && gone.revoked(&a):
		_, err := m.expire(ctx, clone(a), gavel.ExpiredRevoked)
		return err
	case a.State == gavel.ApprovalPending && gone.paused(&a):
		_, err := m.expire(ctx, clone(a), gavel.ExpiredPaused)
		return err
	case a.State == gavel.ApprovalPending:
		return nil
	case past(now, a.ResolvedAt, due(&a)):
		m.calls.forget(a.ID)
		return m.cfg.Store.Forget(ctx, a.ID, a.Version)
	}
	return nil
}

func codeOf(err error) string {
	var known *gavel.ApprovalError
	if errors.As(err, &known) {
		return known.Code
	}
	return ""
}
