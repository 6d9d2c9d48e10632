package approvals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"gavel"
)

// Resolution is a person's answer on its way to an approval.
type Resolution struct {
	ID      string // whole, or at least 8 characters of its beginning
	Answer  string // allow-once, allow-always, deny; approve means allow-once
	By      string // the credential that answers
	Comment string
}

// ParseAnswer reads an answer, or CodeInvalidAnswer.
func ParseAnswer(text string) (gavel.Answer, error) {
	switch text {
	case "approve", string(gavel.AllowOnce):
		return gavel.AllowOnce, nil
	case string(gavel.AllowAlways):
		return gavel.AllowAlways, nil
	case string(gavel.DenyAnswer):
		return gavel.DenyAnswer, nil
	}
	return "", &gavel.ApprovalError{Code: gavel.CodeInvalidAnswer, Message: "invalid decision", Fix: "use allow-once, allow-always or deny"}
}

// Resolve records a person's answer and returns the approval as it then is: still
// pending while more people must agree. Codes: CodeInvalidAnswer, CodeCommentTooLong,
// CodeApprovalIDTooShort, CodeApprovalAmbiguous, CodeApprovalNotFound,
// CodeSelfApproval, CodeNotApprover, CodeAnswerUnavailable, CodeApprovalVoted,
// CodeApprovalResolved, CodeApprovalConsumed and CodeApprovalExpired.
func (m *Manager) Resolve(ctx context.Context, r Resolution) (gavel.Approval, error) {
	answer, err := ParseAnswer(r.Answer)
	if err != nil {
		return gavel.Approval{}, err
	}
	if utf8.RuneCountInString(r.Comment) > maxComment {
		return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeCommentTooLong,
			Message: fmt.Sprintf("the comment is longer than %d characters", maxComment), Fix: "shorten it"}
	}
	for range retries {
		a, err := m.Find(ctx, r.ID)
		if err != nil {
			return gavel.Approval{}, err
		}
		r.ID = a.ID // the answer is to this one, whatever else begins like it when it is read again
		if err := m.mayAnswer(&a, answer, r.By); err != nil {
			return gavel.Approval{}, err
		}
		stored, err := m.vote(ctx, a, answer, r)
		if isConflict(err) {
			continue // read again: somebody may have answered
		}
		if err != nil {
			return gavel.Approval{}, err
		}
		if err := m.apply(ctx, stored); err != nil {
			m.log.ErrorContext(ctx, "patterns of an approval were not added", "approval", a.ID, "error", err)
			return stored, fmt.Errorf("the answer counts, and its patterns were not added to the allowlist: %w", err)
		}
		return stored, nil
	}
	return gavel.Approval{}, busy()
}

// mayAnswer says why this person cannot answer this now. Who they are comes first:
// nobody learns the state of what they have no say in.
func (m *Manager) mayAnswer(a *gavel.Approval, answer gavel.Answer, by string) error {
	switch {
	case slices.Contains(a.Requesters, by):
		return &gavel.ApprovalError{Code: gavel.CodeSelfApproval, Message: "who asked cannot answer",
			Fix: "have somebody else answer, with a credential of their own"}
	case len(a.Terms.Approvers) > 0 && !slices.Contains(a.Terms.Approvers, Person(by)):
		return &gavel.ApprovalError{Code: gavel.CodeNotApprover, Message: "only some operators may answer this one",
			Fix: "have one of the approvers of this agent answer"}
	}
	if err := m.open(a); err != nil {
		return err
	}
	switch {
	case answer != gavel.DenyAnswer && !slices.Contains(a.Terms.Answers, answer):
		return &gavel.ApprovalError{Code: gavel.CodeAnswerUnavailable, Message: string(answer) + " is unavailable for this call",
			Fix: "use one of " + join(a.Terms.Answers)}
	case slices.ContainsFunc(a.Votes, func(v gavel.Vote) bool { return v.By == by }):
		return &gavel.ApprovalError{Code: gavel.CodeApprovalVoted, Message: "you have answered this one; another person must agree",
			Fix: "have somebody else answer"}
	}
	return nil
}

// open says why nobody can answer an approval any more; nil when somebody can.
func (m *Manager) open(a *gavel.Approval) error {
	switch {
	case a.State == gavel.ApprovalResolved:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalResolved, Message: "somebody has answered already: " + string(a.Answer), Fix: "nothing to do"}
	case a.State == gavel.ApprovalConsumed:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed, Message: "the call has run already", Fix: "nothing to do"}
	case a.State == gavel.ApprovalPending && !past(m.cfg.Now(), a.CreatedAt, a.ExpiresAt):
		return nil
	}
	return &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: "the approval has expired", Fix: "have the agent ask again"}
}

// vote adds an answer, and resolves the approval when it decides: the first deny
// does, and as many permits as the quorum asks for. Of several permits the least
// lasting counts.
func (m *Manager) vote(ctx context.Context, a gavel.Approval, answer gavel.Answer, r Resolution) (gavel.Approval, error) {
	now := m.cfg.Now().UTC()
	a.Votes = append(a.Votes, gavel.Vote{By: r.By, Answer: answer, Comment: r.Comment, At: now})
	agreed := 0
	for _, v := range a.Votes {
		if v.Answer == gavel.AllowOnce && answer == gavel.AllowAlways {
			answer = gavel.AllowOnce
		}
		if !slices.Contains(a.Requesters, v.By) { // somebody may have joined since
			agreed++
		}
	}
	if answer != gavel.DenyAnswer && agreed < a.Terms.Quorum {
		return m.cfg.Store.Swap(ctx, a, nil)
	}
	a.State, a.Answer, a.ResolvedAt, a.ResolvedBy, a.Comment = gavel.ApprovalResolved, answer, now, r.By, r.Comment
	if answer == gavel.DenyAnswer {
		return m.cfg.Store.Swap(ctx, a, nil)
	}
	return m.cfg.Store.Swap(ctx, a, &Memory{Command: a.Command, Answer: answer, By: r.By, At: now})
}

// Consume implements gavel.Approvals. An answer for good is used up as well: what
// it permits from now on stands in the allowlist and in the history.
func (m *Manager) Consume(ctx context.Context, id, binding string) (gavel.Approval, *gavel.Grant, error) {
	a, err := m.cfg.Store.Get(ctx, id)
	if err != nil {
		return gavel.Approval{}, nil, err
	}
	now := m.cfg.Now().UTC()
	permits := a.Answer == gavel.AllowOnce || a.Answer == gavel.AllowAlways
	switch {
	case a.State == gavel.ApprovalConsumed:
		return gavel.Approval{}, nil, consumed()
	case a.Binding != binding:
		return gavel.Approval{}, nil, &gavel.ApprovalError{Code: gavel.CodeGrantMismatch, Message: "the approval covers another call", Fix: "ask again"}
	case a.State != gavel.ApprovalResolved || !permits || !usable(&a, now):
		return gavel.Approval{}, nil, &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: "the answer may no longer be used", Fix: "ask again"}
	}
	a.State, a.ConsumedAt = gavel.ApprovalConsumed, now
	stored, err := m.cfg.Store.Swap(ctx, a, nil)
	if isConflict(err) {
		return gavel.Approval{}, nil, consumed() // nothing else changes an answered one
	}
	if err != nil || m.cfg.Grants == nil {
		return stored, nil, err
	}
	grant, err := m.cfg.Grants.Sign(stored, now)
	if err != nil {
		return stored, nil, &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the grant could not be signed", Fix: "see the server's log", Err: err}
	}
	return stored, grant, nil
}

func consumed() *gavel.ApprovalError {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed, Message: "the answer was used already", Fix: "ask again"}
}

// Person is the name of an operator's credential: alice for approve:alice, and the
// credential itself where it has no name.
func Person(credential string) string {
	if _, name, named := strings.Cut(credential, ":"); named && strings.HasPrefix(credential, "approve:") {
		return name
	}
	return credential
}

func join(answers []gavel.Answer) string {
	texts := make([]string, len(answers))
	for i, answer := range answers {
		texts[i] = string(answer)
	}
	return strings.Join(texts, ", ")
}

func isConflict(err error) bool {
	var known *gavel.ApprovalError
	return errors.As(err, &known) && known.Code == gavel.CodeApprovalConflict
}
