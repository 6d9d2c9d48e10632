package approvals

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
)

// InMemory is a Store for tests; the store on disk uses it for reading.
type InMemory struct {
	// writing serialises changes. persist makes a change durable before it takes effect; if it
	// fails, the change is dropped.
	writing sync.Mutex
	persist func(change) error

	mu       sync.RWMutex // guards the fields below; never held while writing to disk
	records  map[string]gavel.Approval
	bound    map[string][]string // binding → ids, oldest first
	sizes    map[string]int64    // pending records, by id
	bytes    int64               // of all pending records
	shares   map[string]int      // pending records, by asker
	history  map[string]History
	redeemed map[string]time.Time
	cutoff   time.Time // a key that ends by then is refused: it may have been used and forgotten
	feeds    map[*feed]bool
}

// change is one durable change of a store.
type change struct {
	put     *gavel.Approval
	forget  string
	command string // the command whose history changes
	history *History
	redeem  string
	until   time.Time
	expired []string // redeemed keys that may be forgotten
	cutoff  time.Time
}

// NewInMemory returns an empty store.
func NewInMemory() *InMemory {
	return &InMemory{persist: func(change) error { return nil }, records: map[string]gavel.Approval{}, sizes: map[string]int64{}, shares: map[string]int{}, bound: map[string][]string{},
		history: map[string]History{}, redeemed: map[string]time.Time{}, feeds: map[*feed]bool{}}
}

var _ Store = (*InMemory)(nil)

// Create implements Store.
func (s *InMemory) Create(_ context.Context, a gavel.Approval) (gavel.Approval, bool, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.RLock()
	_, taken := s.records[a.ID]
	known, open := s.pendingFor(&a)
	s.mu.RUnlock()
	switch {
	case open && a.State == gavel.ApprovalPending:
		return clone(known), false, nil
	case taken:
		return gavel.Approval{}, false, &gavel.ApprovalError{Code: gavel.CodeApprovalExists,
			Message: "an approval with this id already exists", Fix: "leave the id out, or use a fresh UUID"}
	}
	a = clone(a)
	a.Version = 1
	if err := s.persist(change{put: &a}); err != nil {
		return gavel.Approval{}, false, err
	}
	s.put(a)
	return clone(a), true, nil
}

func (s *InMemory) pendingFor(a *gavel.Approval) (gavel.Approval, bool) {
	for _, id := range s.bound[a.Binding] {
		if known := s.records[id]; samePending(&known, a) {
			return known, true
		}
	}
	return gavel.Approval{}, false
}

// Swap implements Store.
func (s *InMemory) Swap(_ context.Context, a gavel.Approval, remember *Memory) (gavel.Approval, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.RLock()
	known, ok := s.records[a.ID]
	s.mu.RUnlock()
	switch {
	case !ok:
		return gavel.Approval{}, NotFound()
	case known.Version != a.Version || known.Binding != a.Binding:
		return gavel.Approval{}, &gavel.ApprovalError{Code: gavel.CodeApprovalConflict,
			Message: "someone else has changed the approval in the meantime", Fix: "read it again"}
	}
	a = clone(a)
	a.Version++
	step := change{put: &a}
	if remember != nil {
		s.mu.RLock()
		history := s.history[remember.Command].add(remember)
		s.mu.RUnlock()
		step.command, step.history = remember.Command, &history
	}
	if err := s.persist(step); err != nil {
		return gavel.Approval{}, err
	}
	if step.history != nil {
		s.mu.Lock()
		s.history[step.command] = *step.history
		s.mu.Unlock()
	}
	s.put(a)
	return clone(a), nil
}

// Forget implements Store.
func (s *InMemory) Forget(_ context.Context, id string, version uint64) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.RLock()
	known, ok := s.records[id]
	s.mu.RUnlock()
	if !ok || known.Version != version {
		return nil
	}
	if err := s.persist(change{forget: id}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(known)
	return nil
}

// put stores the current version of a record, and notifies watchers.
func (s *InMemory) put(a gavel.Approval) {
	s.mu.Lock()
	defer s.mu.Unlock()
	old, ok := s.records[a.ID]
	if !ok {
		s.bound[a.Binding] = append(s.bound[a.Binding], a.ID)
	}
	switch was, is := ok && old.State == gavel.ApprovalPending, a.State == gavel.ApprovalPending; {
	case is && !was:
		s.count(&a, 1)
	case was && !is:
		s.count(&old, -1)
	}
	s.records[a.ID] = a
	for f := range s.feeds {
		f.push(a)
	}
}

func (s *InMemory) remove(a gavel.Approval) {
	delete(s.records, a.ID)
	if a.State == gavel.ApprovalPending {
		s.count(&a, -1)
	}
	left := slices.DeleteFunc(s.bound[a.Binding], func(id string) bool { return id == a.ID })
	if len(left) == 0 {
		delete(s.bound, a.Binding)
		return
	}
	s.bound[a.Binding] = left
}

// Get implements Store.
func (s *InMemory) Get(_ context.Context, id string) (gavel.Approval, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a, ok := s.records[id]
	if !ok {
		return gavel.Approval{}, NotFound()
	}
	return clone(a), nil
}

// Bound implements Store.
func (s *InMemory) Bound(_ context.Context, binding string) ([]gavel.Approval, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var list []gavel.Approval
	for _, id := range slices.Backward(s.bound[binding]) {
		list = append(list, clone(s.records[id]))
	}
	return list, nil
}

// List implements Store.
func (s *InMemory) List(context.Context) ([]gavel.Approval, error) {
	s.mu.RLock()
	list := slices.Collect(maps.Values(s.records))
	s.mu.RUnlock()
	slices.SortFunc(list, func(a, b gavel.Approval) int {
		if c := a.CreatedAt.Compare(b.CreatedAt); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return list, nil
}

// Begin implements Store. Memory is lost when the process ends.
func (s *InMemory) Begin(context.Context, time.Time) error { return nil }

// Recall implements Store.
func (s *InMemory) Recall(_ context.Context, command string) (History, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.history[command], nil
}

// Close implements Store.
func (s *InMemory) Close() error { return nil }

// Watch implements Store.
func (s *InMemory) Watch(ctx context.Context) iter.Seq[gavel.Approval] {
	f := &feed{ready: make(chan struct{}, 1), latest: map[string]gavel.Approval{}}
	s.mu.Lock()
	s.feeds[f] = true
	s.mu.Unlock()
	return func(yield func(gavel.Approval) bool) {
		defer func() {
			s.mu.Lock()
			delete(s.feeds, f)
			s.mu.Unlock()
		}()
		for {
			select {
			case <-ctx.Done():
				return
			case <-f.ready:
			}
			for _, a := range f.take() {
				if !yield(a) {
					return
				}
			}
		}
	}
}

// clone copies the lists of a record, which callers may change, and shares everything else,
// which nobody changes.
func clone(a gavel.Approval) gavel.Approval {
	a.Requesters = slices.Clone(a.Requesters)
	a.Votes = slices.Clone(a.Votes)
	a.Forward = slices.Clone(a.Forward)
	return a
}

// NotFound is the error for an id that does not exist, or that the caller may not know; both
// have the same text.
func NotFound() *gavel.ApprovalError {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalNotFound, Message: "unknown or expired approval id",
		Fix: "list the open ones with gavel approvals list or GET /v1/approvals, or use the credential that asked; an answered approval is kept for 15 seconds"}
}
