package sessions

import (
	"bytes"
	"fmt"
	"sync"
)

// Sizes of what is kept of an output, in bytes.
const (
	keptHead    = 100_000
	keptTail    = 100_000
	keptPending = 30_000
)

// output keeps the beginning and the end of what a command writes, and how much it left out
// between them. The zero value is ready.
type output struct {
	mu      sync.Mutex
	head    []byte
	tail    []byte // a ring once it is full; start is where it begins
	start   int
	total   int64
	pending []byte // since the last poll
	lost    int64  // bytes of pending that were dropped
	changed chan struct{}
}

// Write implements io.Writer; it never fails.
func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n := len(text)
	o.total += int64(n)
	if room := keptPending - len(o.pending); room < n {
		o.lost += int64(n - room)
		o.pending = append(o.pending, text[:room]...)
	} else {
		o.pending = append(o.pending, text...)
	}
	if room := min(keptHead-len(o.head), len(text)); room > 0 {
		o.head = append(o.head, text[:room]...)
		text = text[room:]
	}
	o.end(text)
	if o.changed != nil {
		close(o.changed)
		o.changed = nil
	}
	return n, nil
}

// end adds to the tail.
func (o *output) end(text []byte) {
	if len(text) > keptTail {
		text = text[len(text)-keptTail:]
	}
	if room := min(keptTail-len(o.tail), len(text)); room > 0 {
		o.tail = append(o.tail, text[:room]...)
		text = text[room:]
	}
	for len(text) > 0 {
		n := copy(o.tail[o.start:], text)
		o.start = (o.start + n) % keptTail
		text = text[n:]
	}
}

// text is everything that is kept, and how many bytes were left out in the middle.
func (o *output) text() (text []byte, omitted int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	omitted = o.total - int64(len(o.head)) - int64(len(o.tail))
	text = bytes.Clone(o.head)
	if omitted > 0 {
		text = fmt.Appendf(text, "\n[%d bytes were left out]\n", omitted)
	}
	text = append(text, o.tail[o.start:]...)
	return append(text, o.tail[:o.start]...), omitted
}

// empty reports whether nothing was written.
func (o *output) empty() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total == 0
}

// fresh is what was written since the last time.
func (o *output) fresh() (text []byte, lost int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	text, lost = o.pending, o.lost
	o.pending, o.lost = nil, 0
	return text, lost
}

// news is closed at the next write; it is closed already if there is something fresh.
func (o *output) news() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.pending) > 0 {
		done := make(chan struct{})
		close(done)
		return done
	}
	if o.changed == nil {
		o.changed = make(chan struct{})
	}
	return o.changed
}

// lines are some of the lines that are kept: limit of them from offset, or the last ones for a
// negative offset.
func lines(text []byte, offset, limit int) (part []byte, total int) {
	all := bytes.SplitAfter(text, []byte("\n"))
	if last := len(all) - 1; len(all[last]) == 0 {
		all = all[:last]
	}
	if offset < 0 {
		offset = max(0, len(all)-limit)
	}
	offset = min(offset, len(all))
	return bytes.Join(all[offset:min(len(all), offset+limit)], nil), len(all)
}
