package approvals

import (
	"strings"
	"sync"
	"time"

	"gavel"
)

const (
	// nameLife is how long a used prefix blocks other ids.
	nameLife = 24 * time.Hour
	maxNames = 200_000
)

// names remembers prefixes of ids. People identify an approval by its prefix, possibly long
// after they saw it, so an asker must not be able to choose an id that redirects an answer.
// It is kept in memory only.
type names struct {
	mu      sync.Mutex
	used    map[string]time.Time // beginning of an id → when it may be used again
	partial time.Time            // until then it may not know all prefixes
}

// take reserves the prefix of an id; release frees it. An id that the asker chose is refused
// if another id had the same prefix, or if that is unknown.
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
