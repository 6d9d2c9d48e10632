package lint

import (
	"maps"
	"slices"

	"gavel/internal/nearest"
)

// unknownHazards warns about hazards that a rule accepts but its program does not have. kinds are the
// kinds of hazard, which any program may have, with their meanings.
func (l *ruleLint) unknownHazards(r configuredRule, program string, kinds map[string]string) {
	for _, name := range textsOf(r.given["accepts"]) {
		if _, isKind := kinds[name]; isKind || name == "any" || l.hazards.MayBeHazard(program, name) {
			continue
		}
		l.add(r.path+".accepts", "correct the name, or delete it; gavel programs "+program+" lists the hazards",
			"%s has no hazard %q, so accepting it has no effect", program, name).Nearest = nearest.Name(name, slices.Sorted(maps.Keys(kinds)))
	}
}
