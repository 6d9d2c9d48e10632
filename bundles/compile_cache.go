package bundles

import (
	"fmt"
	"sync"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/open-policy-agent/opa/v1/bundle"
)

// The sizes of a CompileCache: compiled Rego, which takes tens of megabytes each, and policies that
// passed their tests.
const (
	maxCompiled = 16
	maxPassed   = 4096
)

// CompileCache caches compiled Rego. Loads with a common CompileCache compile the same Rego and
// data once, so that a process with many policies, such as one for each tenant, starts faster and
// needs less memory. Everything that compiled Rego is made from identifies it, so a policy never
// gets that of another. The least recently used is dropped. The built-in policy is parsed once. A nil CompileCache caches nothing. It
// is safe for concurrent use.
type CompileCache struct {
	compiled *lru.Cache[string, *compiledRego] // by identity
	passed   *lru.Cache[string, int]           // how many Rego tests a policy passed, by revision
	builtin  parsedBuiltin
}

// parsedBuiltin is the built-in policy as it was parsed last. The compiler copies the modules that
// it is given, so policies with custom Rego share them.
type parsedBuiltin struct {
	mu     sync.Mutex
	digest string
	parsed bundle.Bundle
}

// NewCompileCache returns an empty cache.
func NewCompileCache() (*CompileCache, error) {
	kept, err := lru.New[string, *compiledRego](maxCompiled)
	if err != nil {
		return nil, fmt.Errorf("create the cache of compiled Rego: %w", err)
	}
	passed, err := lru.New[string, int](maxPassed)
	if err != nil {
		return nil, fmt.Errorf("create the cache of compiled Rego: %w", err)
	}
	return &CompileCache{compiled: kept, passed: passed}, nil
}

// parseBuiltin parses the modules and data of the built-in policy, unless the last call parsed the same.
func (p *CompileCache) parseBuiltin(builtin files, parallelism int) (bundle.Bundle, error) {
	const name = "built-in"
	if p == nil {
		return parseBundle(builtin, name, parallelism)
	}
	p.builtin.mu.Lock()
	defer p.builtin.mu.Unlock()
	digest := hashFiles(Config{}, builtin)
	if p.builtin.digest == digest {
		return p.builtin.parsed, nil
	}
	parsed, err := parseBundle(builtin, name, parallelism)
	if err == nil {
		p.builtin.digest, p.builtin.parsed = digest, parsed
	}
	return parsed, err
}

// get returns compiled Rego, or nil.
func (p *CompileCache) get(identity string) *compiledRego {
	if p == nil {
		return nil
	}
	found, _ := p.compiled.Get(identity)
	return found
}

// put caches compiled Rego. If its data includes the configuration, no other policy can use it.
func (p *CompileCache) put(compiled *compiledRego) {
	if p != nil && !compiled.inline {
		p.compiled.Add(compiled.identity, compiled)
	}
}

// recordPass records that a policy passed its tests. They depend only on the policy, so that the
// next load of the same revision need not run them.
func (p *CompileCache) recordPass(revision string, tests int) {
	if p != nil {
		p.passed.Add(revision, tests)
	}
}

// passedTests returns how many tests a policy passed. It returns false if that was not recorded.
func (p *CompileCache) passedTests(revision string) (tests int, ok bool) {
	if p == nil {
		return 0, false
	}
	return p.passed.Get(revision)
}
