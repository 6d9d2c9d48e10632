//go:build unix

package runner

import (
	"os"
	"os/signal"
	"syscall"

	"gavel/runner/spawn"
)

// suspend stops this process with its command, as job control expects of both, and continues it.
func suspend(process *spawn.Process) {
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGCONT)
	defer signal.Stop(again)
	spawn.Foreground(os.Getpid())
	if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err == nil {
		<-again
	}
	spawn.Foreground(process.Pid)
	process.Signal(syscall.SIGCONT)
}
