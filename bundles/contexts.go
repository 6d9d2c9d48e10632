package bundles

import (
	"context"
	"fmt"
	"slices"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// maxContexts limits how many contexts a snapshot caches. One takes some kilobytes; the least
// recently used is dropped, and computed again when needed.
const maxContexts = 10_240

// maxContextKey limits the size of the description of a cached context, in bytes, because
// callers must not be able to fill the memory.
const maxContextKey = 2 << 10

// contexts caches the frozen part of each context. Safe for concurrent use.
type contexts struct {
	cache  *lru.Cache[string, *remembered]
	shapes *shapes // of facts
	frozen regoir.ShapeTable
	// writers are used again; each is empty.
	writers sync.Pool
	// bySender is true if the configuration has lists by sender for every conversation.
	bySender bool
}

// remembered is a cached context: the terms of its facts, and its frozen part.
type remembered struct {
	facts  gavel.Facts // those of the context, for the next snapshot
	fields [][2]*ast.Term
	frozen *ast.Term
	shared *ast.Term // the frozen part for inputs
	bins   *ast.Term // the safe bins of the frozen part
	shapes *shapes
}

func newContexts(config map[string]any) (*contexts, error) {
	cache, err := lru.New[string, *remembered](maxContexts)
	if err != nil {
		return nil, internal("create the cache of contexts", err)
	}
	return &contexts{cache: cache, shapes: newShapes(), bySender: hasSenders(config)}, nil
}

// hasSenders reports whether a section of tools has toolsBySender.
func hasSenders(config map[string]any) bool {
	if at(config, "tools", "toolsBySender") != nil {
		return true
	}
	agents, _ := config["agents"].(map[string]any)
	for _, agent := range agents {
		if section, ok := agent.(map[string]any); ok && at(section, "tools", "toolsBySender") != nil {
			return true
		}
	}
	return false
}

// sender is the part of the sender that the frozen part may see: the identity matters to
// lists by sender only, which groups may have.
func (c *contexts) sender(facts *gavel.Facts) gavel.SenderFacts {
	if !c.bySender && (facts.Group.Channel == "" || len(facts.Group.IDs) == 0) {
		return gavel.SenderFacts{Owner: facts.Sender.Owner}
	}
	return facts.Sender
}

// frozen returns the frozen part for the context of some facts. Two goroutines may compute
// the same context; the policy is pure, so the results are equal.
func (s *Snapshot) frozen(ctx context.Context, facts *gavel.Facts) (*remembered, error) {
	tool := s.unlisted(facts)
	judged := s.contexts.sender(facts)
	key := s.contexts.key(facts, &judged, tool)
	if known, ok := s.contexts.cache.Get(key); ok {
		return known, nil
	}
	sender := judged // a copy, so that a known context takes no memory for it
	q := &question{shapes: s.contexts.shapes}
	fields := contextFields(facts, q)
	term, err := s.eval(ctx, queryFrozen, contextInput(&sender, fields, tool, s.customPackages, q))
	if err != nil {
		return nil, err
	}
	if term == nil {
		return nil, fmt.Errorf("%s is undefined", queryFrozen)
	}
	known := &remembered{facts: contextFacts(facts, sender), fields: fields, frozen: (&sharer{map[int][]*ast.Term{}}).share(term), shapes: s.contexts.shapes}
	known.shared = s.contexts.frozen.Share(known.frozen)
	known.bins = get(get(get(known.frozen, "exec"), "safe_bins"), "bins")
	if len(key) <= maxContextKey {
		s.contexts.cache.Add(key, known)
	}
	return known, nil
}

// unlisted is the called tool, if the frozen part does not cover it otherwise.
func (s *Snapshot) unlisted(facts *gavel.Facts) string {
	name := facts.Tool.Name
	if s.known[name] {
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
func (c *contexts) key(facts *gavel.Facts, sender *gavel.SenderFacts, tool string) string {
	w, ok := c.writers.Get().(*writer)
	if !ok {
		w = new(writer)
	}
	w.context(facts)
	w.sender(sender)
	w.text(tool)
	key := string(w.buf)
	if cap(w.buf) <= maxContextKey {
		*w = writer{buf: w.buf[:0]}
		c.writers.Put(w)
	}
	return key
}
