package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"

	"gavel"
	"gavel/approvals/forward"
	"gavel/bundles/config"
	"gavel/identity"
	"gavel/internal/nearest"
	"gavel/server"
	"gavel/server/approvalapi"
)

// reach is what a state directory says about how people can be reached.
type reach struct {
	state    string
	people   []string // who has a token to answer with
	shared   []string // credentials that can answer but belong to no particular person
	serving  bool     // provider is known
	provider bool     // people sign in with an identity provider, so any name may exist
}

// reached reads from a state directory who can answer and who can be notified.
func (a *app) reached(state string) (reach, error) {
	r := reach{state: state, shared: []string{approvalapi.LineCredential}}
	people, shared, err := server.Approvers(state)
	if err != nil {
		return r, fmt.Errorf("read the tokens: %w", err)
	}
	if r.people = people; shared {
		r.shared = append(r.shared, string(gavel.ScopeApprove))
	}
	list, err := identity.Open(state, a.now, slog.New(slog.DiscardHandler), nil).List()
	if err != nil {
		return r, fmt.Errorf("read the credentials: %w", err)
	}
	for i := range list {
		if c := &list[i]; c.Scope == gavel.ScopeApprove && !c.Expired(a.now()) {
			r.people = append(r.people, c.Person)
		}
	}
	slices.Sort(r.people)
	r.people = slices.Compact(r.people)
	return r, nil
}

// unreached warns about approvers who cannot answer, questions for which there are too few
// people, and targets to which nothing can be sent.
func (r *reach) unreached(document *config.Document) []gavel.Problem {
	l := findings{document: document}
	for _, q := range questions(document) {
		for i, name := range q.approvers {
			if r.answers(name) {
				continue
			}
			p := l.add(fmt.Sprintf("%s.approvers[%d]", q.path, i), fmt.Sprintf("run gavel token create %s --scope approve --state %s%s", name, r.state, r.unless()),
				"approver %q has no token in %s", name, r.state)
			p.Nearest = nearest.Name(name, r.people)
		}
		if !r.provider && len(q.approvers) == 0 && len(r.people) < q.quorum && q.quorum > 1 {
			l.add(q.path+".quorum", fmt.Sprintf("run gavel token create NAME --scope approve --state %s for more people%s, or lower quorum", r.state, r.unless()),
				"%d people must approve, and %d in %s have a token: nothing can be approved", q.quorum, len(r.people), r.state)
		}
	}
	for i, target := range targets(document) {
		if err := forward.Configured(filepath.Join(r.state, "webhooks"), target); err != nil {
			l.add(fmt.Sprintf("approvals.exec.targets[%d]", i), "write the file as docs/operators.md says, with mode 0600",
				"no question can be sent to %s %s: %s", target.Channel, target.To, withoutFile(err, r.state, target))
		}
	}
	return l.list
}

// unless says under which unknown condition a missing token is not a mistake.
func (r *reach) unless() string {
	if r.serving {
		return ""
	}
	return ", unless they sign in with a provider"
}

// tooFew warns about questions that need more answers than there are approvers.
func tooFew(document *config.Document) []gavel.Problem {
	l := findings{document: document}
	for _, q := range questions(document) {
		if n := len(q.approvers); n > 0 && n < q.quorum {
			l.add(q.path+".approvers", "name more approvers, or lower quorum",
				"%d people must approve, and %s: nothing can be approved", q.quorum, count(n, "approver is listed", "approvers are listed"))
		}
	}
	return l.list
}

// withoutFile explains why a target has no usable file.
func withoutFile(err error, state string, target gavel.Target) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("there is no webhooks/%s.%s.json in %s, and no webhooks/%s.json", target.Channel, target.To, state, target.Channel)
	}
	return err.Error()
}

func (r *reach) answers(name string) bool {
	return r.provider || slices.Contains(r.people, name) || slices.Contains(r.shared, name)
}

// question is a setting that says who answers, and how many people must answer.
type question struct {
	path      string // path of the section
	approvers []string
	quorum    int
}

// questions finds these settings: for everybody, for agents, and in rules that ask.
func questions(document *config.Document) []question {
	section := approvalSettings(document)
	general := question{"approvals.exec", textsOf(section["approvers"]), quorumOf(section)}
	list := []question{general}
	for _, place := range execSections(document.Data) {
		if approvers := textsOf(place.section["approvers"]); len(approvers) > 0 {
			list = append(list, question{place.path, approvers, general.quorum})
		}
	}
	for _, rule := range rulesOf(document) {
		q := question{rule.path, textsOf(rule.given["approvers"]), max(general.quorum, quorumOf(rule.given))}
		if rule.effect == "ask" && (len(q.approvers) > 0 || q.quorum > general.quorum) {
			list = append(list, q)
		}
	}
	return list
}

func approvalSettings(document *config.Document) map[string]any {
	all, _ := document.Data["approvals"].(map[string]any)
	section, _ := all["exec"].(map[string]any)
	return section
}

func quorumOf(section map[string]any) int {
	number, _ := section["quorum"].(json.Number)
	quorum, err := number.Int64()
	if err != nil {
		return 1
	}
	return int(quorum)
}

// targets returns the targets that a configuration names.
func targets(document *config.Document) []gavel.Target {
	given, _ := approvalSettings(document)["targets"].([]any)
	list := make([]gavel.Target, len(given))
	for i, item := range given {
		target, _ := item.(map[string]any)
		list[i].Channel, _ = target["channel"].(string)
		list[i].To, _ = target["to"].(string)
	}
	return list
}

// sayUnreached logs these warnings about the policy in force.
func (s *service) sayUnreached(a *app, flags serveFlags) {
	policy, ok := s.store.Current().(interface{ Document() *config.Document })
	if !ok {
		return
	}
	found, err := a.reached(flags.state)
	if err != nil {
		s.logger.Warn("who can answer questions is unknown", "error", err)
		return
	}
	found.serving = true
	if found.provider = s.who.oidc != nil; flags.socketPerson != "" {
		found.people = append(found.people, flags.socketPerson)
	}
	for _, p := range found.unreached(policy.Document()) {
		s.logger.Warn(p.Message, "setting", p.Path, "fix", p.Fix)
	}
}
