//go:build unix

package daemon

import (
	"os"
	"syscall"
)

// flock locks a file for this process alone, or fails at once.
func flock(file *os.File) error {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
