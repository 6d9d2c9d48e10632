package wrap

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// roomy waits until the socket is at most a quarter full, which is when Linux calls it writable, or
// until it is closed. A chunk of standard input then leaves room for signals, even if the daemon
// reads nothing because the tool does not.
func roomy(conn *net.UnixConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	for full := true; full && err == nil; {
		err = raw.Control(func(fd uintptr) { // not Write, which nobody else could do meanwhile
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 100) //nolint:gosec // a descriptor
			full = n == 0 || errors.Is(err, unix.EINTR)
		})
	}
}
