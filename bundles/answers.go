package bundles

import (
	"context"
	"fmt"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// maxAnswers bounds how many answers of the policy a snapshot remembers. One is some
// hundred bytes to a few kilobytes; the least recently used goes first.
const maxAnswers = 8192

// answers remembers what the policy answered to facts, for as long as its snapshot
// lives. The same facts have the same answer: the compiler admits no built-in function
// whose result depends on anything else (see capabilities). What is run, and under which
// environment, is never remembered: it is made from the facts at hand. Safe for
// concurrent use.
type answers struct {
	cache *lru.Cache[digest, *answer]
	tally *tally
}

// answer is what data.gavel.decision.result said. It is never changed.
type answer struct {
	term    *ast.Term
	effect  gavel.Effect
	reasons []gavel.Reason
}

// tally counts answers of every snapshot that a store ever had.
type tally struct{ remembered, evaluated atomic.Uint64 }

func newAnswers() (*answers, error) {
	cache, err := lru.New[digest, *answer](maxAnswers)
	if err != nil {
		return nil, internal("make room for answers", err)
	}
	return &answers{cache: cache, tally: &tally{}}, nil
}

// answer says what the policy says of facts.
//
// It is asked twice at most. First without facts that only say more of what others
// judge (leanInput), so that calls which differ in those alone are one question: what
// it permits then is its answer. For everything else it is asked with all of them. A
// policy with Rego of its own may read whatever it likes, and is always given all.
func (s *Snapshot) answer(ctx context.Context, facts *gavel.Facts) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", queryResult, err)
	}
	if !s.needsParams {
		found, err := s.lean(ctx, facts)
		if err != nil || found.effect == gavel.Allow {
			return found, err
		}
	}
	key, ok := wholeDigest(facts, s.needsParams)
	if ok {
		if known, ok := s.answers.cache.Get(key); ok {
			s.answers.tally.remembered.Add(1)
			return known, nil
		}
	}
	s.answers.tally.evaluated.Add(1)
	input, err := s.input(ctx, facts)
	if err != nil {
		return nil, err
	}
	term, err := s.eval(ctx, queryResult, input)
	if err != nil {
		return nil, err
	}
	found, err := s.read(term)
	if err == nil && ok {
		s.answers.cache.Add(key, found)
	}
	return found, err
}

// lean says what the policy says without the facts that are withheld. An answer
// that permits nothing is not one: it stands for the question whether to ask again.
func (s *Snapshot) lean(ctx context.Context, facts *gavel.Facts) (*answer, error) {
	key := leanDigest(facts)
	if known, ok := s.answers.cache.Get(key); ok {
		if known.effect == gavel.Allow {
			s.answers.tally.remembered.Add(1)
		}
		return known, nil
	}
	found := &answer{effect: gavel.Deny}
	all, frozen, err := s.completed(ctx, facts)
	if err != nil {
		return nil, err
	}
	term, err := s.eval(ctx, queryResult, leanInput(all, frozen))
	if err != nil { // the question with all the facts says why, unless it is too late for it
		return found, nil
	}
	if said, err := s.read(term); err == nil && said.effect == gavel.Allow {
		found = said
		s.answers.tally.evaluated.Add(1)
	}
	s.answers.cache.Add(key, found)
	return found, nil
}
