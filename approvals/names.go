package approvals

import (
	"strings"
	"sync"
	"time"

	"gavel"
)

const (
	// nameLife is how long an id keeps others from beginning like it.
	nameLife = 24 * time.Hour
	maxNames = 200_000
)

// names remembers how ids began. People name an approval by that, and may do so long
// after they were shown it: whoever asks must not choose an id by which an answer to
// one question reaches another. It forgets when the process ends.
type names struct {
	mu      sync.Mutex
	used    map[string]time.Time // beginning of an id → when it may be used again
	partial time.Time            // until then it does not know all
}

// take uses the beginning of an id up; release gives it back. One that the asker
// chose is refused when another id began so, or nobody can tell.
func (n *names) take(id string, chosen bool, now time.Time) (release func(), err error) {
	kept := func() {}
	name := strings.ToLower(id[:min(minPrefix, len(id))])
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.used == nil {
		n.used = map[string]time.Time{}
	}
	known := now.Before(n.used[name])
	switch {
	case chosen && known:
		return nil, &gavel.ApprovalError{Code: gavel.CodeApprovalExists, Message: "this id, or one that begins like it, was used recently",
			Fix: "leave the id out, or use a fresh UUID"}
	case chosen && now.Before(n.partial):
		return nil, &gavel.ApprovalError{Code: gavel.CodeApprovalsFull, Message: "too many ids were used recently to tell whether this one is new", Fix: "leave the id out"}
	}
	if len(n.used) >= maxNames {
		n.prune(now)
	}
	if len(n.used) >= maxNames {
		n.partial = now.Add(nameLife)
		return kept, nil
	}
	n.used[name] = now.Add(nameLife)
	if known {
		return kept, nil
	}
	return func() { n.free(name) }, nil
}

func (n *names) free(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.used, name)
}

func (n *names) prune(now time.Time) {
	for name, until := range n.used {
		if !now.Before(until) {
			delete(n.used, name)
		}
	}
}
