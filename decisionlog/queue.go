package decisionlog

import (
	"sync"
	"time"
)

// maxBuffers limits how many buffers are kept for reuse.
const maxBuffers = 4

// queue holds lines until they are written. It is limited in bytes, in total and for each owner,
// and by the age of its oldest line. An owner is a credential, see [owner].
type queue struct {
	maxBytes, maxPerOwner int           // bytes
	maxAge                time.Duration // the oldest line may wait so long while others are taken; 0 is forever

	mu         sync.Mutex
	pending    []*batch // in order; the last one takes lines
	writing    []*batch // with the writer
	bytes      int
	lines      int
	byOwner    map[string]int // bytes by owner; never 0
	closed     bool
	buffers    [][]byte      // buffers for the next batches
	spaceFreed chan struct{} // closed, and made again, whenever there is more room
	wake       chan struct{} // tells the writer; holds one
}

// batch is a group of lines that are written at once.
type batch struct {
	text    []byte
	lines   int
	byOwner map[string]int // bytes by owner
	since   time.Time      // of its first line
	written int            // bytes of text that are written
	logged  chan struct{}  // closed once all of it is in the log
}

func newQueue(maxBytes int, maxAge time.Duration) *queue {
	return &queue{maxBytes: maxBytes, maxPerOwner: max(maxBytes/4, maxLine), maxAge: maxAge, byOwner: map[string]int{},
		spaceFreed: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// put copies a line into the queue and returns its batch. If the queue is full, it returns a
// channel that is closed when put may be tried again, and the reason. If the queue is closed, it
// returns neither.
func (q *queue) put(owner string, line []byte, now time.Time) (b *batch, wait <-chan struct{}, reason string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, nil, ""
	}
	if reason := q.whyFull(owner, len(line), now); reason != "" {
		return nil, q.spaceFreed, reason
	}
	if last := len(q.pending) - 1; last >= 0 && len(q.pending[last].text)+len(line) <= maxBatch {
		b = q.pending[last]
	} else {
		b = &batch{since: now, byOwner: map[string]int{}, logged: make(chan struct{})}
		if last := len(q.buffers) - 1; last >= 0 {
			b.text, q.buffers = q.buffers[last], q.buffers[:last]
		}
		q.pending = append(q.pending, b)
	}
	b.text = append(b.text, line...)
	b.lines++
	b.byOwner[owner] += len(line)
	q.byOwner[owner] += len(line)
	q.bytes += len(line)
	q.lines++
	select {
	case q.wake <- struct{}{}:
	default:
	}
	return b, nil, ""
}

// whyFull returns why a line has to wait, or "" if there is space. An empty queue takes any line.
func (q *queue) whyFull(owner string, size int, now time.Time) string {
	switch {
	case q.lines == 0:
		return ""
	case q.bytes+size > q.maxBytes:
		return "too many events are waiting to be written"
	case q.byOwner[owner] > 0 && q.byOwner[owner]+size > q.maxPerOwner:
		return "too many events of this credential are waiting to be written"
	case q.maxAge > 0 && now.Sub(q.oldest()) > q.maxAge:
		return "events have waited too long to be written"
	default:
		return ""
	}
}

func (q *queue) oldest() time.Time {
	if len(q.writing) > 0 {
		return q.writing[0].since
	}
	return q.pending[0].since
}

// take passes all pending lines to the writer. No more will follow if closed is true.
func (q *queue) take() (list []*batch, closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.writing, q.pending = q.pending, nil
	return q.writing, q.closed
}

// written frees the space of the first batches, which are in the log now, and notifies callers
// that wait for them or for space.
func (q *queue) written(list []*batch) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, b := range list {
		q.bytes -= len(b.text)
		q.lines -= b.lines
		for owner, size := range b.byOwner {
			if q.byOwner[owner] -= size; q.byOwner[owner] == 0 {
				delete(q.byOwner, owner)
			}
		}
		close(b.logged)
		if len(q.buffers) < maxBuffers {
			q.buffers = append(q.buffers, b.text[:0])
		}
		b.text = nil
	}
	q.writing = q.writing[len(list):]
	close(q.spaceFreed)
	q.spaceFreed = make(chan struct{})
}

// close makes put refuse, and wakes waiting callers and the writer.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.closed = true
	close(q.spaceFreed)
	q.spaceFreed = make(chan struct{})
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// waiting returns the number of lines, and their bytes, that were accepted and not yet written.
func (q *queue) waiting() (lines, bytes int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.lines, q.bytes
}
