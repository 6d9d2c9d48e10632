package bundles

import (
	"context"
	"slices"
	"strings"

	"gavel"
)

// minPacked is how many rules a pack has to take the place of.
const minPacked = 2

// packed returns edits in which a pack takes the place of several rules, if there is such a pack
// and the decision is as good with it. Otherwise it returns the edits.
func (s *Snapshot) packed(ctx context.Context, facts gavel.Facts, edits []candidate, decided *gavel.Decision) []candidate {
	rules := 0
	for _, edit := range edits {
		if strings.HasSuffix(edit.Path, ".rules") {
			rules++
		}
	}
	if rules < minPacked {
		return edits
	}
	said, err := s.advise(ctx, facts)
	if err != nil {
		return edits // a pack is a convenience: the edits are sound without it
	}
	slices.SortFunc(said.Packs, func(a, b candidate) int { return strings.Compare(a.Admits, b.Admits) })
	best := edits
	for _, pack := range said.Packs {
		fewer, with := s.minimal(ctx, facts, slices.Concat([]candidate{pack}, edits))
		if with != nil && asGood(with, decided) && len(fewer)+minPacked <= len(edits)+1 && len(fewer) < len(best) {
			best = fewer
		}
	}
	return best
}
