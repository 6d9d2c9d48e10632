package private

import (
	"os"
	"syscall"
	"time"
)

// observe is a print but for whether it is settled. Files are looked at in every request,
// so that it asks the system without os, which takes two objects to answer.
func observe(path string, follow bool) (Print, error) {
	var stat syscall.Stat_t
	var err error
	if follow {
		err = syscall.Stat(path, &stat)
	} else {
		err = syscall.Lstat(path, &stat)
	}
	if err != nil {
		return Print{}, err // an interrupted call as well: then the file is read
	}
	return of(&stat), nil
}

// observeOpen is observe of a file that is open.
func observeOpen(file *os.File) (Print, error) {
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &stat); err != nil {
		return Print{}, err
	}
	return of(&stat), nil
}

func of(stat *syscall.Stat_t) Print {
	return Print{there: true, dev: uint64(stat.Dev), inode: stat.Ino, size: stat.Size, //nolint:unconvert // the type differs between machines
		mtime: time.Unix(stat.Mtim.Unix()), ctim: time.Unix(stat.Ctim.Unix())}
}
