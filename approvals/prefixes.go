package approvals

import (
	"strings"
	"sync"
	"time"

	"gavel"
)

const (
	// prefixLife is how long a used prefix blocks other ids.
	prefixLife  = 24 * time.Hour
	maxPrefixes = 200_000
)

// idPrefixes remembers prefixes of ids. People identify an approval by its prefix, perhaps long
// after they saw it, so an asker must not be able to choose an id that redirects an answer. It is
// kept in memory only.
type idPrefixes struct {
	mu      sync.Mutex
	used    map[string]time.Time // prefix → when it may be used again
	partial time.Time            // until then, some used prefixes may be missing from used
}

// reserve reserves the prefix of an id; release frees it. An id that the asker chose is refused
// if another id had the same prefix, or if that is unknown.
func (n *idPrefixes) reserve(id string, chosen bool, now time.Time) (release func(), err error) {
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
	if len(n.used) >= maxPrefixes {
		n.prune(now)
	}
	if len(n.used) >= maxPrefixes {
		n.partial = now.Add(prefixLife)
		return kept, nil
	}
	n.used[name] = now.Add(prefixLife)
	if known {
		return kept, nil
	}
	return func() { n.free(name) }, nil
}

func (n *idPrefixes) free(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.used, name)
}

func (n *idPrefixes) prune(now time.Time) {
	for name, until := range n.used {
		if !now.Before(until) {
			delete(n.used, name)
		}
	}
}
