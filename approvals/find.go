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

// Find returns the approval with this id, or the one whose id begins with it: at
// least 8 characters, in any case; a pending one before others. CodeApprovalAmbiguous lists the ids that
// begin so.
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
	found, ids := beginning(list, id, true)
	if len(found) == 0 {
		found, ids = beginning(list, id, false) // to say that it was answered already
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

// beginning are the approvals, pending or not, whose id begins so.
func beginning(list []gavel.Approval, id string, pending bool) (found []gavel.Approval, ids []string) {
	for _, a := range list {
		if (a.State == gavel.ApprovalPending) == pending && len(a.ID) >= len(id) && strings.EqualFold(a.ID[:len(id)], id) {
			found, ids = append(found, a), append(ids, a.ID)
		}
	}
	return found, ids
}

// Snapshot returns the approval with exactly this id as it is now, or
// CodeApprovalNotFound; answered and expired ones are kept for the grace.
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

// current is an approval as the clock makes it: one whose time is up is expired,
// whether somebody has written that down yet or not.
func (m *Manager) current(a gavel.Approval) gavel.Approval {
	if a.State == gavel.ApprovalPending && past(m.cfg.Now(), a.CreatedAt, a.ExpiresAt) {
		a = m.lapsed(a, gavel.ExpiredTimeout)
	}
	return a
}

// lapsed is an approval that nobody answered. The fallback of a policy that is no
// longer in force denies.
func (m *Manager) lapsed(a gavel.Approval, why string) gavel.Approval {
	a.State, a.Expired, a.ResolvedAt = gavel.ApprovalExpired, why, m.cfg.Now().UTC()
	if why == gavel.ExpiredRevoked {
		a.Fallback = gavel.Outcome{Effect: gavel.Deny, Reasons: []gavel.Reason{{Layer: "gavel", Code: gavel.CodeNoApprovals,
			Message: "the credential that asked was revoked", Fix: "ask with a credential that is valid"}}}
	}
	if m.cfg.Revision != nil && m.cfg.Revision() != a.Fallback.Revision && a.Fallback.Effect == gavel.Allow {
		a.Fallback.Effect, a.Fallback.Reasons = gavel.Deny, []gavel.Reason{{Layer: "gavel", Code: gavel.CodeNoApprovals,
			Message: "nobody answered, and the policy has changed in the meantime", Fix: "ask again"}}
	}
	return a
}

// Wait returns the approval with exactly this id once it is no longer pending, or
// an error when ctx ends first. It has no time limit of its own: the approval has
// (APPROVALS-4). A caller that lost its connection may wait again.
func (m *Manager) Wait(ctx context.Context, id string) (gavel.Approval, error) {
	for {
		a, err := m.waitOnce(ctx, id)
		if err != nil || a.State != gavel.ApprovalPending {
			return a, err
		}
	}
}

// waitOnce waits until there may be something new about an approval.
func (m *Manager) waitOnce(ctx context.Context, id string) (gavel.Approval, error) {
	changed, release := m.hub.wait(id) // before it is looked at: nothing falls between
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

// Expire ends a pending approval at once, as when its asker gave up. What is no
// longer pending stays as it is.
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
	return gavel.Approval{}, busy()
}

func (m *Manager) expire(ctx context.Context, a gavel.Approval, why string) (gavel.Approval, error) {
	stored, err := m.cfg.Store.Swap(ctx, m.lapsed(a, why), nil)
	if err == nil {
		m.tellLog(ctx, gavel.AuditApprovalExpired, &stored, Resolution{}, map[string]any{"why": why, "fallback": stored.Fallback.Effect.String()})
	}
	return stored, err
}

// Sweep expires what is past its time, withdraws what a revoked credential has asked, and forgets what is past its grace.
func (m *Manager) Sweep(ctx context.Context) error {
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	var failed []error
	revoked := m.revocations()
	for _, a := range list {
		err := rescue.Call(func() error { return m.age(ctx, a, m.cfg.Now(), revoked) }) // one keeps no other from it
		if err != nil && !isConflict(err) {
			failed = append(failed, fmt.Errorf("approval %s: %w", a.ID, err))
		}
	}
	return errors.Join(failed...)
}

func (m *Manager) age(ctx context.Context, a gavel.Approval, now time.Time, revoked func(*gavel.Approval) bool) error {
	switch {
	case a.State == gavel.ApprovalPending && past(now, a.CreatedAt, a.ExpiresAt):
		_, err := m.expire(ctx, clone(a), gavel.ExpiredTimeout)
		return err
	case a.State == gavel.ApprovalPending && revoked(&a):
		_, err := m.expire(ctx, clone(a), gavel.ExpiredRevoked)
		return err
	case a.State == gavel.ApprovalPending:
		return nil
	case past(now, a.ResolvedAt, due(&a)):
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
