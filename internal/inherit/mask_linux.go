package inherit

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// NoBlockedSignals empties the signal mask of this thread. A program that this thread starts has its
// mask, and the mask comes from whatever started this process; Go unblocks only the signals that would
// end it, such as SIGTERM, and not SIGALRM or SIGTSTP. The goroutine must be locked to its thread.
func NoBlockedSignals() error {
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &unix.Sigset_t{}, nil); err != nil {
		return fmt.Errorf("unblock signals: %w", err)
	}
	return nil
}
