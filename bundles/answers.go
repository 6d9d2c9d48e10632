package bundles

import (
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

func (a *answers) get(key digest) (*answer, bool) {
	known, ok := a.cache.Get(key)
	if ok {
		a.tally.remembered.Add(1)
	} else {
		a.tally.evaluated.Add(1)
	}
	return known, ok
}
