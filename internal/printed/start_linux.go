package printed

import (
	"fmt"
	"os/exec"
	"runtime"

	"gavel/internal/inherit"
)

// start starts a program without the capabilities that this process was given for itself. They are of
// this thread, as which the program begins.
func start(cmd *exec.Cmd) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := inherit.NoCapabilities(); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return cmd.Start()
}
