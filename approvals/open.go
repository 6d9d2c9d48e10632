package approvals

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"time"

	"gavel"
	"gavel/grant"
)

// retries limits compare-and-set loops. Each lost race means that another client made
// progress.
const retries = 100

// Look implements gavel.Approvals. It changes nothing. found is true for an approval that is
// pending, or answered and still usable. Only the asker finds a yes, and only while the
// current terms still permit it.
func (m *Manager) Look(ctx context.Context, q gavel.Question) (gavel.ApprovalFacts, error) {
	facts := gavel.ApprovalFacts{Looked: true}
	bound, err := m.Bind(q)
	if err != nil {
		m.log.Debug("a call cannot be bound", "agent", q.Facts.Agent.ID, "why", err)
		return facts, nil
	}
	binding := bound.Hash()
	facts.Bound = binding.Hash
	history, err := m.cfg.Store.Recall(ctx, binding.Command)
	if err != nil {
		return facts, err
	}
	facts.Seen = history.mostPermanent()
	if known, ok := m.cfg.Allowlist.(Exactly); ok {
		facts.Trusted = known.Exactly(q.Facts.Agent.ID, binding.Command)
	}
	known, err := m.cfg.Store.Bound(ctx, binding.Hash)
	if err != nil {
		return facts, err
	}
	if a, ok := m.applicable(known, q); ok {
		facts.Found, facts.ID, facts.Binding = true, a.ID, a.Binding
		facts.State, facts.Decision = string(a.State), string(a.Answer)
	}
	return facts, nil
}

// applicable returns the newest approval that affects a question: the asker's own, or another
// asker's denial of the same question. Only the asker may use a yes, and a yes that the current
// terms would not permit does not count.
func (m *Manager) applicable(known []gavel.Approval, q gavel.Question) (found gavel.Approval, ok bool) {
	now, who := m.cfg.Now(), askersOf(known)
	for i := range known {
		a := &known[i]
		own := owner(a) == q.Caller && a.Issue == q.Issue
		switch {
		case !usable(a, now) || permits(a) && !m.stillEnough(a, q.Decision.Terms, &who):
		case own:
			return *a, true
		case a.Answer == gavel.DenyAnswer && !ok:
			found, ok = *a, true
		}
	}
	return found, ok
}

// usable reports whether an approval still affects calls: it is pending, or it was answered and
// the grace period is not over.
func usable(a *gavel.Approval, now time.Time) bool {
	switch a.State {
	case gavel.ApprovalPending:
		return !past(now, a.CreatedAt, a.ExpiresAt)
	case gavel.ApprovalResolved:
		return !past(now, a.ResolvedAt, a.ResolvedAt.Add(Grace))
	}
	return false
}

// Open implements gavel.Approvals. An asker whose question is pending gets that question.
// Another credential that asks the same gets its own question and answer; neither of them may
// answer the other's (R33).
func (m *Manager) Open(ctx context.Context, q gavel.Question) (gavel.Approval, error) {
	bound, err := m.Bind(q)
	if err != nil {
		return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeApprovalUnbound,
			Message: "it is unclear what exactly would be approved: " + err.Error(), Fix: "name the program so that it can be found"}
	}
	binding := bound.Hash()
	m.asks.add(&q, m.cfg.Now())
	for range retries {
		stored, created, err := m.findOrCreate(ctx, q, bound, binding)
		if err != nil || created {
			return stored, err
		}
		if past(m.cfg.Now(), stored.CreatedAt, stored.ExpiresAt) {
			if _, err := m.expire(ctx, stored, gavel.ExpiredTimeout); err != nil && !isConflict(err) {
				return gavel.Approval{}, err
			}
			continue
		}
		again, err := m.renew(ctx, stored, q)
		if !isConflict(err) {
			return again, err
		}
	}
	return gavel.Approval{}, errBusy()
}

// findOrCreate returns the asker's open question, or stores a new one.
func (m *Manager) findOrCreate(ctx context.Context, q gavel.Question, bound *grant.Bound, binding grant.Binding) (stored gavel.Approval, created bool, err error) {
	known, err := m.cfg.Store.Bound(ctx, binding.Hash)
	if err != nil {
		return gavel.Approval{}, false, err
	}
	if open, ok := pendingOf(known, &gavel.Approval{Binding: binding.Hash, Requesters: []string{q.Caller}, Issue: q.Issue}); ok {
		return open, false, nil
	}
	fresh := m.draft(q, bound, binding)
	if err := m.checkBudget(ctx, &fresh); err != nil {
		return gavel.Approval{}, false, err
	}
	if stored, created, err = m.create(ctx, fresh, q.ID != ""); created {
		m.calls.keep(stored.ID, q.Caller, q.Call)
		m.recordOrLog(ctx, gavel.AuditApprovalRequested, &stored, Resolution{By: q.Caller, From: q.From}, questionDetail(&stored))
	}
	return stored, created, err
}

// create stores a question, or returns the asker's pending one, whatever id they choose now.
func (m *Manager) create(ctx context.Context, a gavel.Approval, chosen bool) (stored gavel.Approval, created bool, err error) {
	release, refused := m.prefixes.reserve(a.ID, chosen, m.cfg.Now())
	if refused == nil {
		stored, created, err = m.cfg.Store.Create(ctx, a)
		if err != nil || !created {
			release()
		}
		return stored, created, err
	}
	known, err := m.cfg.Store.Bound(ctx, a.Binding)
	if err != nil {
		return gavel.Approval{}, false, err
	}
	if open, ok := pendingOf(known, &a); ok && a.State == gavel.ApprovalPending {
		return open, false, nil
	}
	return gavel.Approval{}, false, refused
}

// renew adds the policy's current terms to a question that its asker repeats.
func (m *Manager) renew(ctx context.Context, a gavel.Approval, q gavel.Question) (gavel.Approval, error) {
	terms := renewTerms(a.Terms, m.completeTerms(*q.Decision.Terms, a.Command, q.Facts.Exec))
	known := q.Person == "" || slices.Contains(a.Askers, q.Person)
	if known && a.Request.Revision == q.Decision.Revision && reflect.DeepEqual(terms, a.Terms) {
		return a, nil
	}
	a.Terms, a.Request.Revision = terms, q.Decision.Revision
	if q.Person != "" {
		a.Askers = appendUnique(a.Askers, q.Person)
	}
	return m.cfg.Store.Swap(ctx, a, nil)
}

// appendUnique appends a name to a list unless the list has it.
func appendUnique(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}

// draft creates the record of a question. If the question cannot reach a person, the record is
// expired from the start.
func (m *Manager) draft(q gavel.Question, bound *grant.Bound, binding grant.Binding) gavel.Approval {
	now := m.cfg.Now().UTC()
	terms := *q.Decision.Terms
	timeout := time.Duration(terms.TimeoutMs) * time.Millisecond
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	if q.Timeout > 0 {
		timeout = min(timeout, q.Timeout)
	}
	terms = m.completeTerms(terms, binding.Command, q.Facts.Exec)
	if !shownInFull(bound) {
		terms.Answers = without(terms.Answers, gavel.AllowAlways)
	}
	a := gavel.Approval{ID: q.ID, Binding: binding.Hash, Command: binding.Command, Parts: maps.Clone(binding.Parts),
		State: gavel.ApprovalPending, Terms: terms, Requesters: []string{q.Caller}, Issue: q.Issue, Parents: ancestors(&q.Facts.Agent), CreatedAt: now, ExpiresAt: now.Add(timeout),
		Request: m.request(q, bound), Forward: deliveries(&terms)}
	if q.Person != "" {
		a.Askers = []string{q.Person}
	}
	if a.ID == "" {
		a.ID = m.cfg.NewID()
	}
	if !m.reachable(&terms) {
		a.State, a.Expired, a.ResolvedAt, a.ExpiresAt = gavel.ApprovalExpired, gavel.ExpiredNoRoute, now, now
		return a
	}
	a.Fallback = gavel.Outcome{Effect: gavel.Deny}
	if q.Fallback != nil {
		a.Fallback = q.Fallback()
	}
	return a
}

// completeTerms adds the part of an offer that the policy cannot know: the hash of the command,
// for an entry that covers exactly this command. It also masks secrets.
func (m *Manager) completeTerms(terms gavel.Terms, command string, exec *gavel.ExecFacts) gavel.Terms {
	if terms.Exact && len(terms.Entries) == 0 {
		entry := exactly(command)
		terms.Offer, terms.Entries = []string{entry.Pattern}, []gavel.OfferedPattern{entry}
	}
	terms.Entries = m.sealEntries(terms.Entries, exec)
	return terms
}

// sealEntries masks the command's secrets in the entries of an offer, because secrets are never
// stored with a question.
func (m *Manager) sealEntries(entries []gavel.OfferedPattern, exec *gavel.ExecFacts) []gavel.OfferedPattern {
	sealer, ok := m.cfg.Allowlist.(Sealer)
	if !ok || exec == nil || len(entries) == 0 {
		return entries
	}
	var known []string
	for i := range exec.Segments {
		_, found := m.masker.Words(exec.Segments[i].Argv)
		known = append(known, found...)
	}
	return sealer.Seal(entries, known)
}

// deliveries returns where a question is sent, without duplicates.
func deliveries(terms *gavel.Terms) []gavel.Delivery {
	var list []gavel.Delivery
	for _, target := range terms.Forward {
		if d := (gavel.Delivery{Target: target}); !slices.Contains(list, d) {
			list = append(list, d)
		}
	}
	return list
}

// reachable reports whether the question can reach a person (R18).
func (m *Manager) reachable(terms *gavel.Terms) bool {
	if !terms.Connected || m.hub.listeners() > 0 {
		return true
	}
	return m.cfg.Reachable != nil && slices.ContainsFunc(terms.Forward, m.cfg.Reachable)
}

func (m *Manager) request(q gavel.Question, bound *grant.Bound) gavel.ApprovalRequest {
	r := gavel.ApprovalRequest{Tool: bound.Tool, Agent: bound.Agent, Session: bound.Session, Host: bound.Host, Node: bound.Node,
		Cwd: bound.Cwd, Command: bound.Command, Reasons: q.Decision.Reasons, Revision: q.Decision.Revision}
	for _, pair := range bound.Env {
		r.Env = append(r.Env, pair[0])
	}
	masker := m.masker
	if q.Decision.Terms.Secrets {
		masker = nil
	}
	r.Variables = variables(bound.Env, masker)
	exec := q.Facts.Exec
	if exec == nil {
		r.Params = bound.Params
		return sanitise(r, nil, masker)
	}
	r.Files = filesOf(exec)
	r.Given = exec.Command
	for i := range bound.Argv {
		segment := gavel.ApprovalSegment{Argv: bound.Argv[i], Hazards: exec.Segments[i].Hazards, Dynamic: exec.Segments[i].Dynamic, Fits: exec.Segments[i].Fits}
		for _, wrapper := range exec.Segments[i].Wrappers {
			segment.Hazards = append(segment.Hazards, wrapper.Hazards...)
		}
		segment.Wrappers = wrapperWords(exec.Segments[i].Wrappers, bound.Wrappers[i])
		r.Segments = append(r.Segments, segment)
	}
	return sanitise(r, q.Decision.Terms.Offer, masker)
}

// wrapperWords returns the words of each wrapper, without the kind that comes first in bound. A
// multiplexer and the applet that it runs are one wrapper: busybox sh -c.
func wrapperWords(wrappers []gavel.Wrapper, bound [][]string) (list [][]string) {
	for i, words := range bound {
		if i > 0 && wrappers[i-1].Kind == "multiplexer" {
			list[len(list)-1] = slices.Concat(list[len(list)-1], wrappers[i].Argv)
			continue
		}
		list = append(list, words[1:])
	}
	return list
}

func errBusy() *gavel.ApprovalError {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalConflict, Message: "too many clients are changing this approval", Fix: "try again"}
}
