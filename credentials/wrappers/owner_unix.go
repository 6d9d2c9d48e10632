//go:build unix

package wrappers

import (
	"io/fs"
	"os"
	"syscall"
)

// trusted reports whether a file belongs to root or to this user.
func trusted(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
