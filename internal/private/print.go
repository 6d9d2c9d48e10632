package private

import (
	"errors"
	"io/fs"
	"time"
)

// racy is how long after a change a file may change again unnoticed, because file systems
// store times with limited precision.
const racy = 50 * time.Millisecond

// Print identifies a version of a file, to tell whether it has changed. Compare with ==.
type Print struct {
	there       bool
	dev, inode  uint64
	size        int64
	mtime, ctim time.Time
	settled     bool // it was read long enough after its last change
}

// PrintOf returns the print of what is at path now, which may be nothing.
func PrintOf(path string) Print { return printOf(path, false) }

// PrintOfTarget is the same of what links at path lead to.
func PrintOfTarget(path string) Print { return printOf(path, true) }

func printOf(path string, follow bool) Print {
	p, err := observe(path, follow)
	if errors.Is(err, fs.ErrNotExist) {
		return Print{settled: true}
	}
	if err != nil {
		return Print{}
	}
	now := time.Now()
	p.settled = now.Sub(p.mtime) > racy && now.Sub(p.ctim) > racy
	return p
}

// Same reports whether a file is certainly unchanged since p was taken of it, before it
// was read.
func (p Print) Same(path string) bool { return p.settled && p == PrintOf(path) }

// Settled reports whether the file had not changed for a while when the print was taken.
func (p Print) Settled() bool { return p.settled }

// There reports whether there was a file at all.
func (p Print) There() bool { return p.there }
