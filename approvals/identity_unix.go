//go:build unix

package approvals

import (
	"os"
	"strconv"
	"syscall"
)

// identify returns the device and inode of the file at a real path.
func identify(path string) (device, inode string, ok bool) {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", "", false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", "", false
	}
	return strconv.FormatUint(uint64(stat.Dev), 10), strconv.FormatUint(uint64(stat.Ino), 10), true
}

// open opens a file for reading without blocking on a pipe.
func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) }
