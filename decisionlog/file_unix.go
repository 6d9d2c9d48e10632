//go:build unix

package decisionlog

import (
	"fmt"
	"os"
	"syscall"
)

// openFlags make opening fail for a symbolic link, and not block for a named pipe.
const openFlags = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// checkLinked returns errUnlinked if the open file has no name any longer.
func checkLinked(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the log file: %w", err)
	}
	if of, ok := info.Sys().(*syscall.Stat_t); ok && of.Nlink == 0 {
		return errUnlinked
	}
	return nil
}
