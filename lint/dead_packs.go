package lint

import (
	"fmt"
	"slices"

	"gavel"
	"gavel/bundles/config"
	"gavel/packs"
)

// deadPacks warns about packs that are switched on twice, and about packs without effect because rules
// of the configuration deny or ask about everything that they allow.
func deadPacks(document *config.Document) ([]gavel.Problem, error) {
	all, err := packs.Read()
	if err != nil {
		return nil, err
	}
	f := findings{document: document}
	rules := rulesOf(document)
	for _, place := range execSections(document.Data) {
		names := textsOf(place.section["packs"])
		for i, name := range names {
			path := fmt.Sprintf("%s.packs[%d]", place.path, i)
			if slices.Contains(names[:i], name) {
				f.add(path, "delete it", "the pack %s is in the list twice", name)
				continue
			}
			at := slices.IndexFunc(all, func(p packs.Pack) bool { return p.Name == name })
			if at < 0 {
				continue // an error of its own
			}
			if by, dead := overruled(all[at], path, rules); dead {
				f.add(path, "delete it, or limit "+by.path, "the pack %s has no effect: %s %s what it allows", name, by.path, verbOf(by.effect))
			}
		}
	}
	return f.list, nil
}

// overruled reports whether rules of the configuration deny or ask about everything that a pack allows,
// and returns one of these rules.
func overruled(p packs.Pack, path string, rules []configuredRule) (by configuredRule, dead bool) {
	for _, given := range p.Rules {
		rule := newRule(path, "", given)
		if rule.effect != "allow" {
			continue
		}
		at := slices.IndexFunc(rules, func(other configuredRule) bool { return other.effect != "allow" && covers(other, rule) })
		if at < 0 {
			return by, false
		}
		by, dead = rules[at], true
	}
	return by, dead
}
