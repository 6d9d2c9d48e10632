package private

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// racy is how long after a change a file may change again without showing it: file
// systems keep times in steps.
const racy = 50 * time.Millisecond

// Print tells whether a file is still the one that was read. It is compared with ==.
type Print struct {
	there       bool
	dev, inode  uint64
	size        int64
	mtime, ctim time.Time
	settled     bool // it was read long enough after its last change
}

// PrintOf returns the print of what is at path now, which may be nothing.
func PrintOf(path string) Print { return printOf(path, os.Lstat) }

// PrintOfTarget is the same of what links at path lead to.
func PrintOfTarget(path string) Print { return printOf(path, os.Stat) }

func printOf(path string, look func(string) (fs.FileInfo, error)) Print {
	info, err := look(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Print{settled: true}
	}
	if err != nil {
		return Print{}
	}
	p := Print{there: true, size: info.Size(), mtime: info.ModTime()}
	p.dev, p.inode, p.ctim = identity(info)
	p.settled = time.Since(p.mtime) > racy && time.Since(p.ctim) > racy
	return p
}

// Same reports whether a file is certainly unchanged since p was taken of it, before it
// was read.
func (p Print) Same(path string) bool { return p.settled && p == PrintOf(path) }

// Settled reports whether the file had not changed for a while when the print was taken.
func (p Print) Settled() bool { return p.settled }

// There reports whether there was a file at all.
func (p Print) There() bool { return p.there }
