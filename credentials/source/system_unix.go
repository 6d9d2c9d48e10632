//go:build unix

package source

import (
	"io/fs"
	"os"
	"os/exec"
	"syscall"
)

const (
	nofollow = syscall.O_NOFOLLOW
	nonblock = syscall.O_NONBLOCK
)

// trusted reports whether a file belongs to root or to this user.
func trusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}

// group makes a program the leader of a process group, all of which is killed when its time is over.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
