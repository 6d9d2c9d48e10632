package bundles

import (
	"context"
	"fmt"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// The number of policy answers that a snapshot caches (least recently used first out), and
// the largest size of a cached question, in bytes of its digest input. An answer may quote
// all of its question, and callers must not be able to fill the memory.
const (
	maxAnswers  = 8192
	maxQuestion = 8 << 10
)

// answers caches the policy's answers to facts for the lifetime of a snapshot. Equal facts
// have equal answers, because the compiler admits no built-in function whose result depends
// on anything else (see capabilities). The command to run and its environment are never
// cached; they come from the current facts. Safe for concurrent use.
type answers struct {
	cache   *lru.Cache[digest, *answer]
	digests digester
	tally   *tally
	// inVain counts, for each tool of the catalog, the questions without words since the last
	// one that sufficed.
	inVain map[string]*atomic.Int32
}

// A tool for which so many questions without words did not suffice one after another, because
// its rules look at words, is asked about with all facts at once; but for every so many calls.
const (
	mostInVain = 16
	triedAgain = 64
)

// answer is the value of data.gavel.decision.result. It never changes.
type answer struct {
	effect  gavel.Effect
	reasons []gavel.Reason
	terms   *gavel.Terms // of an ask
	web     *gavel.Web   // of a web tool
	verify  []string     // the verifiers that must agree, or have
	asks    *gavel.Asks  // what to ask them now; nil for nothing
	plan    plan
}

// plan is how a command runs according to the policy; without a host, it does not run.
type plan struct {
	host, node, by string
	safe           *ast.Term // which segments are allowed as safe bins
	skills         *ast.Term // and which as programs of skills
	sandbox        *gavel.Sandbox
	synchronous    bool
	writes         *gavel.Writes
	ignored        []string
	offer          *gavel.Offer
	offerError     error // why there is no offer
}

// tally counts the answers of every snapshot that a store has had.
type tally struct{ remembered, evaluated atomic.Uint64 }

func newAnswers(tools map[string]bool) (*answers, error) {
	cache, err := lru.New[digest, *answer](maxAnswers)
	if err != nil {
		return nil, internal("create the cache of answers", err)
	}
	a := &answers{cache: cache, tally: &tally{}, inVain: make(map[string]*atomic.Int32, len(tools))}
	for name := range tools {
		a.inVain[name] = new(atomic.Int32)
	}
	return a, nil
}

// tries reports whether a question without words is worth its time for a tool.
func (a *answers) tries(tool string) bool {
	n := a.inVain[tool]
	if n == nil || n.Load() < mostInVain {
		return true
	}
	return n.Add(1)%triedAgain == 0
}

// tried notes whether a question without words sufficed.
func (a *answers) tried(tool string, sufficed bool) {
	switch n := a.inVain[tool]; {
	case n == nil:
	case sufficed:
		n.Store(0)
	default:
		n.Add(1)
	}
}

// answer returns the policy's answer for completed facts.
//
// The policy is asked at most twice. First without facts that only add detail (leanInput), so
// that calls that differ only in those are one question; if it permits the call, that is the
// answer. Otherwise it is asked with all facts. So is a policy whose own Rego may read what
// is withheld.
func (s *Snapshot) answer(ctx context.Context, given *gavel.Facts, frozen *remembered) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", queryResult, err)
	}
	if found := s.lean(ctx, given, frozen); found != nil && found.effect == gavel.Allow {
		return found, nil
	}
	var key digest
	ok := false
	if !s.forgets {
		key, ok = s.answers.digests.whole(given, s.reads.params)
	}
	if ok {
		if known, ok := s.answers.cache.Get(key); ok {
			s.answers.tally.remembered.Add(1)
			return known, nil
		}
	}
	s.answers.tally.evaluated.Add(1)
	input, err := s.deferred(given, frozen)
	if err != nil {
		return nil, err
	}
	term, err := s.evalDeferred(ctx, queryResult, input)
	if err != nil {
		return nil, err
	}
	found, err := s.read(term)
	if err == nil && ok {
		s.answers.cache.Add(key, found)
	}
	return found, err
}

// lean returns the policy's answer without the withheld facts. An answer that does not permit
// the call is only a reason to ask again. The result is nil if nothing is withheld, the
// question is too large, or it has not sufficed for this tool lately.
//
// The digest covers what the policy is given, not what was observed: the snapshot's additions
// may come from withheld words.
func (s *Snapshot) lean(ctx context.Context, given *gavel.Facts, frozen *remembered) *answer {
	if s.reads.withheld || s.forgets {
		return nil
	}
	key, ok := s.answers.digests.lean(given)
	if !ok {
		return nil
	}
	if known, ok := s.answers.cache.Get(key); ok {
		if known.effect == gavel.Allow {
			s.answers.tally.remembered.Add(1)
		}
		return known
	}
	if !s.answers.tries(given.Tool.Name) {
		return nil
	}
	found := &answer{effect: gavel.Deny}
	term, err := s.evalDeferred(ctx, queryResult, leanInput(given, frozen))
	if err != nil { // the full question gives the reasons, unless time is up
		return found
	}
	if said, err := s.read(term); err == nil && said.effect == gavel.Allow {
		found = said
		s.answers.tally.evaluated.Add(1)
	}
	s.answers.tried(given.Tool.Name, found.effect == gavel.Allow)
	s.answers.cache.Add(key, found)
	return found
}
