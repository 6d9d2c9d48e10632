package daemon

import (
	"errors"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// counted counts the pieces that are read, and the streams that are waited for.
type counted struct {
	file *os.File
	of   *process
	late int // bytes that were read when the time for it was over
}

// mostLate is how many bytes are read when the time for it is over: as many as a pipe holds. What a
// tool wrote before it ended is not lost because this process had no time to read it.
const mostLate = 1 << 20

// Read implements io.Reader.
func (c *counted) Read(b []byte) (int, error) {
	c.of.reading.Add(1)
	defer c.of.reading.Add(-1)
	n, err := c.file.Read(b)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		n, err = c.rest(b)
	}
	c.of.progress.Add(1)
	return n, err
}

// rest reads what is there, and waits for nothing.
func (c *counted) rest(b []byte) (n int, err error) {
	raw, err := c.file.SyscallConn()
	if err != nil || c.late >= mostLate {
		return 0, errors.Join(os.ErrDeadlineExceeded, err)
	}
	controlled := raw.Control(func(fd uintptr) {
		for {
			if n, err = unix.Read(int(fd), b); !errors.Is(err, unix.EINTR) {
				return
			}
		}
	})
	if err := errors.Join(controlled, err); err != nil || n <= 0 {
		return 0, errors.Join(os.ErrDeadlineExceeded, err)
	}
	c.late += n
	return n, nil
}

// input hands standard input over, unless it has ended. It waits while the tool does not read, and
// calls meanwhile now and then.
func (p *process) input(data []byte, meanwhile func()) {
	select {
	case <-p.inEnd:
		return
	default: // below, a place in the queue could come first
	}
	for {
		select {
		case p.feed <- data:
			return
		case <-p.inEnd:
			return
		case <-time.After(lookAhead):
			meanwhile()
		}
	}
}

// lookAhead is how often signals are looked for behind standard input that waits.
const lookAhead = 100 * time.Millisecond

// waiting returns what the kernel holds of a client's lines, and leaves it there.
func waiting(conn *net.UnixConn) []byte {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil
	}
	text := make([]byte, mostAhead)
	n := 0
	controlled := raw.Control(func(fd uintptr) {
		n, _, err = unix.Recvfrom(int(fd), text, unix.MSG_PEEK|unix.MSG_DONTWAIT)
	})
	if errors.Join(controlled, err) != nil || n <= 0 {
		return nil
	}
	return text[:n]
}

// mostAhead is more than a socket holds, unless the system is configured otherwise.
const mostAhead = 256 << 10

// write writes standard input until it ends, and then what still waits.
func (p *process) write() {
	if p.in == nil {
		return
	}
	for reads, open := true, true; open; {
		select {
		case data := <-p.feed:
			reads = reads && p.writeOne(data) // what a tool does not read is still taken: signals come after it
		case <-p.inEnd:
			for len(p.feed) > 0 {
				data := <-p.feed
				reads = reads && p.writeOne(data)
			}
			open = false
		}
	}
	if p.terminal != nil {
		_, _ = p.in.Write([]byte{4}) // the end of input, as a person types it
		return
	}
	_ = p.in.Close()
}

// writeOne reports whether the tool still reads.
func (p *process) writeOne(data []byte) bool {
	_, err := p.in.Write(data)
	return err == nil
}

// closeInput ends standard input.
func (p *process) closeInput() { p.inOnce.Do(func() { close(p.inEnd) }) }
