package bundles

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	cache   *lru.Cache[digest, known]
	digests digester
	tally   *tally
	spaces  sync.Pool // of *completed, all zero
}

// maxReused is how many segments a space may have to be used again.
const maxReused = 16

// space returns room for the completed facts of one call.
func (a *answers) space() *completed {
	if c, ok := a.spaces.Get().(*completed); ok {
		return c
	}
	return new(completed)
}

// reuse takes back room that nothing refers to any longer, and forgets the call.
func (a *answers) reuse(c *completed) {
	if cap(c.segments) > maxReused {
		c.segments = nil
	}
	clear(c.segments)
	*c = completed{segments: c.segments[:0]}
	a.spaces.Put(c)
}

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
	lifecycle      *gavel.Lifecycle
	writes         *gavel.Writes
	ignored        []string
	offer          *gavel.Offer
	offerError     error // why there is no offer
}

// tally counts the answers of every snapshot that a store has had.
type tally struct{ remembered, evaluated atomic.Uint64 }

func newAnswers() (*answers, error) {
	cache, err := lru.New[digest, known](maxAnswers)
	if err != nil {
		return nil, internal("create the cache of answers", err)
	}
	return &answers{cache: cache, tally: &tally{}}, nil
}

// known is what is cached under a digest: an answer, or which varying facts answers depend on
// that are cached with them.
type known struct {
	answer  *answer
	depends varying
}

// answer returns the policy's answer for completed facts, and whether it was cached.
//
// A cached answer is found by the facts that the rules looked at: while the policy is
// evaluated, every fact notes that it is looked at. So an answer to which one of the varying
// facts made no difference is the answer to all calls that differ only in those.
func (s *Snapshot) answer(ctx context.Context, given *gavel.Facts, frozen *remembered) (found *answer, cached bool, err error) {
	if err := ctx.Err(); err != nil {
		return nil, false, fmt.Errorf("evaluate %s: %w", queryResult, err)
	}
	if s.forgets {
		found, _, err := s.evaluated(ctx, given, frozen)
		return found, false, err
	}
	found, where := s.answers.find(given)
	if found != nil {
		s.answers.tally.remembered.Add(1)
		return found, true, nil
	}
	found, looked, err := s.evaluated(ctx, given, frozen)
	if err == nil {
		s.answers.add(given, where, looked, found)
	}
	return found, false, err
}

// evaluated evaluates the policy. It also returns which of the varying facts the rules looked
// at.
func (s *Snapshot) evaluated(ctx context.Context, given *gavel.Facts, frozen *remembered) (*answer, varying, error) {
	s.answers.tally.evaluated.Add(1)
	q := newQuestion(frozen)
	term, err := s.evalDeferred(ctx, queryResult, q.input(given))
	if err != nil {
		return nil, 0, err
	}
	found, err := s.read(term)
	return found, q.looked, errors.Join(err, q.wrong)
}

// spot is where an answer to some facts is, or would be. Some facts have none.
type spot struct {
	key digest
	ok  bool
}

func (a *answers) spot(given *gavel.Facts, with varying) (p spot) {
	p.key, p.ok = a.digests.of(given, with)
	return p
}

// missed is where an answer was looked for and is not: without the facts that vary, and with those
// of them that answers to such facts have depended on so far.
type missed struct {
	without, with spot
	depends       varying
}

// find returns the cached answer to some facts, or nil and where it was looked for.
func (a *answers) find(given *gavel.Facts) (*answer, missed) {
	m := missed{without: a.spot(given, 0)}
	found := a.at(m.without)
	if found.answer != nil || found.depends == 0 {
		return found.answer, m
	}
	m.depends, m.with = found.depends, a.spot(given, found.depends)
	return a.at(m.with).answer, m
}

func (a *answers) at(p spot) (found known) {
	if p.ok {
		found, _ = a.cache.Get(p.key)
	}
	return found
}

// add caches an answer where find looks for it.
func (a *answers) add(given *gavel.Facts, m missed, looked varying, found *answer) {
	at := m.without
	switch {
	case looked == 0:
	case looked|m.depends == m.depends:
		at = m.with
	default: // other calls may have other answers, which may depend on more
		looked |= m.depends
		at = a.spot(given, looked)
		a.keep(m.without, known{depends: looked})
	}
	a.keep(at, known{answer: found})
}

func (a *answers) keep(p spot, k known) {
	if p.ok {
		a.cache.Add(p.key, k)
	}
}
