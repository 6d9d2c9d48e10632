package bundles

import (
	"context"
	"slices"
	"time"

	"gavel"
)

// How many contexts a snapshot takes over from the one before it, the last ones used,
// and how long a store lets that keep it from being in force.
const (
	maxWarmed = 256
	warmLimit = 250 * time.Millisecond
)

// warm computes the frozen part of the contexts that the snapshot before was asked about
// last, while that one still decides: one takes milliseconds, and calls that come at the
// same time would each compute it. What is not computed before ctx ends, or cannot be,
// is computed when it is asked for.
func (s *Snapshot) warm(ctx context.Context, before *Snapshot) {
	keys := before.contexts.cache.Keys() // the last one used stands last
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

// contextFacts are the facts that a context is made of, and their own: what a call
// brought is the caller's.
func contextFacts(facts *gavel.Facts) gavel.Facts {
	kept := copyContext(facts)
	kept.Sender, kept.Tool.Name = contextSender(facts), facts.Tool.Name
	return kept
}
