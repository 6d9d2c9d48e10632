package approvals

import (
	"sync"

	"gavel"
)

// subscriptionSize is how many events a subscriber may be behind.
const subscriptionSize = 1024

// hub tells waiters and subscribers of changes.
type hub struct {
	mu          sync.Mutex
	waiting     map[string]map[chan struct{}]bool // by id: closed when the record is no longer pending
	subscribers map[*Subscription]bool
	known       map[string]bool // ids whose question was announced and not its end
	closed      bool
}

// The names of events (APPROVALS-1).
const (
	EventRequested = "exec.approval.requested"
	EventResolved  = "exec.approval.resolved"
	EventExpired   = "exec.approval.expired"
)

// Event is something that happened to an approval. It is shared: nobody may change it.
type Event struct {
	Name     string
	Approval gavel.Approval
}

// Subscription is a stream of changes. C is closed when the manager closes, and
// when the subscriber is too slow: then it has missed something, and has to list
// what is open and subscribe again.
type Subscription struct {
	// quiet subscribers are no people: they are no way to one (R18).
	quiet bool
	C     <-chan *Event
	c     chan *Event
	hub   *hub
}

// Subscribe yields what happens to approvals from now on: each question once, and
// its end. The caller must Cancel it.
func (m *Manager) Subscribe() *Subscription { return m.subscribe(false) }

// SubscribeQuietly is the same for a part of the program, which does not reach a person.
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

// listeners is how many people listen.
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

// Watched reports whether anybody subscribes, people or not.
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

// wait returns a channel that is closed when the record is no longer pending, when
// nobody can tell, or when the hub is closed, and a function that gives it back.
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

// reset cuts off those who watch, and lets those who wait look again.
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

// event names what a change means to those who watch; "" for nothing, as when one
// more caller asks the same. Changes may have come together: the end of a question
// is told even if its beginning was not.
func (h *hub) event(a *gavel.Approval) string {
	known := h.known[a.ID]
	switch a.State {
	case gavel.ApprovalPending:
		if known {
			return ""
		}
		h.announced(a.ID)
		return EventRequested
	case gavel.ApprovalExpired:
		delete(h.known, a.ID)
		if a.Version == 1 {
			return "" // it was never put to anybody
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

func (h *hub) announced(id string) {
	if h.known == nil {
		h.known = map[string]bool{}
	}
	h.known[id] = true
}

// know makes a question one that was announced.
func (h *hub) know(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.announced(id)
}

// Waiting is how many wait for an answer.
func (m *Manager) Waiting() int {
	m.hub.mu.Lock()
	defer m.hub.mu.Unlock()
	n := 0
	for _, channels := range m.hub.waiting {
		n += len(channels)
	}
	return n
}
