package approvals

import (
	"context"

	"gavel"
)

// Told records that a target has accepted a question, so that it is not sent there again
// after a restart. Nothing is recorded for a question that is no longer pending.
func (m *Manager) Told(ctx context.Context, id string, target gavel.Target) error {
	for range retries {
		a, err := m.cfg.Store.Get(ctx, id)
		if codeOf(err) == gavel.CodeApprovalNotFound {
			return nil
		}
		if err != nil {
			return err
		}
		changed := false
		for i := range a.Forward {
			if a.Forward[i].Target == target && !a.Forward[i].Told {
				a.Forward[i].Told, changed = true, true
			}
		}
		if !changed || a.State != gavel.ApprovalPending {
			return nil
		}
		if _, err = m.cfg.Store.Swap(ctx, a, nil); !isConflict(err) {
			return err
		}
	}
	return busy()
}
