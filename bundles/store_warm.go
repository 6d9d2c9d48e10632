package bundles

import (
	"context"
	"slices"
	"time"
)

// How many frozen parts a new snapshot computes before it is in force, most recently used first,
// and how long that may take.
const (
	maxWarmedContexts = 256
	maxWarmTime       = 250 * time.Millisecond
)

// warm computes the frozen parts of the contexts that the previous snapshot used last, while that
// one still decides. Each takes milliseconds, and concurrent calls would otherwise compute the
// same one. What is not computed before ctx ends is computed on demand.
func (s *Snapshot) warm(ctx context.Context, previous *Snapshot) {
	keys := previous.frozenParts.cache.Keys() // least recently used first
	for _, key := range slices.Backward(keys[max(0, len(keys)-maxWarmedContexts):]) {
		part, ok := previous.frozenParts.cache.Peek(key)
		if !ok {
			continue
		}
		if _, err := s.frozenPartFor(ctx, &part.facts); err != nil {
			return
		}
	}
}
