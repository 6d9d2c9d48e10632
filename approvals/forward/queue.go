package forward

import (
	"context"
	"sync"

	"gavel"
)

const (
	maxLanes   = 256 // targets with waiting messages
	laneSize   = 64  // messages that wait for one target
	maxSending = 32  // requests at a time
)

// queue has a lane for each target. A lane sends one message at a time, in order, so that a
// slow target delays only itself. The lanes share a limited number of concurrent requests,
// each of a few seconds, and take turns.
type queue struct {
	send    func(context.Context, message)
	room    chan struct{} // signals that there is space again
	turns   chan struct{} // one element for each request that is made
	sending sync.WaitGroup

	mu    sync.Mutex
	lanes map[gavel.Target]*lane
	full  bool // a message found no lane
}

type lane struct {
	waiting []message
	full    bool // a message found no room
}

func newQueue(send func(context.Context, message)) *queue {
	return &queue{send: send, room: make(chan struct{}, 1), turns: make(chan struct{}, maxSending), lanes: map[gavel.Target]*lane{}}
}

// put queues a message if there is space. After a failure, room signals when there is.
func (q *queue) put(ctx context.Context, m message) (taken bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l, busy := q.lanes[m.target]
	switch {
	case !busy && len(q.lanes) >= maxLanes:
		q.full = true
		return false
	case busy && len(l.waiting) >= laneSize:
		l.full = true
		return false
	case !busy:
		l = &lane{}
		q.lanes[m.target] = l
		q.sending.Go(func() { q.run(ctx, m.target, l) })
	}
	l.waiting = append(l.waiting, m)
	return true
}

// run sends the waiting messages of a target until none is left or ctx ends.
func (q *queue) run(ctx context.Context, target gavel.Target, l *lane) {
	for ctx.Err() == nil {
		m, ok := q.next(target, l)
		if !ok {
			return
		}
		q.send(ctx, m)
	}
}

// next takes the first message of a lane; an empty lane is removed.
func (q *queue) next(target gavel.Target, l *lane) (m message, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(l.waiting) > 0 {
		m, l.waiting = l.waiting[0], l.waiting[1:]
		return m, true
	}
	delete(q.lanes, target)
	if l.full || q.full {
		q.full = false
		select {
		case q.room <- struct{}{}:
		default:
		}
	}
	return m, false
}

// turn calls f when it is this lane's turn to make a request, unless ctx ends first.
func (q *queue) turn(ctx context.Context, f func() error) error {
	select {
	case q.turns <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-q.turns }()
	return f()
}

// wait waits until every lane has ended.
func (q *queue) wait() { q.sending.Wait() }
