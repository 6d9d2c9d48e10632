package bundles

import (
	"context"
	"fmt"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/bundles/config"
	"gavel/internal/regoir"
)

// maxContexts limits how many frozen parts a snapshot caches, least recently used first out. One
// takes some kilobytes.
const maxContexts = 10_240

// maxContextKey limits the size of a cached key, in bytes, because callers must not be able to
// fill the memory.
const maxContextKey = 2 << 10

// frozenCache caches the frozen part of each context. It is safe for concurrent use.
type frozenCache struct {
	cache        *lru.Cache[string, *frozenPart]
	factShapes   *shapes
	frozenShapes regoir.ShapeTable
	writers      sync.Pool // of *keyWriter, all empty
	bySender     bool      // toolsBySender is configured outside groups
}

// frozenPart is what depends on the context of a call only: agent, model, group and so on.
// It holds the terms of the facts in the context too, because every input of it has them.
type frozenPart struct {
	facts    gavel.Facts    // those of the context, to compute the part again for the next snapshot
	fields   [][2]*ast.Term // the same facts as members of an input
	term     *ast.Term      // the value of data.gavel.frozen.fresh
	shared   *ast.Term      // the same value in a form that inputs can share
	safeBins *ast.Term      // exec.safe_bins.bins of it
	shapes   *shapes
}

func newFrozenCache(config map[string]any) (*frozenCache, error) {
	cache, err := lru.New[string, *frozenPart](maxContexts)
	if err != nil {
		return nil, fmt.Errorf("create the cache of contexts: %w", err)
	}
	return &frozenCache{cache: cache, factShapes: newShapes(), bySender: hasToolsBySender(config)}, nil
}

// hasToolsBySender reports whether the global tools, or those of an agent, have toolsBySender.
func hasToolsBySender(document map[string]any) bool {
	if config.LookUp(document, "tools", "toolsBySender") != nil {
		return true
	}
	agents, _ := document["agents"].(map[string]any)
	for _, agent := range agents {
		if settings, ok := agent.(map[string]any); ok && config.LookUp(settings, "tools", "toolsBySender") != nil {
			return true
		}
	}
	return false
}

// relevantSender returns the facts about the sender that the frozen part may depend on. Only
// toolsBySender reads who the sender is, and groups may have it. Leaving the identity out
// elsewhere keeps the number of contexts small.
func (c *frozenCache) relevantSender(facts *gavel.Facts) gavel.SenderFacts {
	if !c.bySender && (facts.Group.Channel == "" || len(facts.Group.IDs) == 0) {
		return gavel.SenderFacts{Owner: facts.Sender.Owner}
	}
	return facts.Sender
}

// frozenPartFor returns the frozen part for the context of some facts. Two goroutines may compute
// the same one; the policy is pure, so the results are equal.
func (s *Snapshot) frozenPartFor(ctx context.Context, facts *gavel.Facts) (*frozenPart, error) {
	tool := s.uncoveredTool(facts)
	sender := s.frozenParts.relevantSender(facts)
	key := s.frozenParts.key(facts, &sender, tool)
	if part, ok := s.frozenParts.cache.Get(key); ok {
		return part, nil
	}
	escaping := sender // a copy, so that sender itself stays on the stack when the cache has the part
	b := &inputBuilder{shapes: s.frozenParts.factShapes}
	fields := contextFields(facts, b)
	term, err := s.eval(ctx, queryFrozen, contextInput(&escaping, fields, tool, s.customPackages, b))
	if err != nil {
		return nil, err
	}
	if term == nil {
		return nil, fmt.Errorf("%s is undefined", queryFrozen)
	}
	term = (&deduplicator{map[int][]*ast.Term{}}).term(term)
	part := &frozenPart{facts: contextFacts(facts, escaping), fields: fields, term: term, shapes: s.frozenParts.factShapes,
		shared: s.frozenParts.frozenShapes.Share(term), safeBins: get(get(get(term, "exec"), "safe_bins"), "bins")}
	if len(key) <= maxContextKey {
		s.frozenParts.cache.Add(key, part)
	}
	return part, nil
}

// uncoveredTool returns the called tool if the frozen part covers it only because it was called:
// it is neither in the catalog nor a plugin's. Otherwise it returns "".
func (s *Snapshot) uncoveredTool(facts *gavel.Facts) string {
	name := facts.Tool.Name
	if s.coveredTools[name] {
		return ""
	}
	for _, tools := range facts.Plugins {
		if slices.Contains(tools, name) {
			return ""
		}
	}
	return name
}

// key encodes everything that contextInput passes to the frozen part, so that two contexts never
// share a key.
func (c *frozenCache) key(facts *gavel.Facts, sender *gavel.SenderFacts, tool string) string {
	w, ok := c.writers.Get().(*keyWriter)
	if !ok {
		w = new(keyWriter)
	}
	w.context(facts)
	w.sender(sender)
	w.string(tool)
	key := string(w.buf)
	if cap(w.buf) <= maxContextKey {
		*w = keyWriter{buf: w.buf[:0]}
		c.writers.Put(w)
	}
	return key
}

// contextFacts returns a copy of the facts that make up a context. It shares no memory with the
// call.
func contextFacts(facts *gavel.Facts, sender gavel.SenderFacts) gavel.Facts {
	copied := copyContext(facts)
	copied.Sender, copied.Tool.Name = sender, facts.Tool.Name
	return copied
}
