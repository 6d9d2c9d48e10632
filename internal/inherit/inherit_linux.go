package inherit

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Nothing keeps the descriptors above 2 that this process was given from the programs that it starts.
func Nothing() error {
	if unix.CloseRange(3, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	names, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("find the open descriptors: %w", err)
	}
	for _, name := range names {
		var fd int
		if _, err := fmt.Sscanf(name.Name(), "%d", &fd); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
