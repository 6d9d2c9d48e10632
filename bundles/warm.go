package bundles

import (
	"context"
	"slices"
	"time"

	"gavel"
)

// How many contexts a snapshot takes over from the previous one, most recently used first,
// and how long that may delay it.
const (
	maxWarmed = 256
	warmLimit = 250 * time.Millisecond
)

// warm computes the frozen part of the contexts used most recently with the previous
// snapshot, which still decides in the meantime. Each takes milliseconds, and concurrent
// calls would otherwise compute the same one. Contexts that are not computed before ctx ends
// are computed on demand.
func (s *Snapshot) warm(ctx context.Context, before *Snapshot) {
	keys := before.contexts.cache.Keys() // the most recently used is last
	for _, key := range slices.Backward(keys[max(0, len(keys)-maxWarmed):]) {
		known, ok := before.contexts.cache.Peek(key)
		if !ok {
			continue
		}
		if _, err := s.frozen(ctx, &known.facts); err != nil {
			return
		}
	}
}

// contextFacts returns a copy of the facts that make up a context, without data that a call
// owns.
func contextFacts(facts *gavel.Facts, sender gavel.SenderFacts) gavel.Facts {
	kept := copyContext(facts)
	kept.Sender, kept.Tool.Name = sender, facts.Tool.Name
	return kept
}
