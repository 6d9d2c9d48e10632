package approvals

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"gavel"
)

// termsOf returns the terms for answering a question now: the stricter of the original terms
// and the terms of the policy in force. The possible answers depend on the whole call, which is
// judged again when the answer is used; until then, nothing can be answered permanently under
// another policy.
func (m *Manager) termsOf(ctx context.Context, a *gavel.Approval) (gavel.Terms, error) {
	terms := a.Terms
	for _, agent := range agentsFor(a) {
		now, known, err := m.standing(ctx, agent)
		if err != nil {
			return gavel.Terms{}, err
		}
		if known {
			terms = stricter(terms, now)
		}
	}
	if a.Edit == nil && m.cfg.Revision != nil && m.cfg.Revision() != a.Request.Revision {
		terms.Answers = without(terms.Answers, gavel.AllowAlways)
	}
	return terms, nil
}

// agentsFor returns the agents whose terms apply to a question.
func agentsFor(a *gavel.Approval) []string {
	switch {
	case a.Edit != nil:
		return a.Edit.Agents
	case a.Request.Tool == execTool:
		return []string{a.Request.Agent}
	}
	return []string{""}
}

// standing returns the current policy's terms for an agent.
func (m *Manager) standing(ctx context.Context, agent string) (terms gavel.Terms, known bool, err error) {
	if m.cfg.Standing == nil {
		return gavel.Terms{}, false, nil
	}
	terms, known, err = m.cfg.Standing(ctx, agent)
	if err != nil {
		return gavel.Terms{}, false, &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: "the policy does not say who may answer",
			Fix: "run gavel check on the policy, and see the server's log", Err: err}
	}
	return terms, known, nil
}

// stricter returns terms that permit no more than either: the larger quorum, and the answers
// and approvers that both have. Terms without answers do not restrict them.
func stricter(then, now gavel.Terms) gavel.Terms {
	terms := then
	terms.Quorum = max(then.Quorum, now.Quorum, 1)
	if now.Answers != nil {
		terms.Answers = slices.DeleteFunc(slices.Clone(then.Answers), func(a gavel.Answer) bool { return !slices.Contains(now.Answers, a) })
	}
	switch {
	case len(then.Approvers) == 0:
		terms.Approvers = now.Approvers
	case len(now.Approvers) > 0:
		terms.Approvers = slices.DeleteFunc(slices.Clone(then.Approvers), func(name string) bool { return !slices.Contains(now.Approvers, name) })
		if len(terms.Approvers) == 0 {
			terms.Approvers = []string{gavel.Nobody}
		}
	}
	return terms
}

func without(list []gavel.Answer, answer gavel.Answer) []gavel.Answer {
	return slices.DeleteFunc(slices.Clone(list), func(a gavel.Answer) bool { return a == answer })
}

// renewTerms returns the terms of a repeated question: the stricter of the two, with permanent
// answers only if both offer them.
func renewTerms(then, now gavel.Terms) gavel.Terms {
	terms := stricter(then, now)
	offered := entriesOf(&now)
	terms.Entries = slices.DeleteFunc(entriesOf(&then), func(entry gavel.OfferedPattern) bool {
		return !slices.ContainsFunc(offered, func(o gavel.OfferedPattern) bool { return sameEntry(&entry, &o) })
	})
	terms.Offer = slices.DeleteFunc(slices.Clone(then.Offer), func(pattern string) bool {
		return !slices.ContainsFunc(terms.Entries, func(entry gavel.OfferedPattern) bool { return entry.Pattern == pattern })
	})
	if len(then.Entries) == 0 {
		terms.Entries = nil // the patterns and their hazards are enough
	}
	if len(terms.Offer) == 0 && len(then.Offer)+len(now.Offer) > 0 {
		terms.Answers = without(terms.Answers, gavel.AllowAlways)
	}
	return terms
}

// entriesOf returns the entries of an offer. A bare pattern is an entry without limits.
func entriesOf(t *gavel.Terms) []gavel.OfferedPattern {
	if len(t.Entries) > 0 {
		return slices.Clone(t.Entries)
	}
	entries := make([]gavel.OfferedPattern, len(t.Offer))
	for i, pattern := range t.Offer {
		entries[i] = gavel.OfferedPattern{Pattern: pattern, Args: t.Args[pattern]}
	}
	return entries
}

// sameEntry reports whether two entries are spelled the same, and so permit the same.
func sameEntry(a, b *gavel.OfferedPattern) bool {
	first, err := json.Marshal(gavel.OfferedPattern{Pattern: a.Pattern, Args: slices.Concat([]string{}, a.Args), Only: a.Only})
	second, wrong := json.Marshal(gavel.OfferedPattern{Pattern: b.Pattern, Args: slices.Concat([]string{}, b.Args), Only: b.Only})
	return err == nil && wrong == nil && bytes.Equal(first, second)
}

// personOf returns the name of the person who answered; "" for a shared credential.
func personOf(v *gavel.Vote) string { return named(v.By, v.Person) }

func named(credential, person string) string {
	if person != "" {
		return person
	}
	if name := Person(credential); name != credential {
		return name
	}
	return ""
}

// approver reports whether the terms let someone answer. A caller without a name is identified
// by the credential.
func approver(t *gavel.Terms, credential, person string) bool {
	name := named(credential, person)
	if name == "" {
		name = credential
	}
	return len(t.Approvers) == 0 || slices.Contains(t.Approvers, name)
}

// countVotes counts the votes that approve, and returns the least permanent answer. If several
// people must agree, only named people count, each once. An asker does not count, but the
// proposer of an edit does.
func countVotes(a *gavel.Approval, t *gavel.Terms, who *askerSet) (count int, answer gavel.Answer) {
	people := map[string]bool{}
	votes := 0
	for i := range a.Votes {
		v := &a.Votes[i]
		person := personOf(v)
		asks := who.includes(v.By, person)
		if v.Answer == gavel.DenyAnswer || asks && a.Edit == nil || !approver(t, v.By, v.Person) {
			continue
		}
		if t.Quorum > 1 && person == "" {
			continue
		}
		votes++
		if people[person] = true; answer != gavel.AllowOnce {
			answer = v.Answer
		}
	}
	if t.Quorum > 1 {
		return len(people), answer
	}
	return votes, answer
}

// stillEnough reports whether an answer is also valid under the current terms: enough of those
// who gave it may still answer, and the answer is still possible.
func (m *Manager) stillEnough(a *gavel.Approval, now *gavel.Terms, who *askerSet) bool {
	if now == nil {
		return false
	}
	terms, counted := stricter(a.Terms, *now), *a
	counted.Votes = m.validVotes(a.Votes)
	count, answer := countVotes(&counted, &terms, who)
	return count >= terms.Quorum && (slices.Contains(terms.Answers, answer) || answer == gavel.AllowAlways && slices.Contains(terms.Answers, gavel.AllowOnce))
}

// permits reports whether an approval was answered with yes.
func permits(a *gavel.Approval) bool {
	return a.State == gavel.ApprovalResolved && (a.Answer == gavel.AllowOnce || a.Answer == gavel.AllowAlways)
}

// quorumOf describes how many must agree.
func quorumOf(t *gavel.Terms) string { return fmt.Sprintf("%d people", t.Quorum) }
