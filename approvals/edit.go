package approvals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel"
)

// editLife is how long an edit stays open; no agent waits for it.
const editLife = 24 * time.Hour

// editTool is the tool name in questions about allowlist edits.
const editTool = "allowlist"

// Editor reads and replaces allowlist files. A node "" is this server's own file.
type Editor interface {
	// Base is the hash of a file's content without usage counts.
	Base(ctx context.Context, node string) (string, error)
	// Replace replaces a file if its Base is still this one; otherwise CodeBaseHashStale.
	Replace(ctx context.Context, node string, document []byte, base string) error
	// Section returns an agent's section of this server's own file, as JSON.
	Section(agent string) string
}

// Edit is an edit of an allowlist file by someone who may read and write it. Editing the list
// is a permanent answer, so it needs the same people (R40).
type Edit struct {
	Node     string
	Document []byte   // the file as it would be, without its socket
	Base     string   // Editor.Base of the file that was edited
	Agents   []string // the agents it affects; * means all agents
	// Loosens says that the edit may permit more. Admits are the new patterns, and Settings
	// says that a setting is looser.
	Loosens  bool
	Admits   []string
	Settings bool
	// Before and After are the parts that differ, and Summary the difference, as JSON.
	Before, After, Summary string
	By                     gavel.Caller
	// Apply makes the edit at once, if one person is enough.
	Apply func(context.Context) error
}

// EditList makes an edit, or opens a question to the people who must agree and returns it. An
// approver of the agents may edit their settings, alone if one answer is enough or the edit
// only tightens. Nobody may loosen a list for their own question. Codes: CodeNotApprover,
// CodeSelfApproval, CodeApprovalTooLarge, those of questions, and those of the edit itself.
func (m *Manager) EditList(ctx context.Context, e Edit) (*gavel.Approval, error) {
	terms := gavel.Terms{Quorum: 1}
	for _, agent := range e.Agents {
		now, known, err := m.standing(ctx, agent)
		if err != nil {
			return nil, err
		}
		if !known && m.cfg.Standing != nil && e.Loosens {
			return nil, &gavel.ApprovalError{Code: gavel.CodeNotApprover, Message: "the policy does not say who may extend the allowlist",
				Fix: "add the rule data.gavel.approvals.terms.standing to its gavel root"}
		}
		terms = stricter(terms, now)
		terms.Forward = append(terms.Forward, now.Forward...)
	}
	if !approver(&terms, e.By.Credential, e.By.Person) {
		return nil, errNotApprover()
	}
	if e.Loosens {
		if err := m.checkDisinterested(ctx, e.By.Credential, e.By.Person, e.Admits, e.Settings); err != nil {
			return nil, err
		}
	}
	if !e.Loosens || terms.Quorum <= 1 {
		return nil, m.editNow(ctx, &e)
	}
	return m.propose(ctx, &e, terms)
}

// checkDisinterested refuses an edit by someone who has an open question, or who asked for a
// program that the edit permits: they would answer their own question. The same applies to
// someone who agrees to another person's edit. Any person who asked might use a shared
// credential, so it is refused too.
func (m *Manager) checkDisinterested(ctx context.Context, credential, person string, admits []string, settings bool) error {
	list, err := m.cfg.Store.List(ctx)
	if err != nil {
		return err
	}
	person = named(credential, person)
	for i := range list {
		a := &list[i]
		asks := slices.Contains(a.Requesters, credential) || person != "" && slices.Contains(a.Askers, person)
		if a.State == gavel.ApprovalPending && a.Edit == nil && asks {
			return errSelfApproval()
		}
		if a.State == gavel.ApprovalPending && a.Edit == nil && person == "" && len(a.Askers) > 0 {
			return errPersonAsked()
		}
	}
	switch now := m.cfg.Now(); {
	case m.asks.askedFor(credential, person, admits, settings, now):
		return errSelfApproval()
	case person == "" && m.asks.anyoneAskedFor(admits, settings, now):
		return errPersonAsked()
	}
	return nil
}

// editNow makes an edit that one person may make. If it cannot be recorded, it is made only
// if it tightens.
func (m *Manager) editNow(ctx context.Context, e *Edit) error {
	err := m.write(ctx, gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited, By: e.By.Credential, From: e.By.From, Agent: strings.Join(e.Agents, " "),
		Detail: e.detail()})
	if err != nil && e.Loosens {
		return err
	}
	if err != nil {
		m.log.ErrorContext(ctx, "an allowlist edit is missing from the decision log", "by", e.By.Credential, "error", err)
	}
	if err := e.Apply(ctx); err != nil {
		detail := e.detail()
		detail["failed"] = err.Error()
		if logErr := m.write(ctx, gavel.AuditEvent{Kind: gavel.AuditAllowlistEdited, By: e.By.Credential, From: e.By.From, Agent: strings.Join(e.Agents, " "), Detail: detail}); logErr != nil {
			m.log.ErrorContext(ctx, "a failed allowlist edit is missing from the decision log", "error", logErr)
		}
		return err
	}
	return nil
}

func (e *Edit) detail() map[string]any {
	detail := map[string]any{"before": e.Before, "after": e.After, "change": e.Summary}
	if e.Node != "" {
		detail["node"] = e.Node
	}
	return detail
}

// propose opens a question to the people who must agree to an edit. A proposer with a name
// counts as one of them.
func (m *Manager) propose(ctx context.Context, e *Edit, terms gavel.Terms) (*gavel.Approval, error) {
	now := m.cfg.Now().UTC()
	sum := sha256.Sum256(fmt.Appendf(nil, "gavel-edit-1\n%q %q %x", e.Node, e.Base, e.Document))
	terms.Answers = []gavel.Answer{gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer}
	a := gavel.Approval{ID: m.cfg.NewID(), Binding: hex.EncodeToString(sum[:]), State: gavel.ApprovalPending, Terms: terms,
		Requesters: []string{e.By.Credential}, Issue: e.By.Issue, CreatedAt: now, ExpiresAt: now.Add(editLife), Fallback: gavel.Outcome{Effect: gavel.Deny},
		Edit:    &gavel.AllowlistEdit{Node: e.Node, Document: e.Document, BaseHash: e.Base, Agents: e.Agents, Admits: e.Admits, Settings: e.Settings},
		Forward: deliveries(&terms),
		Request: gavel.ApprovalRequest{Tool: editTool, Agent: strings.Join(e.Agents, " "), Node: e.Node, Params: e.Summary,
			Reasons: []gavel.Reason{{Code: "approvals.allowlist_edit", Message: fmt.Sprintf("%s wants to edit the allowlist, and %s must agree", e.By.Credential, quorumOf(&terms))}}}}
	if m.cfg.Revision != nil {
		a.Request.Revision = m.cfg.Revision()
	}
	if person := named(e.By.Credential, e.By.Person); person != "" {
		a.Askers = []string{person}
		a.Votes = []gavel.Vote{{By: e.By.Credential, Person: person, Issue: e.By.Issue, Answer: gavel.AllowAlways, At: now}}
	}
	if len([]rune(e.Summary)) > maxShown {
		return nil, &gavel.ApprovalError{Code: gavel.CodeApprovalTooLarge, Message: fmt.Sprintf("the edit is longer than the %d characters that people are shown", maxShown),
			Fix: "make it in several steps"}
	}
	a.Request = sanitise(a.Request, nil, nil)
	if err := m.checkBudget(ctx, &a); err != nil {
		return nil, err
	}
	stored, created, err := m.create(ctx, a, false)
	if err != nil {
		return nil, err
	}
	if created {
		m.recordOrLog(ctx, gavel.AuditApprovalRequested, &stored, Resolution{By: e.By.Credential, From: e.By.From}, e.detail())
	}
	return &stored, nil
}

// agentsOf names the agents of an edit.
func agentsOf(e *gavel.AllowlistEdit) string { return strings.Join(e.Agents, " ") }

// checkUpToDate refuses the last answer to an edit if the list has changed in the meantime.
func (m *Manager) checkUpToDate(ctx context.Context, a *gavel.Approval, answer gavel.Answer) error {
	if a.Edit == nil || answer == gavel.DenyAnswer {
		return nil
	}
	if m.cfg.Editor == nil {
		return errNotEditable()
	}
	base, err := m.cfg.Editor.Base(ctx, a.Edit.Node)
	if err != nil {
		return err
	}
	if base != a.Edit.BaseHash {
		return &gavel.ApprovalError{Code: gavel.CodeBaseHashStale, Message: "the allowlist has changed since the edit was proposed",
			Fix: "deny it, and propose it again"}
	}
	return nil
}

// makeEdit makes an edit that people have agreed to.
func (m *Manager) makeEdit(ctx context.Context, a *gavel.Approval, r Resolution) error {
	if m.cfg.Editor == nil {
		return errNotEditable()
	}
	detail := map[string]any{"change": a.Request.Params, "node": a.Edit.Node}
	own := a.Edit.Node == ""
	if own {
		detail["before"] = m.allowlistSections(ctx, a.Edit.Agents...)
	}
	if err := m.cfg.Editor.Replace(ctx, a.Edit.Node, a.Edit.Document, a.Edit.BaseHash); err != nil {
		return err
	}
	if own {
		detail["after"] = m.allowlistSections(ctx, a.Edit.Agents...)
	}
	m.recordOrLog(ctx, gavel.AuditAllowlistEdited, a, r, detail)
	return nil
}

func errNotEditable() error {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "this server does not edit allowlists", Fix: "edit it on the server that has it"}
}

// allowlistSections returns the sections of agents in this server's file, for the decision log.
func (m *Manager) allowlistSections(_ context.Context, agents ...string) map[string]any {
	sections := map[string]any{}
	if m.cfg.Editor == nil {
		return sections
	}
	for _, agent := range agents {
		sections[agent] = m.cfg.Editor.Section(agent)
	}
	return sections
}
