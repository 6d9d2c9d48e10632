package host

import (
	"context"
	"slices"
	"strings"
)

// The limits on the work for one call. Whatever exceeds a limit is not looked up. A fact reports it,
// and the policy denies such a call.
const (
	MaxPath    = 4096 // bytes of a path, as on Linux
	maxParts   = 256  // names in a path
	maxLookups = 8192 // distinct lookups
)

// The names of the limits, as [gavel.Facts] has them.
const (
	exceededLookups = "lookups"
	exceededPath    = "path"
	exceededTime    = "time"
)

// budget is the remaining work for one call. It must not be used concurrently.
type budget struct {
	left     int
	done     <-chan struct{} // closed when the result is no longer needed
	exceeded []string
}

func newBudget(ctx context.Context) budget {
	return budget{left: maxLookups, done: ctx.Done(), exceeded: []string{}}
}

// Exceeded returns the sorted names of the limits that were exceeded; never nil.
func (b *budget) Exceeded() []string { return b.exceeded }

// exceed records an exceeded limit.
func (b *budget) exceed(limit string) {
	if !slices.Contains(b.exceeded, limit) {
		b.exceeded = append(b.exceeded, limit)
		slices.Sort(b.exceeded)
	}
}

// ExceedLookups records that more lookups were needed than the limit permits.
func (b *budget) ExceedLookups() { b.exceed(exceededLookups) }

// TimedOut reports whether the context has ended, and records it.
func (b *budget) TimedOut() bool {
	select {
	case <-b.done:
		b.exceed(exceededTime)
		return true
	default:
		return false
	}
}

// spend uses up one lookup, and reports whether it may be made.
func (b *budget) spend() bool {
	if b.TimedOut() {
		return false
	}
	if b.left == 0 {
		b.exceed(exceededLookups)
		return false
	}
	b.left--
	return true
}

// FitsPath reports whether a path is short enough to be looked up, and records if it is not.
func (b *budget) FitsPath(path string) bool {
	if PathTooLong(path) {
		b.exceed(exceededPath)
		return false
	}
	return true
}

// PathTooLong reports whether a text is too long for a path.
func PathTooLong(path string) bool { return len(path) > MaxPath || strings.Count(path, "/") > maxParts }
