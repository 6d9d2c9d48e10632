package bundles

import (
	"fmt"

	lru "github.com/hashicorp/golang-lru/v2"
)

// maxPrograms is how many compiled programs are kept. One takes some ten megabytes.
const maxPrograms = 16

// Programs keeps what policies are compiled to, without their configurations. Loads that
// are given the same Programs compile the same Rego and data once: who loads many
// policies, one for each tenant say, starts faster and needs less memory. A program is
// known by all that it was made from, so a policy never gets another's. The programs used
// last are kept. It is safe for concurrent use.
type Programs struct {
	kept *lru.Cache[string, *program]
}

// NewPrograms makes one that keeps nothing yet.
func NewPrograms() (*Programs, error) {
	kept, err := lru.New[string, *program](maxPrograms)
	if err != nil {
		return nil, fmt.Errorf("create the store of programs: %w", err)
	}
	return &Programs{kept}, nil
}

// find returns the program of an identity, nil when none is kept.
func (p *Programs) find(identity string) *program {
	if p == nil {
		return nil
	}
	found, _ := p.kept.Get(identity)
	return found
}

// keep keeps a program that was compiled. One whose data held the configuration is of no
// use to another policy.
func (p *Programs) keep(compiled *program) {
	if p != nil && !compiled.inline {
		p.kept.Add(compiled.identity, compiled)
	}
}
