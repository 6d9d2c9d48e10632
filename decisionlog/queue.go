package decisionlog

import (
	"sync"
	"time"
)

// maxSpare limits how many buffers of written batches are kept for reuse.
const maxSpare = 4

// queue holds lines until they are written. It is limited in bytes, in total and for each
// owner, and by how long the oldest line has waited.
type queue struct {
	most, mostEach int           // bytes
	lag            time.Duration // the oldest line may wait so long while others are taken; 0 is forever

	mu     sync.Mutex
	list   []*batch // in order; the last one takes lines
	taken  []*batch // with the writer
	bytes  int
	lines  int
	each   map[string]int // bytes by owner; never 0
	closed bool
	spare  [][]byte      // buffers for the next batches
	room   chan struct{} // closed, and made again, whenever there is more room
	wake   chan struct{} // tells the writer; holds one
}

// batch is lines that are written together, and then answered together.
type batch struct {
	text  []byte
	lines int
	each  map[string]int // bytes by owner
	since time.Time      // of its first line
	at    int            // bytes of text that are written
	done  chan struct{}  // closed once all of it is in the log
}

func newQueue(most int, lag time.Duration) *queue {
	return &queue{most: most, mostEach: max(most/4, maxLine), lag: lag, each: map[string]int{},
		room: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// put copies a line into the queue, or returns a channel to wait for. A closed queue accepts
// nothing.
func (q *queue) put(owner string, line []byte, now time.Time) (in *batch, wait <-chan struct{}, why string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, nil, ""
	}
	if why := q.full(owner, len(line), now); why != "" {
		return nil, q.room, why
	}
	if last := len(q.list) - 1; last >= 0 && len(q.list[last].text)+len(line) <= maxBatch {
		in = q.list[last]
	} else {
		in = &batch{since: now, each: map[string]int{}, done: make(chan struct{})}
		if last := len(q.spare) - 1; last >= 0 {
			in.text, q.spare = q.spare[last], q.spare[:last]
		}
		q.list = append(q.list, in)
	}
	in.text = append(in.text, line...)
	in.lines++
	in.each[owner] += len(line)
	q.each[owner] += len(line)
	q.bytes += len(line)
	q.lines++
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return in, nil, ""
}

// full returns why a line has to wait, or "". A single line always fits.
func (q *queue) full(owner string, size int, now time.Time) string {
	switch {
	case q.lines == 0:
		return ""
	case q.bytes+size > q.most:
		return "too many events are waiting to be written"
	case q.each[owner] > 0 && q.each[owner]+size > q.mostEach:
		return "too many events of this credential are waiting to be written"
	case q.lag > 0 && now.Sub(q.oldest()) > q.lag:
		return "events have waited too long to be written"
	default:
		return ""
	}
}

func (q *queue) oldest() time.Time {
	if len(q.taken) > 0 {
		return q.taken[0].since
	}
	return q.list[0].since
}

// take passes all waiting lines to the writer; closed is true if no more will follow.
func (q *queue) take() (list []*batch, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken, q.list = q.list, nil
	return q.taken, q.closed
}

// written frees the space of the first batch, which is in the log now, and notifies those who
// wait for it.
func (q *queue) written(list []*batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range list {
		q.bytes -= len(b.text)
		q.lines -= b.lines
		for owner, size := range b.each {
			if q.each[owner] -= size; q.each[owner] == 0 {
				delete(q.each, owner)
			}
		}
		close(b.done)
		if len(q.spare) < maxSpare {
			q.spare = append(q.spare, b.text[:0])
		}
		b.text = nil
	}
	q.taken = q.taken[len(list):]
	close(q.room)
	q.room = make(chan struct{})
}

// close accepts no more lines, and wakes waiting callers and the writer.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	close(q.room)
	q.room = make(chan struct{})
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// waiting is how much is accepted and not written.
func (q *queue) waiting() (lines, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lines, q.bytes
}
