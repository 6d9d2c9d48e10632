package bundles

import (
	"fmt"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// maxPassed limits how many policies are remembered that passed their own tests.
const maxPassed = 4096

// maxPrograms limits how many compiled programs are kept. One takes tens of megabytes.
const maxPrograms = 16

// Programs caches compiled policies without their configurations. Loads that share a Programs
// compile the same Rego and data once. A process that loads many policies, such as one per
// tenant, starts faster and needs less memory. A program is identified by everything that it
// was made from, so a policy never gets another's. The least recently used are dropped. It is
// safe for concurrent use.
type Programs struct {
	kept   *lru.Cache[string, *program]
	passed *lru.Cache[string, int] // how many tests of its own a policy passed, by revision
	root   parsedRoot
}

// parsedRoot is the built-in policy as it was parsed last. The compiler copies the modules that
// it is given, so policies with Rego of their own share them.
type parsedRoot struct {
	mu     sync.Mutex
	digest string
	parsed bundle.Bundle
}

// NewPrograms returns an empty cache.
func NewPrograms() (*Programs, error) {
	kept, err := lru.New[string, *program](maxPrograms)
	if err != nil {
		return nil, fmt.Errorf("create the store of programs: %w", err)
	}
	passed, err := lru.New[string, int](maxPassed)
	if err != nil {
		return nil, fmt.Errorf("create the store of programs: %w", err)
	}
	return &Programs{kept: kept, passed: passed}, nil
}

// parseRoot parses the modules and data of the built-in policy, unless that was done before.
func (p *Programs) parseRoot(builtin files, atOnce int) (bundle.Bundle, error) {
	const name = "built-in"
	if p == nil {
		return parse(builtin, name, atOnce)
	}
	p.root.mu.Lock()
	defer p.root.mu.Unlock()
	digest := hashed(Config{}, builtin)
	if p.root.digest == digest {
		return p.root.parsed, nil
	}
	parsed, err := parse(builtin, name, atOnce)
	if err == nil {
		p.root.digest, p.root.parsed = digest, parsed
	}
	return parsed, err
}

// find returns the program with an identity, or nil.
func (p *Programs) find(identity string) *program {
	if p == nil {
		return nil
	}
	found, _ := p.kept.Get(identity)
	return found
}

// keep caches a compiled program. A program whose data includes the configuration is useless
// for other policies.
func (p *Programs) keep(compiled *program) {
	if p != nil && !compiled.inline {
		p.kept.Add(compiled.identity, compiled)
	}
}

// pass remembers that a policy passed its own tests. They depend on nothing but the policy, so
// the next load with the same revision need not run them.
func (p *Programs) pass(revision string, tests int) {
	if p != nil {
		p.passed.Add(revision, tests)
	}
}

// hasPassed returns how many tests of its own a policy passed, and false if it is not known.
func (p *Programs) hasPassed(revision string) (tests int, ok bool) {
	if p == nil {
		return 0, false
	}
	return p.passed.Get(revision)
}
