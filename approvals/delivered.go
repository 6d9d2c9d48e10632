package approvals

import (
	"context"

	"gavel"
)

// MarkDelivered records that a target has accepted a question, so that a restart does not send it
// there again. It does nothing if the question is no longer pending.
func (m *Manager) MarkDelivered(ctx context.Context, id string, target gavel.Target) error {
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
			if a.Forward[i].Target == target && !a.Forward[i].Delivered {
				a.Forward[i].Delivered, changed = true, true
			}
		}
		if !changed || a.State != gavel.ApprovalPending {
			return nil
		}
		if _, err = m.cfg.Store.Swap(ctx, a, nil); !isConflict(err) {
			return err
		}
	}
	return errBusy()
}
