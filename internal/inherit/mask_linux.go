package inherit

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// NoBlockedSignals empties the signal mask of this thread, which has that of the process that started
// this one. A program has the mask of the thread that starts it, and a program that begins with
// SIGTERM blocked cannot be asked to end. The goroutine must be locked to its thread.
func NoBlockedSignals() error {
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil); err != nil {
		return fmt.Errorf("unblock signals: %w", err)
	}
	return nil
}
