package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// terms reads how a person may answer. Anything missing or malformed reads as what permits
// least: one call or none, with a short timeout.
func terms(term *ast.Term) *gavel.Terms {
	t := &gavel.Terms{Answers: []gavel.Answer{}, Offer: getTexts(term, "offer"), TimeoutMs: int64(getNumber(term, "timeoutMs")),
		Quorum: max(getNumber(term, "quorum"), 1), Connected: getFlag(term, "connected"), Secrets: getFlag(term, "secrets"),
		Exact: getFlag(term, "exact"), Once: getTexts(term, "once")}
	_ = each(get(term, "entries"), func(e *ast.Term) { t.Entries = append(t.Entries, entry(e)) }) // no list offers nothing
	args := get(term, "args")
	for _, pattern := range t.Offer {
		if list := getTexts(args, pattern); len(list) > 0 {
			if t.Args == nil {
				t.Args = map[string][]string{}
			}
			t.Args[pattern] = list
		}
	}
	for _, answer := range getTexts(term, "decisions") {
		switch known := gavel.Answer(answer); known {
		case gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer:
			t.Answers = append(t.Answers, known)
		}
	}
	if len(t.Answers) == 0 {
		t.Answers = []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}
	}
	if list := getTexts(term, "approvers"); len(list) > 0 {
		t.Approvers = list
	}
	_ = each(get(term, "forward"), func(element *ast.Term) { // no list forwards to nobody
		if target := (gavel.Target{Channel: getText(element, "channel"), To: getText(element, "to")}); target.Channel != "" {
			t.Forward = append(t.Forward, target)
		}
	})
	return t
}
