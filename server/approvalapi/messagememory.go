package approvalapi

import (
	"context"
	"net"
	"time"

	"gavel"
)

const (
	// messageStep is the number of bytes by which the memory for a long message grows.
	messageStep = 64 << 10
	// messageTime is the time limit from the first byte of a message to its last.
	messageTime = 10 * time.Second
)

// messageMemory is the part of a credential's memory budget that one message uses.
type messageMemory struct {
	limiter    gavel.Limiter
	credential string
	bytes      int
	release    []func()
}

// grow reserves memory up to a total of the given bytes: exactly that for a short message, and in
// steps of messageStep for a long one.
func (h *messageMemory) grow(bytes int) error {
	more := bytes - h.bytes
	if more <= 0 {
		return nil
	}
	if h.bytes > 0 {
		more = max(more, messageStep)
	}
	release, err := h.limiter.Reserve(h.credential, more)
	if err != nil {
		return err
	}
	h.bytes, h.release = h.bytes+more, append(h.release, release)
	return nil
}

// free gives all memory back. It may be called more than once.
func (h *messageMemory) free() {
	for _, release := range h.release {
		release()
	}
	h.bytes, h.release = 0, nil
}

// lineDeadline limits the time for reading one long line.
type lineDeadline struct {
	conn net.Conn
	set  bool
}

func (l *lineDeadline) begin(ctx context.Context) error {
	if l.set {
		return nil
	}
	l.set = true
	return l.until(ctx, time.Now().Add(messageTime))
}

func (l *lineDeadline) end(ctx context.Context) error {
	if !l.set {
		return nil
	}
	return l.until(ctx, time.Time{})
}

// until sets the deadline. It returns an error if the connection was ended in the meantime.
func (l *lineDeadline) until(ctx context.Context, at time.Time) error {
	if err := l.conn.SetReadDeadline(at); err != nil {
		return err
	}
	return ctx.Err()
}
