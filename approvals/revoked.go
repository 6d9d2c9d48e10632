package approvals

import "gavel"

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
