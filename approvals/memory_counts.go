package approvals

import (
	"context"
	"time"

	"gavel"
)

// count updates the counters for a record that becomes pending or stops being pending.
func (s *InMemory) count(a *gavel.Approval, n int) {
	if n > 0 {
		s.sizes[a.ID] = sizeOf(a)
	}
	s.bytes += int64(n) * s.sizes[a.ID]
	if n < 0 {
		delete(s.sizes, a.ID)
	}
	for _, key := range shares(a) {
		if s.shares[key] += n; s.shares[key] == 0 {
			delete(s.shares, key)
		}
	}
}

// Pending implements Store.
func (s *InMemory) Pending(context.Context) (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.sizes), nil
}

// Load implements Store.
func (s *InMemory) Load(_ context.Context, of *gavel.Approval) (Load, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	keys := shares(of)
	return Load{Bytes: s.bytes, OfCaller: s.shares[keys[0]], OfAgent: s.shares[keys[1]], OfSession: s.shares[keys[2]]}, nil
}

// Redeem implements Store.
func (s *InMemory) Redeem(_ context.Context, key string, now, until time.Time) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	step := change{redeem: key, until: until.UTC()}
	s.mu.RLock()
	_, used := s.redeemed[key]
	used = used || !until.After(s.cutoff)
	step.cutoff = s.cutoff
	for known, end := range s.redeemed {
		if end.Before(now) {
			step.expired = append(step.expired, known)
			if end.After(step.cutoff) {
				step.cutoff = end
			}
		}
	}
	s.mu.RUnlock()
	if used {
		return &gavel.ApprovalError{Code: gavel.CodeGrantUsed, Message: "the grant has already been used", Fix: "ask again; a grant covers one call"}
	}
	if err := s.persist(step); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range step.expired {
		delete(s.redeemed, key)
	}
	s.redeemed[key], s.cutoff = step.until, step.cutoff
	return nil
}
