package runner

import (
	"strings"

	"gavel/runner/spawn"
)

// limits returns the limits of the command: those of the runner and, with LimitWrites, the paths to
// which the decision lets it write.
func (p *Plan) limits() spawn.Limits {
	limits := p.runner.cfg.Limits
	writes := p.Decision.Exec.Writes
	if !p.runner.cfg.LimitWrites || writes == nil {
		return limits
	}
	limits.Exact = append([]string{}, writes.Under...) // an empty list permits none
	if len(writes.Inexact) > 0 {
		p.note("the kernel cannot hold these patterns of tools.write: %s; of an allow list, nothing may be written there, and of a deny list, everything", strings.Join(writes.Inexact, ", "))
	}
	return limits
}
