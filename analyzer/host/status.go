//go:build unix

package host

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// lstat examines a file without following links. It returns less than os.Lstat, because a
// decision examines a dozen files.
func lstat(name string) (status, error) {
	var s unix.Stat_t
	if err := unix.Lstat(name, &s); err != nil {
		return status{}, &fs.PathError{Op: "lstat", Path: name, Err: err}
	}
	return status{
		stamp: stamp{device: uint64(s.Dev), inode: s.Ino, modified: s.Mtim.Nano(), changed: s.Ctim.Nano()},
		mode:  fileMode(uint32(s.Mode)), owner: s.Uid, size: s.Size, names: int(s.Nlink), //nolint:gosec // no file has more
	}, nil
}

// openDirectory opens a directory; the path itself must not be a link.
func openDirectory(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
}

// fileMode translates the mode bits of Unix.
func fileMode(bits uint32) fs.FileMode {
	mode := fs.FileMode(bits & 0o777)
	switch bits & syscall.S_IFMT {
	case syscall.S_IFREG:
	case syscall.S_IFDIR:
		mode |= fs.ModeDir
	case syscall.S_IFLNK:
		mode |= fs.ModeSymlink
	default:
		mode |= fs.ModeIrregular
	}
	if bits&syscall.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
