package approvals

import (
	"slices"

	"gavel"
)

// validVotes returns the votes of credentials that are still valid. A stolen token therefore
// votes only until it is revoked, and its owner may vote again with another one.
func (m *Manager) validVotes(votes []gavel.Vote) []gavel.Vote {
	if m.cfg.CredentialValid == nil {
		return votes
	}
	return slices.DeleteFunc(slices.Clone(votes), func(v gavel.Vote) bool { return !m.cfg.CredentialValid(v.By, v.Issue) })
}

// revoked reports whether the credential that asked a question is no longer valid.
func (m *Manager) revoked(a *gavel.Approval) bool {
	return m.cfg.CredentialValid != nil && !m.cfg.CredentialValid(owner(a), a.Issue)
}

// revokedCached returns a function that does the same as revoked, and checks each credential
// once.
func (m *Manager) revokedCached() func(*gavel.Approval) bool {
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
