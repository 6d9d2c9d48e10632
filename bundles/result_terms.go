package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// readTerms reads how a person may answer a question.
func readTerms(term *ast.Term) *gavel.Terms {
	t := &gavel.Terms{Answers: []gavel.Answer{}, Offer: getStrings(term, "offer"), TimeoutMs: int64(getInt(term, "timeoutMs")),
		Quorum: max(getInt(term, "quorum"), 1), Connected: getBool(term, "connected"), Secrets: getBool(term, "secrets"),
		Exact: getBool(term, "exact"), Once: getStrings(term, "once")}
	_ = each(get(term, "entries"), func(e *ast.Term) { t.Entries = append(t.Entries, readPattern(e)) }) // anything but a list offers nothing
	args := get(term, "args")
	for _, pattern := range t.Offer {
		if list := getStrings(args, pattern); len(list) > 0 {
			if t.Args == nil {
				t.Args = map[string][]string{}
			}
			t.Args[pattern] = list
		}
	}
	for _, name := range getStrings(term, "decisions") {
		switch answer := gavel.Answer(name); answer {
		case gavel.AllowOnce, gavel.AllowAlways, gavel.DenyAnswer:
			t.Answers = append(t.Answers, answer)
		}
	}
	if len(t.Answers) == 0 {
		t.Answers = []gavel.Answer{gavel.AllowOnce, gavel.DenyAnswer}
	}
	if list := getStrings(term, "approvers"); len(list) > 0 {
		t.Approvers = list
	}
	_ = each(get(term, "forward"), func(element *ast.Term) { // anything but a list forwards to nobody
		if target := (gavel.Target{Channel: getString(element, "channel"), To: getString(element, "to")}); target.Channel != "" {
			t.Forward = append(t.Forward, target)
		}
	})
	return t
}
