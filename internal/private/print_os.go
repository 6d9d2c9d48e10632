//go:build !linux

package private

import "os"

// observe is a print but for whether it is settled.
func observe(path string, follow bool) (Print, error) {
	look := os.Lstat
	if follow {
		look = os.Stat
	}
	info, err := look(path)
	if err != nil {
		return Print{}, err
	}
	return of(info), nil
}

// observeOpen is observe of a file that is open.
func observeOpen(file *os.File) (Print, error) {
	info, err := file.Stat()
	if err != nil {
		return Print{}, err
	}
	return of(info), nil
}

func of(info os.FileInfo) Print {
	p := Print{there: true, size: info.Size(), mtime: info.ModTime()}
	p.dev, p.inode, p.ctim = identity(info)
	return p
}
