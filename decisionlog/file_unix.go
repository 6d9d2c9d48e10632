//go:build unix

package decisionlog

import (
	"fmt"
	"os"
	"syscall"
)

// noWait keeps opening from following a link and from waiting for a pipe.
const noWait = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// linked returns an error when no name leads to the file any longer.
func linked(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the log file: %w", err)
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok && of.Nlink == 0 {
		return errUnlinked
	}
	return nil
}
