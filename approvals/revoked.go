package approvals

import (
	"slices"

	"gavel"
)

// counting returns the votes of credentials that are still valid. Whoever steals a token votes
// with it only until it is revoked; the person may vote again with another one.
func (m *Manager) counting(votes []gavel.Vote) []gavel.Vote {
	if m.cfg.Holds == nil {
		return votes
	}
	return slices.DeleteFunc(slices.Clone(votes), func(v gavel.Vote) bool { return !m.cfg.Holds(v.By, v.Issue) })
}

// revoked reports whether the credential that asked a question is no longer valid.
func (m *Manager) revoked(a *gavel.Approval) bool {
	return m.cfg.Holds != nil && !m.cfg.Holds(owner(a), a.Issue)
}

// revocations is revoked for many questions; it checks each credential once.
func (m *Manager) revocations() func(*gavel.Approval) bool {
	type credential struct{ name, issue string }
	known := map[credential]bool{}
	return func(a *gavel.Approval) bool {
		who := credential{owner(a), a.Issue}
		gone, ok := known[who]
		if !ok {
			gone = m.revoked(a)
			known[who] = gone
		}
		return gone
	}
}
