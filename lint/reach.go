package lint

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/nearest"
)

// Reach describes who can answer questions, and who can be notified, as a state directory has it.
type Reach struct {
	State    string
	People   []string                 // those with a token to answer with, sorted
	Shared   []string                 // credentials that can answer but belong to no particular person
	Serving  bool                     // a server runs, so that Provider is known
	Provider bool                     // people sign in with an identity provider, so any name may exist
	Mails    bool                     // the provider names people by mail address
	Notified func(gavel.Target) error // returns why nothing can be sent to a target; nil if it can
}

// Warnings returns warnings about approvers who cannot answer, questions for which there are too few
// people, and targets to which nothing can be sent.
func (r *Reach) Warnings(document *config.Document) []gavel.Problem {
	l := findings{document: document}
	for _, q := range questions(document) {
		for i, name := range q.approvers {
			if r.answers(name) {
				continue
			}
			p := l.add(fmt.Sprintf("%s.approvers[%d]", q.path, i), fmt.Sprintf("run gavel token create %s --scope approve --state %s%s", name, r.State, r.providerCaveat()),
				"approver %q has no token in %s", name, r.State)
			p.Nearest = nearest.Name(name, r.People)
		}
		if name, found := r.otherName(); found && len(q.approvers) == 0 && q.quorum > 1 {
			l.add(q.path+".quorum", fmt.Sprintf("list approvers, or create the token with the provider's name: gavel token create %s --scope approve --person MAIL", name),
				"%d people must approve, and each name counts as a person: %q counts twice, with a token and by mail address", q.quorum, name)
		}
		if !r.Provider && len(q.approvers) == 0 && len(r.People) < q.quorum && q.quorum > 1 {
			l.add(q.path+".quorum", fmt.Sprintf("run gavel token create NAME --scope approve --state %s for more people%s, or lower quorum", r.State, r.providerCaveat()),
				"%d people must approve, and %d in %s have a token: nothing can be approved", q.quorum, len(r.People), r.State)
		}
	}
	for i, target := range targets(document) {
		if err := r.Notified(target); err != nil {
			l.add(fmt.Sprintf("approvals.exec.targets[%d]", i), "write the file as docs/operators.md says, with mode 0600",
				"no question can be sent to %s %s: %s", target.Channel, target.To, withoutFile(err, r.State, target))
		}
	}
	return l.list
}

// providerCaveat returns the condition under which a missing token is not a mistake; "" if the server
// is known to have no provider.
func (r *Reach) providerCaveat() string {
	if r.Serving {
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
				"%d people must approve, and %s: nothing can be approved", q.quorum, listedApprovers(n))
		}
	}
	return l.list
}

func listedApprovers(n int) string {
	if n == 1 {
		return "1 approver is listed"
	}
	return fmt.Sprintf("%d approvers are listed", n)
}

// withoutFile explains why a target has no usable file.
func withoutFile(err error, state string, target gavel.Target) string {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("there is no webhooks/%s.%s.json in %s, and no webhooks/%s.json", target.Channel, target.To, state, target.Channel)
	}
	return err.Error()
}

func (r *Reach) answers(name string) bool {
	return r.Provider || slices.Contains(r.People, name) || slices.Contains(r.Shared, name)
}

// otherName returns a person whose token has another name than the provider gives people, and who
// would therefore count twice.
func (r *Reach) otherName() (name string, found bool) {
	i := slices.IndexFunc(r.People, func(name string) bool { return r.Mails && !strings.Contains(name, "@") })
	if i < 0 {
		return "", false
	}
	return r.People[i], true
}

// question is the part of the configuration that says who answers, and how many people must answer.
type question struct {
	path      string // path of the section
	approvers []string
	quorum    int
}

// questions returns these settings: the global ones, those of agents, and those of rules that ask.
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
