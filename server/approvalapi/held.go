package approvalapi

import (
	"context"
	"net"
	"time"

	"gavel"
)

const (
	// messageStep is how much of a long message is held at a time for whoever sends it.
	messageStep = 64 << 10
	// messageTime is how long a message may take from its first byte to its last.
	messageTime = 10 * time.Second
)

// held is what one message takes of the memory that its credential may have.
type held struct {
	gate       gavel.Gate
	credential string
	bytes      int
	release    []func()
}

// grow makes room for so many bytes in all: exactly so many for a short message, and in
// steps for a long one.
func (h *held) grow(bytes int) error {
	more := bytes - h.bytes
	if more <= 0 {
		return nil
	}
	if h.bytes > 0 {
		more = max(more, messageStep)
	}
	release, err := h.gate.Hold(h.credential, more)
	if err != nil {
		return err
	}
	h.bytes, h.release = h.bytes+more, append(h.release, release)
	return nil
}

// free gives everything back; it may be called again.
func (h *held) free() {
	for _, release := range h.release {
		release()
	}
	h.bytes, h.release = 0, nil
}

// lateness bounds the time of reading one long line.
type lateness struct {
	conn net.Conn
	set  bool
}

func (l *lateness) begin(ctx context.Context) error {
	if l.set {
		return nil
	}
	l.set = true
	return l.until(ctx, time.Now().Add(messageTime))
}

func (l *lateness) end(ctx context.Context) error {
	if !l.set {
		return nil
	}
	return l.until(ctx, time.Time{})
}

// until sets the time limit, unless the connection was told to end in the meantime.
func (l *lateness) until(ctx context.Context, at time.Time) error {
	if err := l.conn.SetReadDeadline(at); err != nil {
		return err
	}
	return ctx.Err()
}
