package bundles

import (
	"context"
	"fmt"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// How many answers of the policy a snapshot remembers, the last ones used, and how long
// the question may be, in bytes as it is digested: an answer may quote all of it, and
// whoever asks must not fill the memory.
const (
	maxAnswers  = 8192
	maxQuestion = 8 << 10
)

// answers remembers what the policy answered to facts, for as long as its snapshot
// lives. The same facts have the same answer: the compiler admits no built-in function
// whose result depends on anything else (see capabilities). What is run, and under which
// environment, is never remembered: it is made from the facts at hand. Safe for
// concurrent use.
type answers struct {
	cache   *lru.Cache[digest, *answer]
	digests digester
	tally   *tally
}

// answer is what data.gavel.decision.result said. It is never changed.
type answer struct {
	effect  gavel.Effect
	reasons []gavel.Reason
	terms   *gavel.Terms // of an ask
	plan    plan
}

// plan is what the policy says of how a command is run; no host means that it is not.
type plan struct {
	host, node, by string
	safe           *ast.Term // which segments are allowed as safe bins
	offer          *gavel.Offer
	offerError     error // what is wrong with the offer
}

// tally counts answers of every snapshot that a store ever had.
type tally struct{ remembered, evaluated atomic.Uint64 }

func newAnswers() (*answers, error) {
	cache, err := lru.New[digest, *answer](maxAnswers)
	if err != nil {
		return nil, internal("create the cache of answers", err)
	}
	return &answers{cache: cache, tally: &tally{}}, nil
}

// answer says what the policy says of completed facts.
//
// It is asked twice at most. First without facts that only say more of what others
// judge (leanInput), so that calls which differ in those alone are one question: what
// it permits then is its answer. For everything else it is asked with all of them, and so
// is a policy whose own Rego may read what is withheld.
func (s *Snapshot) answer(ctx context.Context, given *gavel.Facts, frozen *remembered) (*answer, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("evaluate %s: %w", queryResult, err)
	}
	if found := s.lean(ctx, given, frozen); found != nil && found.effect == gavel.Allow {
		return found, nil
	}
	key, ok := s.answers.digests.whole(given, s.reads.params)
	if ok {
		if known, ok := s.answers.cache.Get(key); ok {
			s.answers.tally.remembered.Add(1)
			return known, nil
		}
	}
	s.answers.tally.evaluated.Add(1)
	input, err := s.input(given, frozen)
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
// that permits nothing is not one: it stands for the question whether to ask again. It
// is nil where nothing is withheld, or the question is too long.
//
// The digest is of what is given to the policy, not of what was observed: what the
// snapshot adds may come from words that are withheld.
func (s *Snapshot) lean(ctx context.Context, given *gavel.Facts, frozen *remembered) *answer {
	if s.reads.withheld {
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
	found := &answer{effect: gavel.Deny}
	term, err := s.eval(ctx, queryResult, leanInput(given, frozen))
	if err != nil { // the question with all the facts says why, unless it is too late for it
		return found
	}
	if said, err := s.read(term); err == nil && said.effect == gavel.Allow {
		found = said
		s.answers.tally.evaluated.Add(1)
	}
	s.answers.cache.Add(key, found)
	return found
}
