//go:build unix

package private

import (
	"io/fs"
	"os"
	"syscall"
	"time"
)

// open opens without following a link, and without waiting for a pipe.
func open(path string, flag int, perm fs.FileMode) (*os.File, error) {
	return os.OpenFile(path, flag|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_NOCTTY, perm)
}

// Owned reports whether what info is of belongs to the user of this process.
func Owned(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

func ownedByRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && stat.Uid == 0
}

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 0
}

// identity is what tells one file from another, and when it last changed in any way.
func identity(info fs.FileInfo) (dev, inode uint64, changed time.Time) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, time.Now() // never settled
	}
	return uint64(stat.Dev), stat.Ino, changeTime(stat) //nolint:unconvert // the type differs between systems
}
