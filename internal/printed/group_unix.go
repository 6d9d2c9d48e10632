//go:build unix

package printed

import (
	"os/exec"
	"syscall"
)

// group makes a program the leader of a process group, all of which is killed when its time is over.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
