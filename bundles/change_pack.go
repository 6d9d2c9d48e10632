package bundles

import (
	"context"
	"slices"
	"strings"

	"gavel"
)

// minPackRules is how many rules a pack must replace to be proposed, because a pack permits more
// than they do.
const minPackRules = 2

// replaceWithPack returns edits in which a pack replaces several rules, if there is one with which
// the decision is as good. Otherwise it returns the edits unchanged.
func (s *Snapshot) replaceWithPack(ctx context.Context, facts gavel.Facts, edits []proposedEdit, decided *gavel.Decision) []proposedEdit {
	rules := 0
	for _, edit := range edits {
		if strings.HasSuffix(edit.Path, ".rules") {
			rules++
		}
	}
	if rules < minPackRules {
		return edits
	}
	advice, err := s.advise(ctx, facts)
	if err != nil {
		return edits // a pack is a convenience: the edits are sound without it
	}
	slices.SortFunc(advice.Packs, func(a, b proposedEdit) int { return strings.Compare(a.Admits, b.Admits) })
	best := edits
	for _, pack := range advice.Packs {
		fewer, with := s.minimize(ctx, facts, slices.Concat([]proposedEdit{pack}, edits))
		if with != nil && equallyGood(with, decided) && len(fewer)+minPackRules <= len(edits)+1 && len(fewer) < len(best) {
			best = fewer
		}
	}
	return best
}
