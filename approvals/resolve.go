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

// Resolution is a person's answer to an approval.
type Resolution struct {
	ID      string // whole, or a prefix of at least 8 characters
	Answer  string // allow-once, allow-always, deny; approve means allow-once
	By      string // the answering credential
	Person  string // the person it belongs to; "" for a shared one
	Issue   string // distinguishes it from another credential of the same name
	From    string // where the answer came from, for the log
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

// Resolve records a person's answer and returns the updated approval, which is still pending
// if more people must agree. Codes: CodeInvalidAnswer, CodeCommentTooLong,
// CodeApprovalIDTooShort, CodeApprovalAmbiguous, CodeApprovalNotFound, CodeSelfApproval,
// CodeNotApprover, CodePersonRequired, CodeAnswerUnavailable, CodeApprovalVoted,
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
		r.ID = a.ID // a retry must not pick a newer approval whose id has the same prefix
		a.Votes = m.validVotes(a.Votes)
		stored, err := m.answer(ctx, a, answer, r)
		if isConflict(err) {
			continue // someone may have answered in the meantime: read it again
		}
		if err != nil {
			return gavel.Approval{}, err
		}
		return m.carryOut(ctx, stored, r)
	}
	return gavel.Approval{}, errBusy()
}

// answer adds one person's answer, if that person is allowed to answer.
func (m *Manager) answer(ctx context.Context, a gavel.Approval, answer gavel.Answer, r Resolution) (gavel.Approval, error) {
	terms, err := m.termsOf(ctx, &a)
	if err != nil {
		return gavel.Approval{}, err
	}
	who, err := m.allAskers(ctx, &a)
	if err != nil {
		return gavel.Approval{}, err
	}
	if err := m.mayAnswer(&a, &terms, &who, answer, r); err != nil {
		return gavel.Approval{}, err
	}
	if a.Edit != nil && answer != gavel.DenyAnswer {
		if err := m.checkDisinterested(ctx, r.By, r.Person, a.Edit.Admits, a.Edit.Settings); err != nil {
			return gavel.Approval{}, err
		}
	}
	return m.vote(ctx, a, &terms, &who, answer, r)
}

// carryOut carries out an answer's lasting effect: it adds patterns, or edits the list. The
// answer counts even if that fails.
func (m *Manager) carryOut(ctx context.Context, a gavel.Approval, r Resolution) (gavel.Approval, error) {
	done, err := m.apply(ctx, a, r)
	if err == nil {
		return done, nil
	}
	m.log.ErrorContext(ctx, "the effect of an answer was not applied", "approval", a.ID, "error", err)
	if a.Edit != nil {
		return a, fmt.Errorf("the answer counts, but the edit was not made: %w", err)
	}
	return a, fmt.Errorf("the answer counts, but its patterns were not added to the allowlist: %w", err)
}

// mayAnswer returns an error if this person cannot give this answer now. The person is checked
// first, so that outsiders do not learn the state of a question.
func (m *Manager) mayAnswer(a *gavel.Approval, terms *gavel.Terms, who *askerSet, answer gavel.Answer, r Resolution) error {
	person := named(r.By, r.Person)
	switch {
	case who.includes(r.By, person):
		return errSelfApproval()
	case !approver(terms, r.By, r.Person):
		return errNotApprover()
	case answer != gavel.DenyAnswer && person == "" && len(who.people) > 0:
		return errPersonAsked()
	}
	if err := m.checkOpen(a); err != nil {
		return err
	}
	switch {
	case answer != gavel.DenyAnswer && !slices.Contains(terms.Answers, answer):
		return &gavel.ApprovalError{Code: gavel.CodeAnswerUnavailable, Message: string(answer) + " is unavailable for this call",
			Fix: "use one of " + join(terms.Answers) + "; after a change of the policy, have the agent ask again"}
	case slices.ContainsFunc(a.Votes, func(v gavel.Vote) bool { return sameVoter(&v, r.By, person) }):
		return &gavel.ApprovalError{Code: gavel.CodeApprovalVoted, Message: "you have already answered this; another person must agree",
			Fix: "have someone else answer"}
	case answer != gavel.DenyAnswer && terms.Quorum > 1 && person == "":
		return errPersonRequired(quorumOf(terms) + " must agree, and this credential does not belong to a named person")
	}
	return nil
}

func errPersonAsked() error {
	return errPersonRequired("a person asked for this, and this credential is not known to be another person's")
}

func errPersonRequired(why string) error {
	return &gavel.ApprovalError{Code: gavel.CodePersonRequired, Message: why, Fix: "answer with your own token, such as tokens/approve.<name>.token"}
}

// sameVoter reports whether this voter cast the vote. People are compared by name, because a
// gateway may pass on the answers of several people; shared credentials are compared as such.
func sameVoter(v *gavel.Vote, credential, person string) bool {
	if before := personOf(v); before != "" && person != "" {
		return before == person
	}
	return v.By == credential
}

func errSelfApproval() error {
	return &gavel.ApprovalError{Code: gavel.CodeSelfApproval, Message: "the credential that asked cannot answer",
		Fix: "have someone else answer, with their own credential"}
}

func errNotApprover() error {
	return &gavel.ApprovalError{Code: gavel.CodeNotApprover, Message: "only some operators may answer this one",
		Fix: "have one of the approvers of this agent answer"}
}

// checkOpen returns an error if an approval can no longer be answered.
func (m *Manager) checkOpen(a *gavel.Approval) error {
	switch {
	case a.State == gavel.ApprovalResolved:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalResolved, Message: "this was already answered: " + string(a.Answer), Fix: "nothing to do"}
	case a.State == gavel.ApprovalConsumed:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed, Message: "the call has already run", Fix: "nothing to do"}
	case a.State == gavel.ApprovalPending && m.revoked(a):
		return &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: "the credential that asked was revoked", Fix: "nothing to do"}
	}
	if p := m.paused(a); a.State == gavel.ApprovalPending && p.State != "" {
		return &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: describePause(p) + ", and nobody answers its questions", Fix: "resume it, and have it ask again"}
	}
	if a.State == gavel.ApprovalPending && !past(m.cfg.Now(), a.CreatedAt, a.ExpiresAt) {
		return nil
	}
	return &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: "the approval has expired", Fix: "have the agent ask again"}
}

// vote adds an answer, and resolves the approval when it is decisive: the first deny, or as
// many approvals as the quorum requires. Of several approvals the least permanent counts. An
// answer that cannot be recorded permits nothing.
func (m *Manager) vote(ctx context.Context, a gavel.Approval, terms *gavel.Terms, who *askerSet, answer gavel.Answer, r Resolution) (gavel.Approval, error) {
	now := m.cfg.Now().UTC()
	a.Votes = append(a.Votes, gavel.Vote{By: r.By, Person: r.Person, Issue: r.Issue, Answer: answer, Comment: r.Comment, At: now})
	a.Terms.Quorum, a.Terms.Approvers, a.Terms.Answers = terms.Quorum, terms.Approvers, terms.Answers
	count, least := countVotes(&a, terms, who)
	if answer != gavel.DenyAnswer && count < terms.Quorum {
		if err := m.record(ctx, gavel.AuditApprovalVoted, &a, r, answerDetail(answer, r)); err != nil {
			return gavel.Approval{}, err
		}
		return m.cfg.Store.Swap(ctx, a, nil)
	}
	if answer != gavel.DenyAnswer {
		answer = least
	}
	if err := m.checkUpToDate(ctx, &a, answer); err != nil {
		return gavel.Approval{}, err
	}
	a.State, a.Answer, a.ResolvedAt, a.ResolvedBy, a.Comment = gavel.ApprovalResolved, answer, now, r.By, r.Comment
	if answer == gavel.DenyAnswer {
		m.recordOrLog(ctx, gavel.AuditApprovalResolved, &a, r, answerDetail(answer, r))
		return m.cfg.Store.Swap(ctx, a, nil)
	}
	if err := m.record(ctx, gavel.AuditApprovalResolved, &a, r, answerDetail(answer, r)); err != nil {
		return gavel.Approval{}, err
	}
	if a.Edit != nil {
		return m.cfg.Store.Swap(ctx, a, nil)
	}
	return m.cfg.Store.Swap(ctx, a, &Memory{Command: a.Command, Answer: answer, By: r.By, At: now})
}

// Consume implements gavel.Approvals. A permanent answer is used up as well; its lasting
// effect is in the allowlist and the history. A use that cannot be recorded permits nothing.
func (m *Manager) Consume(ctx context.Context, id, binding string, exec *gavel.Exec) (gavel.Approval, *gavel.Grant, error) {
	stored, err := m.consume(ctx, id, binding)
	if err != nil {
		return gavel.Approval{}, nil, err
	}
	if err := m.record(ctx, gavel.AuditApprovalConsumed, &stored, Resolution{}, nil); err != nil {
		return gavel.Approval{}, nil, err
	}
	if m.cfg.Grants == nil {
		return stored, nil, nil
	}
	grant, err := m.cfg.Grants.Sign(stored, exec, stored.ConsumedAt)
	if err != nil {
		return stored, nil, &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the grant could not be signed", Fix: "see the server's log", Err: err}
	}
	return stored, grant, nil
}

func (m *Manager) consume(ctx context.Context, id, binding string) (gavel.Approval, error) {
	for range retries {
		a, err := m.cfg.Store.Get(ctx, id)
		if err != nil {
			return gavel.Approval{}, err
		}
		now := m.cfg.Now().UTC()
		switch {
		case a.State == gavel.ApprovalConsumed:
			return gavel.Approval{}, errConsumed()
		case a.Binding != binding:
			return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeGrantMismatch, Message: "the approval covers a different call", Fix: "ask again"}
		case !permits(&a) || a.Edit != nil || !usable(&a, now):
			return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeApprovalExpired, Message: "the answer can no longer be used", Fix: "ask again"}
		}
		a.State, a.ConsumedAt = gavel.ApprovalConsumed, now
		stored, err := m.cfg.Store.Swap(ctx, a, nil)
		if !isConflict(err) { // otherwise it was used, or its entries were added, in the meantime
			return stored, err
		}
	}
	return gavel.Approval{}, errBusy()
}

func errConsumed() *gavel.ApprovalError {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalConsumed, Message: "the answer has already been used", Fix: "ask again"}
}

// Person is the name in an operator's credential: alice for approve:alice, or the credential
// itself if it has no name.
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
