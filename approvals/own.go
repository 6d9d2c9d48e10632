package approvals

import (
	"context"
	"slices"

	"gavel"
)

// owner is the credential that asked a question, and that alone may use the answer.
func owner(a *gavel.Approval) string {
	if len(a.Requesters) == 0 {
		return ""
	}
	return a.Requesters[0]
}

// AskedBy reports whether a credential put a question, or joined it. One that has taken the name
// of another is not that one.
func AskedBy(a *gavel.Approval, by gavel.Caller) bool {
	return a.Issue == by.Issue && slices.Contains(a.Requesters, by.Credential)
}

// samePending reports whether a question is open that is a itself: about the same
// thing, by the same credential. An edit of a list is the same whoever proposes it,
// since nobody uses the answer.
func samePending(known, a *gavel.Approval) bool {
	return known.State == gavel.ApprovalPending && known.Binding == a.Binding &&
		(known.Edit != nil && a.Edit != nil || owner(known) == owner(a) && known.Issue == a.Issue)
}

// pendingOf finds the open question that is a itself.
func pendingOf(list []gavel.Approval, a *gavel.Approval) (gavel.Approval, bool) {
	for i := range list {
		if samePending(&list[i], a) {
			return list[i], true
		}
	}
	return gavel.Approval{}, false
}

// asking are those who ask for one thing, by whichever question. None of them has a say
// in it.
type asking struct{ credentials, people []string }

func askingFor(list []gavel.Approval) asking {
	var s asking
	for i := range list {
		s.credentials = append(s.credentials, list[i].Requesters...)
		s.people = append(s.people, list[i].Askers...)
	}
	return s
}

// includes reports whether somebody is one of them, by credential or by name.
func (s *asking) includes(credential, person string) bool {
	return slices.Contains(s.credentials, credential) || person != "" && slices.Contains(s.people, person)
}

// whoAsks are those who ask for what a question is about.
func (m *Manager) whoAsks(ctx context.Context, a *gavel.Approval) (asking, error) {
	known, err := m.cfg.Store.Bound(ctx, a.Binding)
	return askingFor(append(known, *a)), err
}
