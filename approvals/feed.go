package approvals

import (
	"sync"

	"gavel"
)

// feed holds the changes that one watcher has not seen yet. It has each record once, so a
// slow watcher costs no more than the store itself.
type feed struct {
	mu     sync.Mutex
	order  []string
	latest map[string]gavel.Approval
	ready  chan struct{}
}

func (f *feed) push(a gavel.Approval) {
	f.mu.Lock()
	if _, queued := f.latest[a.ID]; !queued {
		f.order = append(f.order, a.ID)
	}
	f.latest[a.ID] = a
	f.mu.Unlock()
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

func (f *feed) take() []gavel.Approval {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := make([]gavel.Approval, 0, len(f.order))
	for _, id := range f.order {
		list = append(list, clone(f.latest[id]))
	}
	f.order = nil
	clear(f.latest)
	return list
}
