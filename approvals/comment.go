package approvals

import (
	"context"
	"strings"

	"gavel"
)

// Answered implements gavel.Commenter.
func (m *Manager) Answered(ctx context.Context, id string, q gavel.Question) (gavel.Pending, bool) {
	a, err := m.cfg.Store.Get(ctx, id)
	if err != nil || a.Answer == "" || owner(&a) != q.Caller || a.Issue != q.Issue {
		return gavel.Pending{}, false
	}
	return gavel.Pending{ID: a.ID, ExpiresAt: a.ExpiresAt, Comment: Comment(&a)}, true
}

// Comment is what people said with their answers, sanitised, for an agent to read. Where more
// than one said something, it is told who said what.
func Comment(a *gavel.Approval) string {
	var s Shower
	var said []string
	for i := range a.Votes {
		v := &a.Votes[i]
		if text := strings.TrimSpace(s.Text(v.Comment)); text != "" {
			who := v.By
			if v.Person != "" {
				who = v.Person
			}
			said = append(said, s.Field(who)+": "+text)
		}
	}
	if len(said) == 1 {
		_, text, _ := strings.Cut(said[0], ": ")
		return text
	}
	return strings.Join(said, "; ")
}
