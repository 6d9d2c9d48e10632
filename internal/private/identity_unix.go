//go:build unix && !linux

package private

import (
	"io/fs"
	"syscall"
	"time"
)

// identity is what tells one file from another, and when it last changed in any way.
func identity(info fs.FileInfo) (dev, inode uint64, changed time.Time) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, time.Now() // never settled
	}
	return uint64(stat.Dev), stat.Ino, changeTime(stat) //nolint:unconvert // the type differs between systems
}
