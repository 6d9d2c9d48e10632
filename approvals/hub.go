package approvals

import (
	"sync"

	"gavel"
)

// subscriptionSize is how many events a subscriber may lag behind.
const subscriptionSize = 1024

// hub notifies waiters and subscribers of changes.
type hub struct {
	mu          sync.Mutex
	waiting     map[string]map[chan struct{}]bool // by id: closed when the record is no longer pending
	subscribers map[*Subscription]bool
	known       map[string]bool // ids of announced questions whose end was not announced
	closed      bool
}

// The names of events (APPROVALS-1).
const (
	EventRequested = "exec.approval.requested"
	EventResolved  = "exec.approval.resolved"
	EventExpired   = "exec.approval.expired"
)

// Event is a change of an approval. It is shared and must not be modified.
type Event struct {
	Name     string
	Approval gavel.Approval
}

// Subscription is a stream of changes. C is closed when the manager closes, or when the
// subscriber is too slow: it has then missed events, and must list the open questions and
// subscribe again.
type Subscription struct {
	// quiet subscribers are not people, so they do not count as a route to one (R18).
	quiet bool
	C     <-chan *Event
	c     chan *Event
	hub   *hub
}

// Subscribe returns the changes of approvals from now on: each question once, and its end.
// The caller must Cancel it.
func (m *Manager) Subscribe() *Subscription { return m.subscribe(false) }

// SubscribeQuietly is Subscribe for a part of the program that does not reach a person.
func (m *Manager) SubscribeQuietly() *Subscription { return m.subscribe(true) }

func (m *Manager) subscribe(quiet bool) *Subscription {
	c := make(chan *Event, subscriptionSize)
	s := &Subscription{C: c, c: c, hub: &m.hub, quiet: quiet}
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	if m.hub.closed {
		close(c)
		return s
	}
	if m.hub.subscribers == nil {
		m.hub.subscribers = map[*Subscription]bool{}
	}
	m.hub.subscribers[s] = true
	return s
}

// Cancel ends the subscription and closes C. It may be called twice.
func (s *Subscription) Cancel() {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	s.hub.drop(s)
}

func (h *hub) drop(s *Subscription) {
	if h.subscribers[s] {
		delete(h.subscribers, s)
		close(s.c)
	}
}

// listeners returns how many people are listening.
func (h *hub) listeners() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for s := range h.subscribers {
		if !s.quiet {
			n++
		}
	}
	return n
}

// Watched reports whether there is any subscriber.
func (m *Manager) Watched() bool {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	return len(m.hub.subscribers) > 0
}

// Closed reports whether the manager was closed.
func (m *Manager) Closed() bool { return m.hub.isClosed() }

func (h *hub) publish(a gavel.Approval) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if name := h.event(&a); name != "" {
		event := &Event{name, a}
		for s := range h.subscribers {
			select {
			case s.c <- event:
			default:
				h.drop(s)
			}
		}
	}
	if a.State != gavel.ApprovalPending {
		for c := range h.waiting[a.ID] {
			close(c)
		}
		delete(h.waiting, a.ID)
	}
}

// wait returns a channel that is closed when the record is no longer pending, when its state
// is unclear, or when the hub is closed, and a function that releases it.
func (h *hub) wait(id string) (changed <-chan struct{}, release func()) {
	c := make(chan struct{})
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		close(c)
		return c, func() {}
	}
	if h.waiting == nil {
		h.waiting = map[string]map[chan struct{}]bool{}
	}
	if h.waiting[id] == nil {
		h.waiting[id] = map[chan struct{}]bool{}
	}
	h.waiting[id][c] = true
	return c, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.waiting[id], c)
		if len(h.waiting[id]) == 0 {
			delete(h.waiting, id)
		}
	}
}

func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.reset()
}

// reset disconnects watchers, and makes waiters look again.
func (h *hub) reset() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subscribers {
		h.drop(s)
	}
	for _, channels := range h.waiting {
		for c := range channels {
			close(c)
		}
	}
	h.waiting = nil
}

func (h *hub) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// event returns the event for a change; "" for none, for example when another caller asks the
// same. Several changes may arrive together, so the end of a question is announced even if
// its beginning was not.
func (h *hub) event(a *gavel.Approval) string {
	known := h.known[a.ID]
	switch a.State {
	case gavel.ApprovalPending:
		if known {
			return ""
		}
		h.markAnnouncedLocked(a.ID)
		return EventRequested
	case gavel.ApprovalExpired:
		delete(h.known, a.ID)
		if a.Version == 1 {
			return "" // it was never announced
		}
		return EventExpired
	case gavel.ApprovalResolved:
		delete(h.known, a.ID)
		return EventResolved
	}
	delete(h.known, a.ID)
	if known {
		return EventResolved
	}
	return ""
}

func (h *hub) markAnnouncedLocked(id string) {
	if h.known == nil {
		h.known = map[string]bool{}
	}
	h.known[id] = true
}

// markAnnounced records that a question was announced.
func (h *hub) markAnnounced(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.markAnnouncedLocked(id)
}

// Waiting returns how many callers wait for an answer.
func (m *Manager) Waiting() int {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	n := 0
	for _, channels := range m.hub.waiting {
		n += len(channels)
	}
	return n
}
