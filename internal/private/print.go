package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
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
func (p Print) Same(path string) bool {
	if !p.settled {
		return false
	}
	now, err := observe(path, false)
	return p.is(now, err)
}

// SameOpen is Same for a file that is open: asking the system about it needs no path, which
// takes half of the time. It does not say whether the file is still at its path.
func (p Print) SameOpen(file *os.File) bool {
	if !p.settled || file == nil {
		return false
	}
	now, err := observeOpen(file)
	return p.is(now, err)
}

// is reports whether what was observed just now is the version of p, which is settled.
func (p Print) is(now Print, err error) bool {
	now.settled = true // as p was of the same version
	return p == now && (err == nil || errors.Is(err, fs.ErrNotExist))
}

// String is the same text for the same version of a file, in every process.
func (p Print) String() string {
	return fmt.Sprint(p.dev, p.inode, p.size, p.mtime.UnixNano(), p.ctim.UnixNano())
}

// Settled reports whether the file had not changed for a while when the print was taken.
func (p Print) Settled() bool { return p.settled }

// There reports whether there was a file at all.
func (p Print) There() bool { return p.there }
