package bundles

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"

	"gavel"
)

// The number of results that a snapshot caches, least recently used first out, and the largest
// size of facts whose result is cached, in bytes of what is digested. A result may quote all of
// its facts, and callers must not be able to fill the memory.
const (
	maxCachedResults = 8192
	maxCachedFacts   = 8 << 10
)

// maxRecycledSegments is how many segments a buffer may have to be used again.
const maxRecycledSegments = 16

// resultCache caches results by the facts that they depend on, as long as the snapshot. Equal
// facts have equal results, because Rego can call no function that depends on anything else
// (builtins.Capabilities). The command to run and its environment are not part of a result; they
// come from the current facts. Safe for concurrent use.
//
// Some facts vary from call to call, and most rules look at none of them ([varying]). They are
// left out of the digest if the rules did not look at them. So the cache has two steps. The digest
// without varying facts leads to a result, or to an entry that says which of them results depend
// on. The digest with these leads to the result.
type resultCache struct {
	cache    *lru.Cache[digest, cacheEntry]
	digester digester
	counters *decisionCounters
	buffers  sync.Pool // of *completedFacts, all zero but for the capacity of segments
}

// cacheEntry is a result or, if depends is not 0, the varying facts that results depend on.
type cacheEntry struct {
	result  *result
	depends varying
}

// decisionCounters count the results of every snapshot that a store has had.
type decisionCounters struct{ cached, evaluated atomic.Uint64 }

func newResultCache() (*resultCache, error) {
	cache, err := lru.New[digest, cacheEntry](maxCachedResults)
	if err != nil {
		return nil, fmt.Errorf("create the cache of results: %w", err)
	}
	return &resultCache{cache: cache, counters: &decisionCounters{}}, nil
}

// newBuffer returns an empty buffer for the facts of one call.
func (c *resultCache) newBuffer() *completedFacts {
	if buffer, ok := c.buffers.Get().(*completedFacts); ok {
		return buffer
	}
	return new(completedFacts)
}

// recycle takes back a buffer that nothing refers to any longer, and clears it.
func (c *resultCache) recycle(buffer *completedFacts) {
	if cap(buffer.segments) > maxRecycledSegments {
		buffer.segments = nil
	}
	clear(buffer.segments)
	*buffer = completedFacts{segments: buffer.segments[:0]}
	c.buffers.Put(buffer)
}

// cachedResult returns the result for completed facts, and whether it came from the cache.
func (s *Snapshot) cachedResult(ctx context.Context, facts *gavel.Facts, frozen *frozenPart) (found *result, cached bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("evaluate %s: %w", queryResult, err)
	}
	if s.noCache {
		found, _, err := s.evaluate(ctx, facts, frozen)
		return found, false, err
	}
	found, lookup := s.results.get(facts)
	if found != nil {
		s.results.counters.cached.Add(1)
		return found, true, nil
	}
	found, used, err := s.evaluate(ctx, facts, frozen)
	if err == nil {
		s.results.add(facts, lookup, used, found)
	}
	return found, false, err
}

// evaluate evaluates the policy. It also returns which of the varying facts the rules looked at.
func (s *Snapshot) evaluate(ctx context.Context, facts *gavel.Facts, frozen *frozenPart) (*result, varying, error) {
	s.results.counters.evaluated.Add(1)
	b := newInputBuilder(frozen)
	term, err := s.evalDeferred(ctx, queryResult, b.input(facts))
	if err != nil {
		return nil, 0, err
	}
	found, err := s.readResult(term)
	return found, b.looked, errors.Join(err, b.err)
}

// cacheKey is where the result for some facts is cached. Some facts have no key (digester.sum).
type cacheKey struct {
	digest digest
	ok     bool
}

func (c *resultCache) key(facts *gavel.Facts, include varying) (key cacheKey) {
	key.digest, key.ok = c.digester.sum(facts, include)
	return key
}

// cacheLookup is a lookup that found no result: its keys without varying facts, and with those
// that results are known to depend on.
type cacheLookup struct {
	base, extended cacheKey
	depends        varying
}

// get returns the cached result, or nil and what add needs.
func (c *resultCache) get(facts *gavel.Facts) (*result, cacheLookup) {
	lookup := cacheLookup{base: c.key(facts, 0)}
	entry := c.entry(lookup.base)
	if entry.result != nil || entry.depends == 0 {
		return entry.result, lookup
	}
	lookup.depends, lookup.extended = entry.depends, c.key(facts, entry.depends)
	return c.entry(lookup.extended).result, lookup
}

func (c *resultCache) entry(key cacheKey) (entry cacheEntry) {
	if key.ok {
		entry, _ = c.cache.Get(key.digest)
	}
	return entry
}

// add caches a result after a lookup. used are the varying facts that the rules looked at.
func (c *resultCache) add(facts *gavel.Facts, lookup cacheLookup, used varying, r *result) {
	key := lookup.base
	switch {
	case used == 0:
	case used|lookup.depends == lookup.depends:
		key = lookup.extended
	default: // a dependency that was not known before; keep the others, which other calls have
		used |= lookup.depends
		key = c.key(facts, used)
		c.put(lookup.base, cacheEntry{depends: used})
	}
	c.put(key, cacheEntry{result: r})
}

func (c *resultCache) put(key cacheKey, entry cacheEntry) {
	if key.ok {
		c.cache.Add(key.digest, entry)
	}
}
