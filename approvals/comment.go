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

// Comment returns the comments of a question's answers, sanitised, for an agent to read. If
// there are several, each begins with its author's name.
func Comment(a *gavel.Approval) string {
	var s Sanitiser
	var comments []string
	for i := range a.Votes {
		v := &a.Votes[i]
		if text := strings.TrimSpace(s.Text(v.Comment)); text != "" {
			name := v.By
			if v.Person != "" {
				name = v.Person
			}
			comments = append(comments, s.Field(name)+": "+text)
		}
	}
	if len(comments) == 1 {
		_, text, _ := strings.Cut(comments[0], ": ")
		return text
	}
	return strings.Join(comments, "; ")
}
