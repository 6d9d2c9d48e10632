package bundles

import (
	"cmp"
	"math"

	"gavel"
)

// toolAllowed is the reason that nearly every allowed call has.
const toolAllowed = "tools.allowed"

// inOrder puts the reasons about the whole call in front, then those about a part of the
// command, in its order. That the tool itself is allowed says the least, and stands last.
func inOrder(a, b gavel.Reason) int { return cmp.Compare(rank(a), rank(b)) }

func rank(r gavel.Reason) int {
	switch {
	case r.Code == toolAllowed:
		return math.MaxInt
	case r.Span != nil:
		return 1 + r.Span.Start
	default:
		return 0
	}
}
