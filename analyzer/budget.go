package analyzer

import (
	"context"
	"slices"
	"strings"
)

// The limits on the work for one call. What lies behind one was not looked at, and a
// fact says so; the policy denies such a call.
const (
	maxPath    = 4096 // bytes of a path, as on Linux
	maxParts   = 256  // names in a path
	maxLookups = 8192 // different questions to the host
)

// The names of the limits, as [gavel.Facts] has them.
const (
	exceededLookups = "lookups"
	exceededPath    = "path"
	exceededTime    = "time"
)

// budget is the work that is left for one call. It is for one goroutine.
type budget struct {
	left     int
	done     <-chan struct{} // closed when nobody waits for the answer any more
	exceeded []string
}

func newBudget(ctx context.Context) budget {
	return budget{left: maxLookups, done: ctx.Done(), exceeded: []string{}}
}

// exceed notes a limit that was met.
func (b *budget) exceed(limit string) {
	if !slices.Contains(b.exceeded, limit) {
		b.exceeded = append(b.exceeded, limit)
		slices.Sort(b.exceeded)
	}
}

// over reports whether there is no time left.
func (b *budget) over() bool {
	select {
	case <-b.done:
		b.exceed(exceededTime)
		return true
	default:
		return false
	}
}

// spend takes one lookup off, and reports whether it may be made.
func (b *budget) spend() bool {
	if b.over() {
		return false
	}
	if b.left == 0 {
		b.exceed(exceededLookups)
		return false
	}
	b.left--
	return true
}

// fits reports whether a path is short enough to be looked up.
func (b *budget) fits(path string) bool {
	if longPath(path) {
		b.exceed(exceededPath)
		return false
	}
	return true
}

// longPath reports whether a text is too long for a path.
func longPath(path string) bool { return len(path) > maxPath || strings.Count(path, "/") > maxParts }
