package approvals

import (
	"context"
	"slices"

	"gavel"
)

// owner is the credential that asked a question; only it may use the answer.
func owner(a *gavel.Approval) string {
	if len(a.Requesters) == 0 {
		return ""
	}
	return a.Requesters[0]
}

// AskedBy reports whether a credential asked a question or joined it. A new credential with
// the same name does not count.
func AskedBy(a *gavel.Approval, by gavel.Caller) bool {
	return a.Issue == by.Issue && slices.Contains(a.Requesters, by.Credential)
}

// samePending reports whether an open question is the same as a: about the same thing, by the
// same credential. For an allowlist edit the proposer does not matter, because nobody uses
// the answer.
func samePending(known, a *gavel.Approval) bool {
	return known.State == gavel.ApprovalPending && known.Binding == a.Binding &&
		(known.Edit != nil && a.Edit != nil || owner(known) == owner(a) && known.Issue == a.Issue)
}

// pendingOf finds the open question that is the same as a.
func pendingOf(list []gavel.Approval, a *gavel.Approval) (gavel.Approval, bool) {
	for i := range list {
		if samePending(&list[i], a) {
			return list[i], true
		}
	}
	return gavel.Approval{}, false
}

// askerSet is everyone who asks for the same thing, in any question. None of them may answer it.
type askerSet struct{ credentials, people []string }

func askersOf(list []gavel.Approval) askerSet {
	var s askerSet
	for i := range list {
		s.credentials = append(s.credentials, list[i].Requesters...)
		s.people = append(s.people, list[i].Askers...)
	}
	return s
}

// includes reports whether someone is one of them, by credential or by name.
func (s *askerSet) includes(credential, person string) bool {
	return slices.Contains(s.credentials, credential) || person != "" && slices.Contains(s.people, person)
}

// allAskers returns everyone who asks for the same thing as a, in any question.
func (m *Manager) allAskers(ctx context.Context, a *gavel.Approval) (askerSet, error) {
	known, err := m.cfg.Store.Bound(ctx, a.Binding)
	return askersOf(append(known, *a)), err
}
