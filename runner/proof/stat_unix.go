//go:build unix

package proof

import (
	"io/fs"
	"strconv"
	"syscall"
)

// numbers returns the device and the inode of a file, as a pin has them.
func numbers(info fs.FileInfo) (device, inode string, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", "", false
	}
	return strconv.FormatUint(uint64(stat.Dev), 10), strconv.FormatUint(stat.Ino, 10), true //nolint:gosec,unconvert // signed on some systems
}

func ownedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}
